"""Tests of what the measuring script hands over."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.model.measured import Claimed, Samples
from idle_states.lab.fit.importing import format_own as own
from idle_states.lab.fit.measured_form import COLUMNS, END, FORMAT
from tests.support.measurements import damaged, read, read_or_refused, refused, whole_ns

HEAD = (
    f"{FORMAT}\n# tool: idle-states 0.2\n# machine: Board\n# cpu_model: X, v2\n# release: 7.1.5\n"
    "# emulated: no\n# state: cpu=1 state=0 latency=0 residency=0 disable=1 name=POLL\n"
    "# state: cpu=1 state=1 latency=3 residency=9 disable=0 name=a state\n"
    f"# left_out: 12 another state was entered\n# note: it was warm\n{','.join(COLUMNS)}\n"
)
ROWS = ",timer,1,1420,\na state,timer,0,2130,1000412\na state,ipi,0,3110,998120\n"


def test_everything_that_the_form_has() -> None:
    found = read(f"{HEAD}{ROWS}{END}\n")
    assert (found.tool, found.machine, found.kernel) == ("idle-states 0.2", "Board, X, v2", "7.1.5")
    assert found.claims == (Claimed("POLL", 0.0, 0.0), Claimed("a state", 3000.0, 9000.0))
    assert found.left_out == {"another state was entered": 12}
    assert found.notes == ("it was warm",)
    assert [(one.state, one.woken_by, one.busy, one.values) for one in found.latencies] == [
        (None, "timer", True, Samples((1420.0,))),
        ("a state", "timer", False, Samples((2130.0,))),
        ("a state", "ipi", False, Samples((3110.0,))),
    ]
    assert found.latencies[1].where is not None
    assert found.latencies[1].where.line == HEAD.count("\n") + 2


@pytest.mark.parametrize(
    ("name", "counter", "share", "kept"),
    [
        ("C6", "c6", "0.300", False),
        ("C6", "c6", "0.931", True),
        ("C1E", "c1", "0.100", False),
        ("C10", "c7", "0.200", False),
        ("C6", "c3", "0.001", True),
        ("a state", "c6", "0.001", True),
    ],
)
def test_a_state_that_hardware_did_not_reach_is_left_out(
    name: str, counter: str, share: str, kept: bool
) -> None:
    reached = f"# reached: state=1 counter={counter}-residency of_idle={share} name={name}\n"
    rows = ROWS.replace("a state", name)
    found = read(f"{HEAD.replace('# note', reached + '# note')}{rows}{END}\n")
    assert [one.state for one in found.latencies] == [None, *([name, name] if kept else [])]
    why = "hardware was in the state for less than half of its idle time"
    assert found.left_out.get(why, 0) == (0 if kept else 2)


def test_frequency_and_steps_are_said() -> None:
    more = "# frequency_khz: 800000 to 3500000\n# frequency_governor: schedutil\n"
    more += "# resolution_ns: 41.75\n# note"
    found = read(f"{HEAD.replace('# note', more)}{ROWS}{END}\n")
    assert "the CPU ran with 800000 to 3500000 kHz, by schedutil" in found.notes
    assert "times are in steps of 41.75 ns, as the clock has them" in found.notes


def test_what_an_emulator_measured_is_said() -> None:
    text = HEAD.replace("emulated: no", "emulated: QEMU") + ROWS + END
    assert "QEMU" in read(text).notes[0]


def test_a_file_that_was_cut_short_says_so() -> None:
    found = read(f"{HEAD}{ROWS}a state,ipi,0,31")
    assert own.CUT in found.notes
    assert found.left_out["the last line, which is cut off"] == 1
    assert len(found.latencies) == 3


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(("timer", "ipi")), whole_ns())))
def test_what_was_written_is_read(rows: list[tuple[str, str, int]]) -> None:
    text = HEAD + "".join(f"{state},{by},0,{value},5\n" for state, by, value in rows) + f"{END}\n"
    found = read(text)
    kept = {(one.state, one.woken_by): one.values for one in found.latencies}
    for state, by in {(state, by) for state, by, _ in rows}:
        wanted = tuple(float(value) for s, b, value in rows if (s, b) == (state, by))
        assert kept.pop((state, by)) == Samples(wanted)  # type: ignore[call-overload]
    assert not kept
    assert own.CUT not in found.notes


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (HEAD.replace("measured 1", "measured 2"), 1, "idle-states measured 1"),
        (HEAD.replace("latency=3", "latency=x"), 8, "expected cpu=N"),
        (HEAD.replace("# left_out: 12", "# left_out: some"), 9, "a number and a reason"),
        (HEAD + "a,timer,0,-1,\n\n", 12, "a latency in ns"),
        (HEAD + "a,bell,0,1,\n\n", 12, "one of timer"),
        (HEAD + "a,ipi,2,1,\n\n", 12, "busy, 0 or 1"),
        (HEAD + ",ipi,0,1,\n\n", 12, "name of an idle state"),
        (HEAD + "a,ipi,0,1\n\n", 12, "expected 5 columns, found 4"),
        (f"{HEAD}{END}\n1\n", 13, "nothing after"),
        (HEAD.replace("state,woken_by", "state,by"), 11, "the columns"),
        (f"{FORMAT}\n", None, "the columns"),
    ],
)
def test_what_is_wrong_has_its_place(text: str, line: int | None, message: str) -> None:
    why, where = refused(text)
    assert message in why
    assert where == line


SAMPLES = {"own": (HEAD,)}


def test_damage_is_refused_or_read() -> None:
    for text in damaged(f"{HEAD}{ROWS}{END}\n"):
        read_or_refused(text)
