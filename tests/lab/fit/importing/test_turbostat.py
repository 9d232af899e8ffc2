"""turbostat's power, of a state that the caller names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.lab.fit.importing import format_turbostat as turbostat
from idle_states.lab.fit.importing.output import Facts
from tests.support.measurements import damaged, read, read_or_refused, refused

TURBOSTAT = (
    "turbostat version 2025.06.08 - somebody\nusec: 250 ms\n"
    "Core\tCPU\tBusy%\tPOLL\tC6\tC6+\tC6-\tPOLL%\tC6%\tCPU%c6\tPkg%pc6\tPkgWatt\n"
    "-\t-\t1.10\t4\t300\t0\t12\t0.02\t98.20\t90.00\t60.00\t24.00\n"
    "0\t0\t1.00\t3\t200\t0\t9\t0.01\t98.50\t91.00\t60.00\t24.00\n"
    "0\t1\t1.20\t1\t100\t0\t3\t0.03\t97.90\n"
    "Core\tCPU\tBusy%\tPOLL\tC6\tC6+\tC6-\tPOLL%\tC6%\tCPU%c6\tPkg%pc6\tPkgWatt\n"
    "-\t-\t1.10\t6\t100\t0\t8\t0.04\t96.20\t(neg)\t62.00\t26.00\n"
    "0\t0\t1.00\t6\t90\t0\t8\t0.05\t96.50\t93.00\t62.00\t26.00\n"
    "0\t1\t1.20\t0\t10\t0\t0\t0.03\t95.90\n"
)
SAMPLES = {"turbostat": (TURBOSTAT, "PkgWatt\n3.00\n")}
FORCED = Facts(state="C6", period_ns=1e6)


def test_power_that_belongs_to_no_state_is_a_note() -> None:
    found = read(TURBOSTAT)
    assert found.energies == ()
    assert any("package 25.00 W" in note for note in found.notes)


def test_power_of_a_state_that_the_caller_names() -> None:
    assert read(TURBOSTAT, FORCED).left_out == {turbostat.UNTIMED: 2}
    timed = "Time_Of_Day_Seconds\tCore\tCPU\tPkgWatt\n100.5\t-\t-\t20.00\n105.5\t-\t-\t22.00\n"
    found = read(timed, FORCED)
    assert [(one.watts, one.seconds, one.domain) for one in found.energies] == [
        (22.0, 5.0, "package")
    ]
    assert found.left_out == {turbostat.UNTIMED: 1}
    asked = "turbostat version 2024.12.03 - somebody\nMeasurement interval: 5.000 seconds\n" + timed
    found = read(asked, FORCED)
    assert [one.seconds for one in found.energies] == [5.0, 5.0]
    assert found.tool == "turbostat 2024.12.03"
    joules = "12.500000 sec\nCore\tCPU\tPkg_J\n-\t-\t250.00\n"
    (one,) = read(joules, FORCED).energies
    assert (one.state, one.period_ns, one.watts, one.seconds) == ("C6", 1e6, 20.0, 12.5)


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10_000)), min_size=1, max_size=9))
def test_rows_that_were_written_are_read(rows: list[tuple[int, int]]) -> None:
    """Wake-ups are the mean of the CPUs' entries, power that of the row of all CPUs."""
    text = "10.000000 sec\nCPU\tC6\tPkgWatt\n-\t1\t50.25\n"
    text += "".join(
        f"{cpu}\t{count}\t{watts // 100}.{watts % 100:02}\n"
        for cpu, (count, watts) in enumerate(rows)
    )
    (one,) = read(text, FORCED).energies
    assert one.wakeups == round(sum(count for count, _ in rows) / len(rows))
    assert (one.watts, one.seconds) == (50.25, 10.0)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (TURBOSTAT.replace("24.00\n0", "-24\n0", 1), 4, "PkgWatt, a number"),
        (TURBOSTAT.replace("97.90\n", "97.90\t1\t1\t1\t1\n"), 6, "at most 12 columns"),
        (TURBOSTAT.replace("0\t1\t1.20\t1", "0\tx\t1.20\t1"), 6, "CPU, a whole number"),
        ("CPU\tBusy%\n-\t3.0\n", 2, "columns of power"),
    ],
)
def test_what_is_wrong_has_its_place(text: str, line: int, message: str) -> None:
    why, where = refused(text)
    assert message in why
    assert where == line


def test_damage_is_refused_or_read() -> None:
    for broken in damaged(TURBOSTAT):
        read_or_refused(broken)
        read_or_refused(broken, FORCED)
