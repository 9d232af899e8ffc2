"""Code is in plain English: a docstring begins with a verb in the third person or a noun with its
article, and a name says what its value is."""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.support import ROOT

NO_SENTENCE = re.compile(
    r"(?:What|Whether|Which|Of|Those|That|As|Where|How|When|Who|Why|Likewise)\b"
)


def first_lines(source: str) -> Iterator[str]:
    """Yields the first lines of the docstrings of a module, its classes, functions and names."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield str(node.value.value).lstrip().partition("\n")[0]


def test_a_first_line_is_a_sentence_or_a_name() -> None:
    files = [
        file
        for room in ("idle_states", "tests", "tools", "benchmarks")
        for file in sorted((ROOT / room).rglob("*.py"))
    ]
    texts = {file: [*first_lines(file.read_text("utf-8"))] for file in files}
    assert sum(map(len, texts.values())) > 8000
    wrong = [f"{file}: {line}" for file in files for line in texts[file] if NO_SENTENCE.match(line)]
    assert wrong == []


def test_other_beginnings_are_seen() -> None:
    source = '"""The states."""\ndef used():\n    """Whether it is used.\n\n    Of CPUs."""\n'
    source += 'MOST = 3\n"""Of states."""\n'
    lines = sorted(line for line in first_lines(source) if NO_SENTENCE.match(line))
    assert lines == ["Of states.", "Whether it is used."]


SAYS_NOTHING = re.compile(
    r"_*+(?!is_|has_|was_)(?:\w*_)?(?:said|told|asked|taken|had)_*", re.IGNORECASE
)
"""A name that is one of these words or ends in one, but for those that a value answers yes or no:
is_asked. `found` may name what a search has found."""


def value_names(source: str) -> Iterator[str]:
    """Yields the names of a module's variables, parameters, attributes, functions and classes."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.id if isinstance(node, ast.Name) else node.attr


def test_a_name_says_what_its_value_is() -> None:
    wrong, count = [], 0
    for room in ("idle_states", "tools", "benchmarks"):
        # a form's fields are keys of JSON, which stay as they are
        for file in sorted((ROOT / room).rglob("*.py")):
            if file.stem.endswith("_document"):
                continue
            names = [*value_names(file.read_text("utf-8"))]
            count += len(names)
            wrong += [f"{file}: {name}" for name in names if SAYS_NOTHING.fullmatch(name)]
    assert count > 30000
    assert wrong == []


@pytest.mark.parametrize(
    "source",
    [
        "said = 1",
        "def row(taken): ...",
        "def row(*, not_asked=1): ...",
        "def _said(): ...",
        "class Told: ...",
        "self.had = 1",
        "for _TOLD, row in rows: ...",
        "rows = [(was := taken_) for taken_ in all]",
    ],
)
def test_names_that_say_nothing_are_seen(source: str) -> None:
    assert any(map(SAYS_NOTHING.fullmatch, value_names(source)))


def test_names_that_say_what_they_are_pass() -> None:
    source = "is_asked = _has_told = found = taken_as = head = unsaid = rows.said.row = 1"
    assert [name for name in value_names(source) if SAYS_NOTHING.fullmatch(name)] == []
