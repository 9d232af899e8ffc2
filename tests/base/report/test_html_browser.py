"""--html in a real Chromium: nothing complained of, nothing fetched, readable on a phone, on a wide
screen, in the dark and on paper, with keys alone. One browser measures all pages."""

import json
import re
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from idle_states.base.dataclass import replace
from idle_states.base.report.html import markers, page, svg
from idle_states.base.report.html.markers import Level, Point
from idle_states.base.report.sheet import Drawing, Lines, Picture, Rows, Section, Sheet
from idle_states.change.boot.registered import held_by
from idle_states.change.boot.sheet import sheet
from idle_states.cli import main
from idle_states.lab.replay import fits
from idle_states.lab.replay.fits import Misfits
from idle_states.tables.spec.library import find
from tests.support import many_machines
from tests.support.boots import (
    boot_result,
    changed,
    recorded_boot,
    recorded_workload,
    with_workload,
)
from tests.support.chromium import NAMES, found
from tests.support.git_history import History
from tests.support.html_measured import COUNTED, PAPER, VIEWS, axe, measure, sheets
from tests.support.html_pages import COMMANDS, make_all, parse
from tests.support.reviewed import AFTER, BEFORE, MESSAGE, c_of
from tests.support.shared import once

pytestmark = pytest.mark.slow
PAGES = [*COMMANDS, "boot", "many", "hostile", "zero", "review", "review-commits"]
BAD = {
    "script": "<script>1</script>",
    "fetch": '<img src="/other.png" alt="">',
    "console": "",
    "wide": '<img src="/other.png" alt=""><img src="http://elsewhere.invalid/x.png" alt="">'
    '<p style="width:700px">wide</p>',
    "faint": '<p style="color:#999;background:#fff">faint</p>'
    '<svg class="picture" width="100" height="40"><rect width="90" height="40" fill="url(#h4)"/>'
    '<text x="10" y="20">on hatching</text></svg>',
    "keys": "<style>:focus-visible { outline: none }</style>",
    "axe": '<img src="data:,">',
}


def _write_pages(into: Path) -> None:
    """Beside the commands' pages some of a test's own, and pages with something wrong."""
    make_all(into)
    many_machines.made(many := into / "many-machines")
    page_of_many = ("--html", str(into / "many.html"), "-o", str(into / "many.txt"))
    main(["audit", str(many / "fleet"), "--kernel", "6.12", *page_of_many])
    history = History(into / "tree")
    history.commit({"hw/slw.c": c_of(BEFORE, "power10")}, "First")
    history.commit({"hw/slw.c": c_of(AFTER, "power10")}, MESSAGE)
    history.commit({"hw/slw.c": c_of("power9-dd1", "power10")}, "slw: Replace the table")
    review = ("review", "--tree", str(history.directory), "--kernel", "4.11,6.1", "--notes")
    for name, more in (("review", ()), ("review-commits", ("HEAD~2..HEAD", "--per-commit"))):
        main([*review, *more, "--html", str(into / f"{name}.html"), "-o", str(into / "r.txt")])
    booted = with_workload(recorded_boot("powernv9", into), recorded_workload())
    found = booted.sections["cpuidle"].replace("state1/latency:1", "state1/latency:0")
    result = boot_result(changed(booted, cpuidle=found), find("power9"), into)
    result = replace(result, found=held_by({"cpuidle": found}), entered={"snooze": 4})
    (into / "boot.html").write_text(page.render("boot", sheet(result), result.inputs))
    words = "<script>document.title='x'</script><img src=http://127.0.0.1/x onerror=1>"
    rows = tuple((f"{words} {number}", words) for number in range(12))
    table = Rows((words, words), rows, words)
    level = Level(words, ((0, 1), (1, 9)), (1, 9), words, (words, words))
    span = markers.levels(words, words, [level], svg.times([9], "time"))
    drawn = Picture(partial(Drawing, span, ((svg.swatch_near(), words),)), table)
    section = Section(words, (Lines((words, "x" * 3000)), table, drawn))
    hostile = Sheet(words, (words,), (section,))
    (into / "hostile.html").write_text(page.render("c", hostile, [(words, "0")]))
    (into / "zero.html").write_text(page.render("c", Sheet("zero", (), (_zero(),)), []))
    good = (into / "select.html").read_text()
    for name, wrong in BAD.items():
        text = good if name in ("script", "fetch") else re.sub("<meta http-equiv[^>]*>", "", good)
        if name == "console":
            wrong = "<script>console.log('said')</script>"
        (into / f"bad-{name}.html").write_text(text.replace("</main>", f"{wrong}</main>"))


