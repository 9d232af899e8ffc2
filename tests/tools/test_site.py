"""The documentation site: made of the program whole, complete in itself, every link good."""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import idle_states
from idle_states.base.model.findings import UsageError
from idle_states.base.report import help_pages
from idle_states.cli import main, parsers
from idle_states.cli.commands import COMMANDS
from idle_states.tables.rules.catalogue import rules
from tests.support import DOCS, ROOT, chromium
from tests.support.shared import once
from tests.support.site_measured import measured
from tools.site import commands, links, live, prose, python, rule_pages, schemas

Capture = pytest.CaptureFixture[str]
NOT_INSTALLED = [name for name in ("mkdocs", "material") if find_spec(name) is None]
built_here = pytest.mark.skipif(bool(NOT_INSTALLED), reason="mkdocs-material is not installed")


def build(into: Path) -> None:
    """Fails for a link to a page or a heading that is not there."""
    words = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    done = subprocess.run(
        [*words, "--site-dir", str(into)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return once(tmp_path_factory, "site", build)


@pytest.fixture
def program() -> str:
    """The browser."""
    found = chromium.found()
    if found is None:
        pytest.skip("chromium is not installed")
    return found


class Links(HTMLParser):
    """links: what a reader may follow; loads: what a browser fetches; ids: of elements."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.ids: set[str] = set()
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag == "link" and given.get("rel") not in ("prev", "next", "canonical"):
            self.loads.append(given["href"])
        self.loads += [given[name] for name in ("src", "srcset", "poster", "data") if name in given]


@cache
def links_of(site: Path) -> dict[Path, Links]:
    return {page: Links(page) for page in site.rglob("*.html")}


@cache
def target_of(directory: Path, path: str) -> tuple[Path, bool]:
    """Returns what a link means, and whether it is there; most stand on many pages."""
    target = (directory / unquote(path)).resolve()
    if target.is_dir():
        target /= "index.html"
    return target, target.is_file()


@pytest.mark.slow
@built_here
def test_every_link_leads_to_what_is_there(site: Path) -> None:
    """Also those that are no Markdown's: of the theme, and of what is made."""
    pages = {page: found for page, found in links_of(site).items() if page.name != "404.html"}
    assert len(pages) > 170
    broken = []
    for page, found in pages.items():
        for link in {*found.links, *found.loads}:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target, there = target_of(page.parent, parts.path) if parts.path else (page, True)
            ids = pages[target].ids if target in pages else set()
            if not there or (parts.fragment and parts.fragment not in ids):
                broken.append((page.relative_to(site), link))
    assert broken == []


@pytest.mark.slow
@built_here
def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    for page, found in links_of(site).items():
        outside = [load for load in found.loads if urlsplit(load).netloc]
        assert outside == [], page
    for sheet in site.rglob("*.css"):
        fetched = re.findall(r"(?:url\(|@import)\s*[\"']?(\w+:)?//", sheet.read_text("utf-8"))
        assert fetched == [], sheet


@pytest.mark.slow
@built_here
@pytest.mark.parametrize(
    "page", ["index.html", "pages/index.html", "rules/IS201.html", "reference/commands/check.html"]
)
def test_a_browser_finds_nothing_wrong(page: str, program: str, site: Path, tmp_path: Path) -> None:
    with chromium.browser(program, site, tmp_path) as browser:
        browser.open(page, 1000)
        assert browser.said == []
        # what the page holds within itself is not asked of anybody
        asked = {url.partition("?")[0] for url in browser.asked if not url.startswith("data:")}
        assert asked <= {
            f"{browser.address}/{file.relative_to(site).as_posix()}"
            for file in site.rglob("*")
            if file.is_file()
        } | {f"{browser.address}/favicon.ico"}


@pytest.mark.slow
@built_here
def test_findings_link_to_the_page_of_their_rule(
    site: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(help_pages.VARIABLE, site.as_uri())
    main(["check", "power9-dd1@84368bbf8", "--format", "sarif"])
    described = json.loads(capsys.readouterr().out)["runs"][0]["tool"]["driver"]["rules"]
    assert len(described) > 3
    for rule in described:
        page = Path(unquote(urlsplit(rule["helpUri"]).path))
        title = re.search(r"<h1[^>]*>(.*?)<", page.read_text("utf-8"))
        assert title
        assert title[1].startswith(f"{rule['id']} ")


def test_the_address_is_the_one_that_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(help_pages.VARIABLE, "https://docs.example/idle-states")
    assert help_pages.page_of("IS203") == "https://docs.example/idle-states/rules/IS203.html"
    for wrong in ("docs.example", "https://a b", "https://a\x1b]8;;", "javascript://x"):
        monkeypatch.setenv(help_pages.VARIABLE, wrong)
        with pytest.raises(UsageError, match=r"expected an address such as https://\.\.\."):
            help_pages.page_of("IS203")


def test_without_a_site_there_is_no_address(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture
) -> None:
    """Neither built nor declared; an address that leads nowhere would be worse than none."""
    monkeypatch.delenv(help_pages.VARIABLE, raising=False)
    monkeypatch.setattr(help_pages, "source_folder", lambda: str(tmp_path))
    assert help_pages.home() is None
    main(["check", "power9-dd1@84368bbf8", "--format", "sarif"])
    driver = json.loads(capsys.readouterr().out)["runs"][0]["tool"]["driver"]
    assert not any("helpUri" in rule for rule in driver["rules"])
    (tmp_path / "build/site").mkdir(parents=True)
    (tmp_path / "build/site/index.html").touch()
    assert help_pages.home() == f"{tmp_path.as_uri()}/build/site/"


def test_every_rule_has_a_page_with_its_whole_docstring() -> None:
    pages = dict(rule_pages.pages())
    assert len(pages) == len(rules()) + 1
    for loaded in rules():
        page = pages[f"rules/{loaded.rule.code}.md"]
        titles = re.findall(r"^## (.*)$", page, re.MULTILINE)
        assert titles == [
            "What it does",
            "Why is this bad",
            "Example",
            "Use instead",
            "Ground",
            *(["Thresholds"] if loaded.rule.thresholds else []),
            "Facts",
        ]
        assert f"({loaded.rule.code}.md)" in pages["rules/index.md"]
        assert words(loaded.page.partition("\n")[2]) <= words(page)


def words(text: str) -> set[str]:
    """Without what Markdown escapes, and dashes of lists."""
    plain = text.replace("&lt;", "<").replace("&gt;", ">").replace("&#124;", "|").replace("\\", "")
    return set(re.findall(r"\w+", plain))


def test_every_command_and_option_stands_in_the_reference() -> None:
    pages = dict(commands.pages())
    names = COMMANDS
    assert set(pages) == {f"reference/commands/{name}.md" for name in ("index", *names)}
    for name in names:
        page = pages[f"reference/commands/{name}.md"]
        for action in parsers.command_parser(name)._actions:
            for option in set(action.option_strings) - {"-h", "--help"}:
                assert re.search(rf"`{option}[` ]", page), (name, option)
            if action.help and "--help" not in action.option_strings:
                assert words(action.help % vars(action)) <= words(page)
        assert f"({name}.md)" in pages["reference/commands/index.md"]


def keys(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for name, value in schema.items():
            if name not in ("if", "then", "not"):
                yield from keys(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from keys(value)


def test_every_key_stands_in_the_reference() -> None:
    page = dict(schemas.pages())["reference/json.md"]
    document = json.loads((ROOT / "schemas/output.schema.json").read_text("utf-8"))
    known = set(keys(document))
    assert len(known) > 200
    assert {key for key in known if f"`{key}`" not in page} == set()


@pytest.mark.slow
def test_every_room_has_a_page_of_what_python_users_use() -> None:
    pages = dict(python.pages((DOCS / "architecture.md").read_text("utf-8")))
    page = pages["reference/python/replay.md"]
    assert "class ReplayRequest:" in page
    assert "    governors: tuple[str, ...] = ()" in page
    assert "- `disabled`: numbers of disabled states" in page
    packages = {file.parent.name for file in (ROOT / "idle_states").glob("*/*/__init__.py")}
    listed = {Path(path).stem for path in pages} - {"index", "values"}
    assert packages - listed == {"model"}


def test_the_policy_names_what_there_is() -> None:
    """Names of Python's that it calls stable."""
    text = (DOCS / "policy.md").read_text("utf-8")
    section = text.partition("## Python")[2].partition("\n## ")[0]
    named = set(re.findall(r"`(\w+)`", section)) - {"idle_states"}
    assert len(named) > 10
    assert [name for name in sorted(named) if not hasattr(idle_states, name)] == []


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        ("One\nline.", "One line."),
        ("a_b and *c* [d] <e> `f_g`", "a\\_b and \\*c\\* \\[d\\] &lt;e&gt; `f_g`"),
        ("Says:\n\n    a  b\n    c\n\nMore.", "Says:\n\n```text\na  b\nc\n```\n\nMore."),
        ("x  one\n   more\ny, z  two", "- `x`: one more\n- `y`, `z`: two"),
        ("x  one\nThen.", "- `x`: one\n\nThen."),
        ("- one\n  more\n- two", "- one more\n- two"),
    ],
)
def test_docstrings_become_markdown(docstring: str, expected: str) -> None:
    assert prose.markdown(docstring) == expected


@pytest.mark.parametrize(
    ("page", "html", "expected"),
    [
        (
            "rules/IS401.md",
            "<p>since 5ddcc03a07ae, 84368bbf8.</p>",
            '<p>since <a href="https://git.kernel.org/linus/5ddcc03a07ae">5ddcc03a07ae</a>, '
            '<a href="https://github.com/open-power/skiboot/commit/84368bbf8">84368bbf8</a>.</p>',
        ),
        ("x.md", '<pre><code>84368bbf8</code></pre> <a href="x">84368bbf8</a></p>', None),
        ("x.md", "<p><code>power9-dd1@84368bbf8</code> <code>git show 84368bbf8</code></p>", None),
        (
            "x.md",
            "<p><code>84368bbf8</code>, 8de7606f0f</p>",
            '<p><a href="https://github.com/open-power/skiboot/commit/84368bbf8"><code>84368bbf8'
            '</code></a>, <a href="https://git.kernel.org/linus/8de7606f0f">8de7606f0f</a></p>',
        ),
        (
            "archives.md",
            "<td><code>3333331.5fSG56mABF@example.org</code> in 84368bbf8</td>",
            '<td><a href="https://lore.kernel.org/all/3333331.5fSG56mABF@example.org/">'
            "<code>3333331.5fSG56mABF@example.org</code></a> in 84368bbf8</td>",
        ),
        ("x.md", "<p>power9@84368bbf8-x 100000000 abcdefabc 123456789012 x/84368bbf8</p>", None),
        ("opal.md", "<p>84368bbf8</p>", None),
        (
            "x.md",
            "<li>Documentation/admin-guide/pm/cpuidle.rst.</li>",
            '<li><a href="https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/tree/'
            'Documentation/admin-guide/pm/cpuidle.rst?h=v7.1">'
            "Documentation/admin-guide/pm/cpuidle.rst</a>.</li>",
        ),
    ],
)
def test_commits_mails_and_bindings_become_links(
    page: str, html: str, expected: str | None
) -> None:
    assert links.linked(page, html) == (html if expected is None else expected)


FAULTY = """<!DOCTYPE html><title>faulty</title><body data-md-color-scheme="default">
<style>[data-md-color-scheme=slate] .dark { color: #333; background: #222 }</style>
<p style="color: rgba(0, 0, 0, .3)">faint</p><p class="dark">faint in the dark</p>
<div style="width: 700px">wide</div>
<div style="overflow: auto"><p style="width: 3000px">fits</p></div>
<pre style="overflow: auto"><code>LINE</code></pre>"""


@pytest.mark.slow
@built_here
def test_every_page_fits_the_screen_and_can_be_read(
    program: str, site: Path, tmp_path: Path
) -> None:
    """On a phone, a small and a wide screen; no line of code is cut on the wide one."""
    page2faults = measured(program, site, tmp_path)
    assert len(page2faults) > 250
    assert {page: faults for page, faults in page2faults.items() if faults} == {}


@pytest.mark.slow
def test_what_is_wide_cut_or_faint_is_found(program: str, tmp_path: Path) -> None:
    (pages := tmp_path / "pages").mkdir()
    (pages / "faulty.html").write_text(FAULTY.replace("LINE", "x" * 500))
    assert measured(program, pages, tmp_path / "profile")["faulty.html"] == [
        "1400: cut: " + "x" * 60,
        "1400: faint: faint: 2.11",
        "800: faint: faint: 2.11",
        '360: wide: <div style="width: 700px">wide</div>',
        "360: faint: faint: 2.11",
        "dark: faint: faint: 2.11",
        "dark: faint: faint in the dark: 1.26",
    ]


@pytest.mark.slow
@built_here
def test_live_pages_name_nothing_of_the_machine_that_built_them(site: Path) -> None:
    pages = sorted((site / live.FOLDER).glob("*.html"))
    assert [page.stem for page in pages] == sorted(["index", *(each.name for each in live.PAGES)])
    for page in pages:
        text = page.read_text("utf-8")
        assert not re.search(rf"{re.escape(str(ROOT))}|{tempfile.gettempdir()}/|file:", text), page


LOOKED_UP = """new Promise(done => {
  const input = document.querySelector(".md-search__input"), end = Date.now() + 30000;
  document.querySelector("#__search").click();
  input.focus();
  input.value = WORDS;
  const look = () => {
    input.dispatchEvent(new KeyboardEvent("keyup"));
    const found = [...document.querySelectorAll(".md-search-result__item a")].map(e => e.href);
    found.length || Date.now() > end ? done(found) : setTimeout(look, 200);
  };
  look();
})"""


@pytest.mark.slow
@built_here
@pytest.mark.parametrize("where", ["server", "folder"])
def test_the_search_finds_a_page(where: str, program: str, site: Path, tmp_path: Path) -> None:
    with chromium.browser(program, site, tmp_path) as browser:
        if where == "folder":
            browser.address = site.as_uri()
        browser.open("rules/IS201.html", 1000)
        found = browser.told(LOOKED_UP.replace("WORDS", json.dumps("residency-tie")))
        assert f"{browser.address}/rules/IS203.html" in [link.partition("?")[0] for link in found]
        assert browser.said == []
