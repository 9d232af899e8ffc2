"""A commit's message against its change: what is named, what is claimed."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from idle_states.base.model.findings import Finding
from idle_states.base.model.table import IdleTable
from idle_states.base.model.units import UNITS_NS
from idle_states.base.reading.git.commits import Commit
from idle_states.change.review.claims.prose import sentences
from idle_states.change.review.claims.states import covers_state, names_state
from idle_states.change.review.claims.times import times_set
from idle_states.change.review.message import check_message
from idle_states.change.review.rows import changed_rows
from idle_states.tables.rules.catalogue import rule_named
from idle_states.tables.skiboot import c_table
from idle_states.tables.sources import Source
from idle_states.tables.spec.library import find
from tests.support import rule_pages as pages
from tests.support.thorough import few


@pytest.mark.parametrize(
    ("text", "named", "not_named"),
    [
        ("Increase stop4-5 residency", ["stop4", "stop5"], ["stop0", "stop2"]),
        ("Limit to STOP0/1/2 here", ["stop0", "stop1", "stop2"], ["stop3", "stop0_lite"]),
        ("Only stop[0,1]_lite are supported", ["stop0_lite", "stop1_lite"], ["stop0", "stop1"]),
        ("stop4 to stop8 are slow", ["stop4", "stop5", "stop8"], ["stop11"]),
        ("stop4, stop5 and stop11", ["stop4", "stop5", "stop11"], ["stop8"]),
        ("the latency of stop0_lite is 1us", ["stop0_lite"], ["stop0", "stop1_lite"]),
        ("stop0 lite usage = 3", ["stop0_lite"], ["stop0"]),
        ("on stop2, 5 ms later", ["stop2"], ["stop4", "stop0"]),
        ("stop12 is no stop1", ["stop12", "stop1"], ["stop2"]),
        ("unstop4able stop_5", [], ["stop4", "stop5"]),
        ("Enable fast sleep", ["fastsleep_"], ["nap", "winkle"]),
        ("A nap is short", ["nap"], ["fastsleep_"]),
        ("kidnapped", [], ["nap"]),
    ],
)
def test_states_that_a_message_names(text: str, named: list[str], not_named: list[str]) -> None:
    names = [*named, *not_named]
    assert [name for name in names if names_state(text, name)] == named


@pytest.mark.parametrize(
    ("text", "state", "covered"),
    [
        ("Set PSSCR for each idle state", "stop4", True),
        ("Adjust all P9 stop states", "stop4", True),
        ("the remaining states follow", "winkle", True),
        ("Lite states keep their resources", "stop1_lite", True),
        ("Lite states keep their resources", "stop1", False),
        ("the difference between these states", "stop1", False),
        ("Overall the change is small", "stop1", False),
    ],
)
def test_groups_that_a_message_speaks_of(text: str, state: str, covered: bool) -> None:
    assert covers_state(text, state) is covered


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Raise the latency of stop4 to 1us.", [("latency", None, 1000, 0)]),
        ("Bump its residency from 1ms to 10ms.", [("residency", 10**6, 10**7, 0)]),
        ("Increase the residency from 1 to 10ms", [("residency", 10**6, 10**7, 0)]),
        ("stop4 goes from 1.5 us to 2 us", [("", 1500, 2000, 0)]),
        ("latency: 200ns -> 1us", [("latency", 200, 1000, 0)]),
        ("Increase stop4-5 residency by 10x", [("residency", None, 0, 10)]),
        (
            "Set the latency to 1us and the target residency to 10us",
            [("latency", None, 1000, 0), ("residency", None, 10_000, 0)],
        ),
        ("x\n\nSet stop4's latency to\n9 \N{MICRO SIGN}s.", [("latency", None, 9000, 0)]),
        # mentioned, not set
        ("The wake-up latency was measured as 17us", []),
        ("Residency is 10us today. We set the flag to 1", []),
        ("Throughput went from 5 to 9 seconds", []),
        ("Reduce latency by 5%", []),
        ("Reduce the latency. It took 10us.", []),
        ("Correct it\n\n> set the latency to 3us\n", []),
        ("Correct it\n\nSigned-off-by: set latency to 3us <a@example.com>", []),
        ("Set latency_1us_residency_10us", []),
        ("", []),
    ],
)
def test_numbers_that_a_message_sets(
    text: str, expected: list[tuple[str, int | None, int, int]]
) -> None:
    found = [
        said
        for sentence in sentences(text)
        if sentence.kind != "other"
        for said, _, _ in times_set(sentence.text)
    ]
    assert [(c.field, c.old_ns, c.new_ns, c.factor) for c in found] == expected


def source(table: IdleTable) -> Source:
    """Returns rows as they are read from C, so that they have places."""
    [read] = c_table.read(c_table.write([table]), "hw/slw.c")
    return Source(read.name, "hw/slw.c", "", read)


def with_times(table: IdleTable, times: dict[str, tuple[int, int]]) -> IdleTable:
    states = tuple(
        replace(s, latency_ns=times[s.name][0], residency_ns=times[s.name][1])
        if s.name in times
        else s
        for s in table.states
    )
    return replace(table, states=states)


def complaints(
    message: str,
    before: dict[str, tuple[int, int]],
    after: dict[str, tuple[int, int]],
) -> list[Finding]:
    a, b = (source(with_times(find("power9"), times)) for times in (before, after))
    commit = Commit("1" * 40, "0" * 40, message, date=datetime(2017, 4, 20, tzinfo=UTC))
    return [finding for finding, _ in check_message(commit, list(changed_rows(a, b)), []).judged]


def example(code: str, title: str) -> list[Finding]:
    """A page's example: a message, and rows as NAME A/B -> C/D."""
    loaded = rule_named(code)
    assert loaded
    lines = pages.sections(loaded.page)[title].splitlines()
    rows = [line.split() for line in lines if "/" in line and "->" in line]
    assert all(len(row) == 4 for row in rows)
    message = "\n".join(line for line in lines if line.split() not in rows)
    assert rows
    before, after = ({row[0]: times(row[i]) for row in rows} for i in (1, 3))
    return complaints(message, before, after)