def _zero() -> Section:
    """Returns where shapes could be cut, and lie on labels or on each other."""
    axis, up = svg.times([1000, 100_000], "p99 of something"), svg.linear(0, 0.0003, "energy")
    some = [Point(0, 0, 0, 0, "one", "one"), Point(0, 0.0003, 0.0003, 3, "other", "other")]
    crowd = [
        Point(1000 * 9**n, 0.0001 * (n % 2), 0.0001 * (n % 2), n, f"a long name {n}", "tip")
        for n in range(5)
    ]
    same = [Point(100_000, 0.0002, 0.0003, n, f"the table number {n}", "tip") for n in range(4)]
    level = Level("state: 0, 1000, 2000", ((0, 0), (1, None), (2, 1000)), (0, 100_000), "tip")
    drawings = (
        markers.points("points", "d", some, axis, up),
        markers.points("crowd", "d", crowd, axis, up),
        markers.points("same", "d", same, axis, up),
        markers.levels("levels", "d", [level, level], axis),
    )
    table = Rows(("a", "b"), (("1", "2"),), "t")
    some = [Picture(partial(Drawing, each), table) for each in drawings]
    misfits = fits.section([Misfits("table", 1, ((0, "a", 0, 1),))])
    return Section("zero", (*some, *misfits.parts))


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with all pages, and beside each what was measured of it."""
    program = found()
    if program is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} (Debian package chromium)")

    def make(into: Path) -> None:
        _write_pages(into)
        measure(program, into, into)

    return once(tmp_path_factory, "measured", make)


def told(measured: Path, name: str) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads((measured / f"{name}.json").read_text())
    return facts


@pytest.mark.parametrize("name", PAGES)
def test_nothing_said_and_nothing_asked_for(name: str, measured: Path) -> None:
    facts = told(measured, name)
    assert facts["said"] == []
    assert {address.rpartition("/")[2] for address in facts["asked"]} == {f"{name}.html"}
    assert len(facts["asked"]) == len(VIEWS)


def test_complaints_would_be_seen(measured: Path) -> None:
    """And the policy forbids what should not be there."""
    for name in ("script", "fetch"):
        facts = told(measured, f"bad-{name}")
        (said,) = facts["said"]
        assert "Content Security Policy" in said
        assert not [address for address in facts["asked"] if "other.png" in address]
    assert "said" in told(measured, "bad-console")["said"][0]
    asked = told(measured, "bad-wide")["asked"]
    assert "http://elsewhere.invalid/x.png" in asked
    assert [address for address in asked if address.endswith("/other.png")]


@pytest.mark.parametrize("name", PAGES)
def test_structure_as_written(name: str, measured: Path) -> None:
    """The browser makes the same of it as the tests' own parser."""
    written = parse((measured / f"{name}.html").read_text())
    facts = told(measured, name)
    assert facts["structure"] == {tag: len(written.all(tag)) for tag in COUNTED}
    assert facts["title"] == written.all("h1")[0].text


@pytest.mark.parametrize("view", [*VIEWS, "print"])
@pytest.mark.parametrize("name", PAGES)
def test_nothing_sticks_out(name: str, view: str, measured: Path) -> None:
    facts = told(measured, name)["layout"][view]
    assert facts["width"] == (PAPER if view == "print" else VIEWS[view][0])
    assert facts["scroll"] == facts["width"]
    for what in ("wide", "outside", "touching", "cut", "hatched"):
        assert facts[what] == [], what
    assert facts["labels"]
    if view == "print":
        # paper does not scroll
        assert facts["tables"] <= 1


def test_what_sticks_out_would_be_seen(measured: Path) -> None:
    facts = told(measured, "bad-wide")["layout"]["360"]
    assert facts["scroll"] == 712
    assert facts["wide"]
    assert told(measured, "bad-faint")["layout"]["360"]["hatched"] == ["on hatching"]


@pytest.mark.parametrize("name", PAGES)
def test_contrast_as_shown(name: str, measured: Path) -> None:
    """WCAG 2.1 AA asks for 4.5 for text and for 3 for shapes that mean something."""
    for view, facts in told(measured, name)["contrast"].items():
        assert facts["faint"] == [], view
        assert facts["measured"] > 3


def test_faint_words_would_be_seen(measured: Path) -> None:
    assert told(measured, "bad-faint")["contrast"]["360"]["faint"] == ["faint: 2.85"]


@pytest.mark.parametrize("name", PAGES)
def test_keys_reach_everything(name: str, measured: Path) -> None:
    """In the order of the page, each stop seen and named; what scrolls does so by keys, and a
    picture tells its values."""
    stops = told(measured, name)["stops"]
    written = parse((measured / f"{name}.html").read_text())
    tags = Counter(stop["tag"] for stop in stops)
    assert tags["summary"] == len(written.all("summary"))
    assert tags["a"] == len(written.all("a"))
    zooms = sum("data-zooms" in drawn.attributes for drawn in written.all("svg", "picture"))
    assert tags["div"] == len(written.all("div", "scroll")) + zooms
    sortable = [table for table in written.all("table") if len(table.rows()) > 3]
    heads = sum(len(table.all("thead")[0].all("th")) for table in sortable)
    assert tags["button"] == heads + 2 * zooms
    assert tags["input"] == sum(len(table.rows()) > 10 for table in sortable)
    assert all(stop["tip"] for stop in stops if stop["tag"] == "svg")
    assert [stop["number"] for stop in stops] == sorted(stop["number"] for stop in stops)
    for stop in stops:
        assert stop["outline"] >= 2, stop
        assert stop["visible"], stop
        assert stop["name"], stop
        assert not stop["scrolls"] or stop["moved"] > 0, stop
    if name == "replay":
        assert any(stop["scrolls"] for stop in stops)


