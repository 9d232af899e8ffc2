"""wult's and ndl's results, as directories and as CSV alone."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.model.findings import Unreadable
from idle_states.base.model.measured import Latency, Samples
from idle_states.lab.fit.importing import format_wult as wult
from idle_states.lab.fit.importing.formats import read_measured
from idle_states.lab.fit.importing.output import Facts
from tests.support.measurements import csv, directory, read, refused, us, whole_ns

COLUMNS = (
    "WakeLatency,SilentTime,IntrLatency,IntrOff,LDist,ReqCState,CC0%,CC1Derived%,CC1%,CC6%,"
    "PC2%,PC6%,SMICnt,NMICnt"
).split(",")
NIC = "format_version: '1.3'\ntoolname: wult\ntoolver: 1.12.40\ndevid: 0000:3b:00.0\ncpu: 7\n"
TIMER = "toolname: wult\ntoolver: 1.9.0\ncpunum: 3\ndevid: tdt\n"


def row(**changed: object) -> list[object]:
    usual: dict[str, object] = dict(
        zip(
            COLUMNS,
            "70.5,1800.0,74.25,True,1900.0,C6,0.3,0.0,0.9,97.1,8.0,60.5,0,0".split(","),
            strict=True,
        )
    )
    return list(
        {**usual, **{key.replace("_", "%"): value for key, value in changed.items()}}.values()
    )


def values(latencies: tuple[Latency, ...]) -> dict[tuple[str | None, str], tuple[float, ...]]:
    found = {}
    for latency in latencies:
        assert isinstance(latency.values, Samples)
        found[latency.state, latency.group] = latency.values.values_ns
    return found


SAMPLES = {"wult": (csv(COLUMNS, [row()]), "RTD,LDist\n1,2\n")}


def test_a_directory_says_what_woke_the_cpu(tmp_path: Path) -> None:
    (nic,) = directory(tmp_path / "a", {"info.yml": NIC, "datapoints.csv": csv(COLUMNS, [row()])})
    (timer,) = directory(
        tmp_path / "b", {"info.yml": TIMER, "datapoints.csv": csv(COLUMNS, [row()])}
    )
    assert [m.latencies[0].woken_by for m in (nic, timer)] == ["nic", "timer"]
    assert nic.tool == "wult 1.12.40"
    assert any("CPU 7" in note for note in nic.notes)
    assert any("CPU 3" in note for note in timer.notes)
    assert any("ahead of a timer" in note for note in timer.notes)
    assert all(latency.net for latency in nic.latencies)
    assert nic.latencies[0].where is not None
    assert nic.latencies[0].where.file == str(tmp_path / "a" / "datapoints.csv")
    assert nic.latencies[0].where.line == 2


def test_what_disturbed_or_demoted_is_left_out_by_reason() -> None:
    found = read(
        csv(
            COLUMNS,
            [
                row(),
                row(SMICnt=1),
                row(NMICnt=2),
                row(CC6_="50.00"),
                row(CC6_="50.01", WakeLatency="71"),
                row(PC6_="0.00", WakeLatency="33.125"),
            ],
        )
    )
    assert values(found.latencies) == {
        ("C6", wult.PACKAGE): (70_500.0, 71_000.0),
        ("C6", wult.NO_PACKAGE): (33_125.0,),
    }
    assert found.left_out == {wult.SMI: 1, wult.NMI: 1, wult.DEMOTED.format("CC6"): 1}
    assert any("16.7 % of 6 wake-ups" in note for note in found.notes)


def test_the_first_code_that_ran_counts() -> None:
    """With interrupts on it is the handler; older files write 1 and 0."""
    rows = [row(IntrOff=off, CC6_="99") for off in ("True", "1", "False", "0")]
    ((kept),) = values(read(csv(COLUMNS, rows)).latencies).values()
    assert kept == (70_500.0, 70_500.0, 74_250.0, 74_250.0)


def test_states_that_no_core_state_stands_for() -> None:
    """POLL is none, and ACPI's C2 may be any: all their wake-ups count, which is said."""
    rows = [
        row(ReqCState="POLL", IntrOff="False", CC6_="0", PC6_="0"),
        row(ReqCState="C2_ACPI", CC6_="0", PC6_="0"),
        row(ReqCState="C1E", CC6_="0", CC1_="80", PC6_="0"),
        row(ReqCState="C1E", CC6_="0", CC1_="20", PC6_="0"),
    ]
    found = read(csv(COLUMNS, rows))
    assert {state: len(kept) for (state, _), kept in values(found.latencies).items()} == {
        "POLL": 1,
        "C2_ACPI": 1,
        "C1E": 1,
    }
    assert sum("every wake-up counts" in note for note in found.notes) == 2
    assert found.left_out == {wult.DEMOTED.format("CC1"): 1}


