"""Pages and templates are in plain English: no unwanted words, and headings to search for."""

from pathlib import Path

import pytest

from tests.support import ROOT
from tests.support.plain_english import HEADINGS, faults, headings, prose
from tools.site import rule_pages

PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted(ROOT.glob("*-patches/README.md")),
]
TEMPLATES = sorted((ROOT / "templates").glob("*.j2"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_use_plain_words(page: Path) -> None:
    assert faults(prose(page.read_text("utf-8"))) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_headings_begin_with_a_noun_or_a_verb(page: Path) -> None:
    found = headings(page.read_text("utf-8"))
    assert found
    assert [each for each in found if each.split()[0] in HEADINGS] == []


def test_rule_pages_use_plain_words() -> None:
    found = {path: faults(prose(page)) for path, page in rule_pages.pages()}
    assert len(found) > 100
    assert {path: words for path, words in found.items() if words} == {}


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: str(template.name))
def test_templates_use_plain_words(template: Path) -> None:
    assert faults(template.read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("A lost state is\nsaid on one line.", 1),
        ("Those that are off, of which there are two.", 2),
        ("It is reported; the maker is Aid.", 0),
    ],
)
def test_unwanted_words_are_found(text: str, number: int) -> None:
    assert len(faults(text)) == number


def test_screens_and_code_are_not_read() -> None:
    page = "# Why\n\nIt `is said` here.\n\n```console\n$ a\n# is said\n```\n\n    are said\n"
    assert faults(prose(page)) == []
    assert headings(page) == ["Why"]