def times(text: str) -> tuple[int, int]:
    values = []
    for part in text.split("/"):
        number = part.rstrip("nums")
        values.append(int(number) * UNITS_NS[part[len(number) :]])
    return values[0], values[1]


@pytest.mark.parametrize("code", ["IS510", "IS511", "IS512", "IS513", "IS514", "IS515", "IS516"])
def test_rule_is_as_its_page_says(code: str) -> None:
    loaded = rule_named(code)
    assert loaded
    found = example(code, "Example")
    assert [f.rule for f in found] == [code]
    assert (found[0].name, found[0].severity) == (loaded.rule.name, loaded.rule.severity)
    assert found[0].confidence == loaded.rule.confidence
    assert example(code, "Use instead") == []


def test_unmentioned_state_is_shown_where_it_changed() -> None:
    before = {"stop0_lite": (200, 2000), "stop0": (300, 3000)}
    [found] = complaints("slw: Modify stop0_lite", before, {})
    assert found.location.path == "power9_cpu_idle_states[1].latency_ns"
    assert found.location.line
    assert "stop0 too" in found.message
    assert "latency 300ns -> 2us, residency 3us -> 20us" in found.message


def test_message_without_states_is_taken_at_its_word() -> None:
    before = {"stop0_lite": (200, 2000), "stop0": (300, 3000)}
    assert complaints("slw: Modify latencies", before, {}) == []


@pytest.mark.parametrize(
    ("message", "complained"),
    [
        ("Raise the latency of stop4 to 100us", False),
        ("Raise the latency of stop4 to 101us", True),
        ("Raise the latency of stop4 from 10us to 100us", False),
        ("Raise the latency of stop4 from 20us to 100us", True),
        # both numbers occur, but not together
        ("Raise the latency of stop4 from 1ms to 100us", True),
        ("Raise the latency of stop4 by 10x", False),
        ("Raise the latency of stop4 by 5x", True),
        ("Raise the residency of stop4 to 100us", True),
    ],
)
def test_numbers_are_held_against_the_change(message: str, complained: bool) -> None:
    found = complaints(message, {"stop4": (10_000, 1_000_000)}, {"stop4": (100_000, 10_000_000)})
    assert [f.rule for f in found] == ["IS511"] * complained


@pytest.mark.parametrize(
    ("message", "complained"),
    [
        ("slw: Tidy up\n\nNo functional changes intended.", True),
        ("slw: Tidy up\n\nThere should be no\nbehavioural change.", True),
        ("slw: Tidy up (NFC)", True),
        ("slw: Tidy up\n\nThis is just a cleanup.", True),
        ("slw: Tidy up\n\nNFC.", True),
        # of a part, or of something else
        ("slw: Tidy up\n\nNo functional change but for stop4.", False),
        ("slw: Tidy up\n\nNo functional change on POWER8.", False),
        ("slw: Tidy up\n\nClean up the NFC reader's states.", False),
        ("slw: Tidy up\n\n> No functional change", False),
    ],
)
def test_of_a_change_announced_as_none(message: str, complained: bool) -> None:
    found = complaints(message, {"stop4": (10_000, 1_000_000)}, {"stop4": (20_000, 1_000_000)})
    assert [f.rule for f in found] == ["IS516"] * complained
    if complained:
        assert found[0].message.endswith("but states change: stop4: latency 10us -> 20us")
    assert complaints(message, {}, {}) == []


@pytest.mark.parametrize(
    "part",
    few(
        2,
        ["stop1 - - ", "\n>x", "stop1 and to ", "latency ", "latency to 1", "from 1us ", "all a "],
    ),
)
def test_message_that_goes_on_and_on(part: str) -> None:
    """Ends; nothing is tried in every way."""
    message = f"stop4\n\n{part * 100_000}"
    assert names_state(message, "stop4")
    assert complaints(message, {"stop4": (10_000, 1_000_000)}, {}) == []