def test_columns_are_matched_by_name() -> None:
    """In any order, raw ones beside them; CC1Derived% for want of CC1%; C8 is the core's C7."""
    names = ["TAI", "CC7%", "ReqCState", "WakeLatency", "CC1Derived%"]
    rows = [[1, "90", "C8", "130.5", "5"], [2, "0", "C1", "1.25", "97"], [3, "0", "C1", "9", "2"]]
    found = read(csv(names, rows))
    assert values(found.latencies) == {("C8", ""): (130_500.0,), ("C1", ""): (1250.0,)}


def test_a_lone_file_does_not_say_what_woke_the_cpu() -> None:
    text = csv(COLUMNS, [row()])
    assert read(text).latencies[0].woken_by == "timer"
    assert any("does not tell what woke" in note for note in read(text).notes)
    assert read(text, Facts(woken_by="nic")).latencies[0].woken_by == "nic"
    delayed = csv([*COLUMNS, "LatchDelay"], [[*row(), "0.3"]])
    assert read(delayed).latencies[0].woken_by == "nic"


@given(st.lists(st.tuples(whole_ns(), st.booleans()), min_size=1, max_size=20))
def test_what_was_written_is_read(rows: list[tuple[int, bool]]) -> None:
    text = csv(
        COLUMNS,
        [row(WakeLatency=us(value), PC6_="12.5" if deep else "0.0") for value, deep in rows],
    )
    found = values(read(text).latencies)
    for deep, group in ((True, wult.PACKAGE), (False, wult.NO_PACKAGE)):
        assert found.get(("C6", group), ()) == tuple(float(v) for v, d in rows if d == deep)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (csv(COLUMNS, [row(WakeLatency="-1")]), 2, "WakeLatency in us, a number of 0 or more"),
        (csv(COLUMNS, [row(), row(WakeLatency="nan")]), 3, "found 'nan'"),
        (csv(COLUMNS, [row(WakeLatency="1e30")]), 2, "at most 1e+18"),
        (csv(COLUMNS, [row(IntrOff="maybe")]), 2, "IntrOff, True or False"),
        (csv(COLUMNS, [row(SMICnt="0.5")]), 2, "SMICnt, a whole number"),
        (csv(COLUMNS, [row()[:-1], row()]), 2, "expected 14 columns, found 13"),
        (csv(COLUMNS, []), None, "expected rows"),
        (csv([*COLUMNS, "LDist"], []), 1, "columns of different names"),
        (csv(COLUMNS, [row(ReqCState="")]), 2, "the name of an idle state"),
    ],
)
def test_what_is_wrong_has_its_place(text: str, line: int | None, message: str) -> None:
    why, where = refused(text)
    assert message in why
    assert where == line


def test_only_a_last_line_may_be_cut() -> None:
    text = csv(COLUMNS, [row(), row()])[:-20]
    found = read(text)
    assert len(values(found.latencies)["C6", wult.PACKAGE]) == 1
    assert found.left_out == {wult.CUT: 1}


def test_ndl_is_no_exit_latency(tmp_path: Path) -> None:
    text = "RTD,LDist\n19.5,3100.0\n"
    assert "memory's path" in refused(text)[0]
    with pytest.raises(Unreadable, match="no CPU's exit latency"):
        directory(tmp_path, {"info.yml": "toolname: ndl\n", "datapoints.csv": text})


def test_a_directory_that_holds_nothing(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="found none of them"):
        directory(tmp_path, {"notes.txt": "hello\n"})
    with pytest.raises(Unreadable, match="readable file"):
        read_measured(tmp_path / "missing")


def test_a_directory_of_files_gives_each(tmp_path: Path) -> None:
    text = csv(COLUMNS, [row()])
    found = directory(tmp_path, {"b.csv": text, "a.csv": text, "notes.txt": "hello\n"})
    assert [Path(measured.file).name for measured in found] == ["a.csv", "b.csv"]
    assert any("notes.txt" in note for note in found[0].notes)