def _numbers(cells: list[str]) -> list[float] | None:
    """Returns the numbers of a column with one unit, else None."""
    found = [each for cell in cells if (each := re.fullmatch(r"(\d+(?:\.\d+)?)( us)?", cell))]
    alike = len(found) == len(cells) and len({each[2] for each in found}) == 1
    return [float(each[1]) for each in found] if alike else None


@pytest.mark.parametrize("name", PAGES)
def test_tables_are_sorted_and_filtered(name: str, measured: Path) -> None:
    """Up, down, and as they were; the address leads to the same rows again."""
    facts = told(measured, name)
    for table in facts["used"]["tables"]:
        before = table["before"]
        for each in table["sorted"]:
            up, down, as_before = each["steps"]
            assert [step[0] for step in each["steps"]] == ["ascending", "descending", "none"]
            assert f"{table['id']}.sort={each['column']}" in up[1]
            assert table["id"] not in as_before[1]
            assert as_before[2] == before
            assert sorted(up[2]) == sorted(down[2]) == sorted(before)
            cells = [[row[each["column"]] for row in step[2]] for step in (up, down)]
            if numbers := _numbers(cells[0]):
                assert numbers == sorted(numbers)
                assert _numbers(cells[1]) == sorted(numbers, reverse=True)
        if found := table.get("filtered"):
            words = found["words"].lower()
            assert found["rows"] == [row for row in before if words in "".join(row).lower()]
            assert table["without"] == before
            assert table["again"] == found["rows"]
            assert "<script>" in table["hostile"]
    assert facts["title after"] == facts["title"]


def test_no_cell_of_a_sorted_table_loses_what_stood_above_it(measured: Path) -> None:
    (table,) = [
        each
        for each in told(measured, "select")["used"]["tables"]
        if each["id"] == "idle-length-and-selected-state-2"
    ]
    assert len(table["before"]) == 4
    assert all(row[0].startswith("interrupt, tick running") for row in table["before"])
    assert [row[2] for row in table["sorted"][-1]["steps"][1][2]] == [
        *("stop1_lite", "stop0_lite and stop1_lite in turn", "stop0_lite", "snooze"),
    ]


@pytest.mark.parametrize("name", PAGES)
def test_pictures_tell_their_values(name: str, measured: Path) -> None:
    written = parse((measured / f"{name}.html").read_text()).all("svg", "picture")
    pictures = told(measured, name)["used"]["pictures"]
    assert len(pictures) == len(written)
    for one, drawn in zip(pictures, written, strict=True):
        title, *tips = [each.text for each in drawn.all("title")]
        assert one["name"] == title
        assert {*one["told"]} == {*tips}
        assert one["left"] == ""


def test_time_line_is_zoomed(measured: Path) -> None:
    """By its buttons, as far as it was; the address says how far."""
    (zoomed,) = told(measured, "replay")["used"]["zoomed"]
    assert [each[0] for each in zoomed["steps"]] == ["Zoom in", "Zoom in", "Zoom out", "Zoom out"]
    widths = [each[1] / zoomed["width"] for each in zoomed["steps"]]
    assert widths == pytest.approx([2, 4, 2, 1])
    assert ".zoom=4" in zoomed["steps"][1][2]
    assert ".zoom" not in zoomed["steps"][3][2]
    assert zoomed["by address"] / zoomed["width"] == pytest.approx(64)


def test_page_of_many_machines_is_small(measured: Path) -> None:
    assert (measured / "many.html").stat().st_size < 1_000_000


def test_unseen_stops_would_be_seen(measured: Path) -> None:
    assert {stop["outline"] for stop in told(measured, "bad-keys")["stops"]} == {0}


@pytest.mark.parametrize("name", PAGES)
def test_prints(name: str, measured: Path) -> None:
    """Rows and pictures are not divided between sheets."""
    data = (measured / f"{name}.pdf").read_bytes()
    assert data.startswith(b"%PDF")
    assert 1 <= sheets(data) <= 14
    assert told(measured, name)["broken"] == 0
    if name == "replay":
        assert sheets(data) > 1


@pytest.mark.skipif(axe() is None, reason="no axe-core (the extra test)")
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(name: str, measured: Path) -> None:
    facts = told(measured, name)["axe"]
    assert set(facts) == {"360", "360-dark"}
    assert not any(facts.values()), facts
    assert any("image-alt" in line for line in told(measured, "bad-axe")["axe"]["360"])
