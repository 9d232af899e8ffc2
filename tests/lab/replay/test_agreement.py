"""A replay says first how true it is: to a trace, and to a recording."""

from pathlib import Path
from typing import Any

import pytest

from idle_states.cli import main
from idle_states.lab.replay.agreement import Agreement, StateAgreement
from idle_states.lab.replay.counters import StateFigures
from tests.support import DATA
from tests.support.commands import outcome
from tests.support.recordings import HEADED

SLICE = str(DATA / "traces" / "mt8196-teo.slice.txt.gz")
BEFORE = str(DATA / "traces" / "mt8196-teo.sysfs-before.txt")
AFTER = str(DATA / "traces" / "mt8196-teo.sysfs-after.txt")
ASKED = ("--governor", "teo", "--kernel", "6.6", "--hz", "1000")


def states(*usages: tuple[int, int]) -> tuple[StateAgreement, ...]:
    return tuple(
        StateAgreement(StateFigures(at, f"state{at}", a), StateFigures(at, f"state{at}", b))
        for at, (a, b) in enumerate(usages)
    )


def test_a_state_may_be_off_by_a_tenth_or_by_next_to_nothing() -> None:
    def untrue(*usages: tuple[int, int]) -> list[int]:
        found = Agreement("table", "menu of Linux 6.1", {0: (10_000, 9_000)}, states(*usages))
        return [each.traced.index for each in found.untrue]

    assert untrue((9_000, 9_900), (1_000, 900)) == []
    assert untrue((9_000, 9_901), (1_000, 899)) == [0, 1]
    # of 10,000 periods in all, ten do not matter
    assert untrue((9_997, 9_997), (3, 13), (0, 0)) == []
    assert untrue((9_997, 9_997), (3, 14), (0, 11)) == [1, 2]


def test_the_verdict_names_what_is_off() -> None:
    one = Agreement("t", "menu of Linux 6.1", {0: (60, 30), 1: (40, 40)}, states((90, 50), (0, 40)))
    assert one.verdict == (
        "Do not trust this replay: menu of Linux 6.1 chose the recorded state in only 70.00 % of "
        "periods; the usage of state0 is 50 instead of 90 (-44 %) and state1 is 40 instead of 0."
    )
    assert Agreement("t", "g", {}, ()).verdict.startswith("Reliable: g chose")


def counted(document: Any) -> dict[str, tuple[int, int]]:
    """State -> usage traced, usage modelled."""
    return {
        each["name"]: (each["traced"]["usage"], each["modelled"]["usage"])
        for each in document["truth"]["states"]
    }


def test_the_model_is_held_to_the_trace(capsys: pytest.CaptureFixture[str]) -> None:
    _, found = outcome(capsys, "replay", SLICE, BEFORE, AFTER, *ASKED)
    traced = {s["name"]: s["usage"] for s in found["observed"]["total"]["states"]}
    modelled = {s["name"]: s["usage"] for s in found["total"]["states"]}
    assert counted(found) == {name: (traced[name], modelled[name]) for name in traced}
    assert found["truth"]["periods"] == found["agreement"]["periods"]
    assert (
        sum(cpu["same_state"] for cpu in found["truth"]["cpus"].values())
        == (found["agreement"]["same_state"])
    )
    dumps: dict[str, int] = {}
    for row in found["dumps"]:
        if row["counter"] == "usage":
            dumps[row["name"]] = dumps.get(row["name"], 0) + row["dumps"]
    assert {each["name"]: each["counted"] for each in found["truth"]["states"]} == dumps


def test_another_table_is_not_what_the_trace_is_held_to(
    capsys: pytest.CaptureFixture[str],
) -> None:
    gap = ("--next-timer", "gap")
    other = ("--states", "1000/10000,2000/20000", *gap)
    _, with_other = outcome(capsys, "replay", SLICE, BEFORE, *other, *ASKED)
    _, alone = outcome(capsys, "replay", SLICE, BEFORE, *gap, *ASKED)
    assert with_other["truth"] == alone["truth"]
    assert len(with_other["tables"]) == 1
    assert with_other["total"] != alone["total"]


def test_a_recording_is_reproduced(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "recording.csv"
    path.write_text(HEADED)
    words = ("replay", str(path), "--governor", "menu")
    _, found = outcome(capsys, *words)
    assert found["exactness"] == "exact"
    assert found["truth"]["within"]
    assert all(traced == modelled for traced, modelled in counted(found).values())
    main([*words])
    printed = capsys.readouterr().out
    verdict = "Reliable: menu of Linux debian-6.1.176 chose the recorded state in 100.00 %"
    assert printed.index(verdict) < printed.index("every input of every decision")
    # held to the machine that was recorded, whatever else is replayed
    _, other = outcome(capsys, *words, "--table", "pseries-power10")
    assert other["truth"] == found["truth"]


def test_without_a_governor_there_is_nothing_to_hold(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(capsys, "replay", SLICE, BEFORE, "--kernel", "6.6")[1]["truth"] is None
