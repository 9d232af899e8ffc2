"""intel_idle.table=: what is accepted, what is refused, and what the log says.

Random values are held to the driver's own code in test_intel_idle_oracle."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.cli import main
from idle_states.tables.linux.intel_idle.known import known_tables
from idle_states.tables.linux.intel_idle.table_parameter import (
    MOST_BYTES,
    Adjustable,
    Adjusted,
    adjusted,
    unfit,
)

POLL = Adjustable("POLL", 0, 0)
SKX = (POLL, Adjustable("C1", 2, 2), Adjustable("C1E", 10, 20), Adjustable("C6", 133, 600))


def times(result: Adjusted) -> list[tuple[int, int]]:
    return [(each.exit_latency_us, each.target_residency_us) for each in result.states[1:]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C6:150:600", [(2, 2), (10, 20), (150, 600)]),
        ("C1E::21,C6:140:", [(2, 2), (10, 21), (140, 600)]),
        ("C6:0x90:0700", [(2, 2), (10, 20), (144, 448)]),
        ("C6:150:600:1:2:3", [(2, 2), (10, 20), (150, 600)]),
        ("C6:150:600,C6:151:601", [(2, 2), (10, 20), (151, 601)]),
        ("C9:1:1,C6:+150:600\n", [(2, 2), (10, 20), (150, 600)]),
        ("POLL:1:1,C1:1:1", [(1, 1), (10, 20), (133, 600)]),
        ("C6:5000:100000", [(2, 2), (10, 20), (5000, 100000)]),
    ],
)
def test_accepted(text: str, expected: list[tuple[int, int]]) -> None:
    result = adjusted(SKX, text)
    assert result.verdict == "accepted"
    assert times(result) == expected
    assert result.messages[-1].text == (
        "intel_idle: Adjusted C-states with data from 'intel_idle.table'"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("C6:150:100", "C-state 'C6' validation failed"),
        ("C6:5001:9000", "C-state 'C6' validation failed"),
        ("C6:133:100001", "C-state 'C6' validation failed"),
        ("C1:0:2", "C-state 'C1' validation failed"),
        ("C6:10:600", "C-state 'C6' validation failed"),
        ("C6:133:20", "C-state 'C6' validation failed"),
        ("C6:150:600:1:2:3:4", "Too many fields for C-state 'C6'"),
        ("C6:150:600,", ""),
        ("C6:150", ""),
        ("C6", ""),
        ("C6:150:600 quiet", ""),
        ("C6:-1:600", ""),
        ("C6:08:600", ""),
        ("C6:4294967296:600", ""),
    ],
)
def test_refused_and_nothing_changes(text: str, said: str) -> None:
    result = adjusted(SKX, text)
    assert (result.verdict, result.states) == ("refused", SKX)
    *before, last = (message.text.removeprefix("intel_idle: ") for message in result.messages)
    assert last == "Failed to adjust C-states with data from 'intel_idle.table'"
    assert said in ("", *before)


def test_length() -> None:
    entry = "C6:150:600,"
    fits = entry * 23 + "C9"
    assert len(fits) == MOST_BYTES
    assert adjusted(SKX, fits).verdict == "refused"
    assert adjusted(SKX, fits + ":").verdict == "too long"
    assert adjusted(SKX, "").verdict == "absent"


@given(st.binary(max_size=40).map(lambda tail: b"C6:" + tail))
def test_any_bytes_leave_all_states_or_valid_ones(text: bytes) -> None:
    result = adjusted(SKX, text)
    assert [state.name for state in result.states] == [state.name for state in SKX]
    assert unfit(result.states) == ()
    if result.verdict != "accepted":
        assert result.states == SKX


def test_tables_that_refuse_what_does_not_mend_them() -> None:
    """Linux 7.3 registers all rows of the table."""
    found = {}
    for table in known_tables():
        if "7.3.4" in table.releases:
            rows = [row for row in table.rows if "U" not in row.flags]
            states = (POLL, *(Adjustable(row.name, *row.times) for row in rows))
            found[table.name] = unfit(states)
            refused = adjusted(states, f"{rows[0].name}::").verdict == "refused"
            assert refused == bool(found[table.name])
    assert {name: states for name, states in found.items() if states} == {
        "snb_cstates": ("C7",),
        "ivb_cstates": ("C7",),
        "skl_cstates": ("C8", "C10"),
        "byt_cstates": ("C6N", "C7S"),
        "cht_cstates": ("C7S",),
        "tangier_cstates": ("C9",),
        "bxt_cstates": ("C10",),
    }


def test_show_says_what_a_value_must_change(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = []
    for number, (name, time) in enumerate((("POLL", 0), ("C1_ACPI", 1), ("C2_ACPI", 1))):
        for key, value in (("name", name), ("latency", time), ("residency", time)):
            lines.append(f"/sys/devices/system/cpu/cpu0/cpuidle/state{number}/{key}:{value}")
    (tmp_path / "dump.txt").write_text("\n".join(lines) + "\n")
    assert main(["show", str(tmp_path / "dump.txt")]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "is refused here unless it also changes C2_ACPI: every state's times" in shown
