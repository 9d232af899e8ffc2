"""What is said before slow work where the compiled core is missing."""

from pathlib import Path
from typing import Any

import pytest

from idle_states import core
from idle_states.cli import missing_core
from idle_states.cli.missing_core import Trial, note_missing_core
from idle_states.linux.governors import Governor
from idle_states.linux.governors.given import GovernorRequest, given_states
from idle_states.linux.governors.interface import Decision, Situation
from idle_states.linux.releases import release
from idle_states.selection.request import SelectRequest, selections
from idle_states.selection.selection import Asked
from tests.support.thorough import few


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "available", lambda: False)
    monkeypatch.setattr(core, "can_replay", lambda governor: False)
    monkeypatch.setattr(missing_core, "perf_counter", Clock())


class Clock:
    """Seconds that pass where a trial says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def work(self, seconds: float) -> None:
        self.now += seconds


@pytest.mark.parametrize(
    ("least", "whole", "each", "once", "expected"),
    [
        (10, 10_000_000, 1e-4, 0.0, 1000),
        (10, 10_000_000, 1e-4, 0.004, 1000.004),
        (1_000, 1_000_000, 1e-3, 0.0, 1000),
        (10, 15, 1e-4, 0.0, 0.0015),
        (10, 100, 1e-4, 0.5, 5.01),
    ],
)
def test_the_whole_takes_what_parts_take(
    least: int, whole: int, each: float, once: float, expected: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """What is done whatever the size counts once; but where even the least part takes long, as all
    of it."""
    clock, tried = Clock(), []
    monkeypatch.setattr(missing_core, "perf_counter", clock)

    def part(size: int) -> None:
        tried.append(size)
        clock.work(once + size * each)

    seconds, share = Trial(part, least, whole).estimate()
    assert seconds == pytest.approx(expected, rel=1e-6)
    assert share == max(tried) / whole
    assert max(tried) <= whole
    assert sum(tried) * each < 0.3 or max(tried) == least


@pytest.mark.usefixtures("without")
@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.3, "in less than a second"),
        (1.4, "in about 1 s, going by 30 % of it"),
        (43.2, "in about 40 s, going by 30 % of it"),
        (95, "in about 2 minutes, going by 30 % of it"),
        (3700, "in about 60 minutes, going by 30 % of it"),
        (30_000, "in about 8 hours, going by 30 % of it"),
        (250_000, "in about 3 days, going by 30 % of it"),
    ],
)
def test_about(seconds: float, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    clock = missing_core.perf_counter
    assert isinstance(clock, Clock)
    note_missing_core(lambda: Trial(lambda _: clock.work(seconds / 3), 1, 3))
    said = capsys.readouterr().err
    assert said.count(f"the reference does its work, {words}. To get the core: ") == 1


@pytest.mark.parametrize(
    ("kernels", "asked"),
    few(
        1,
        [
            (("6.12",), {}),
            (("5.10", "5.10.1", "6.12"), {}),
            (("6.12",), {"limits_us": (3,), "timers_ns": (300_000,), "idles_ns": (50_000,)}),
        ],
    ),
)
def test_maps_take_as_many_decisions_as_a_part_tells(
    kernels: tuple[str, ...], asked: dict[str, Any], without: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = in_decisions(monkeypatch)
    of = GovernorRequest("menu", states=given_states("2000/20000,10000/100000", polling=True))
    request = SelectRequest(of, tuple(release(kernel) for kernel in kernels), Asked(**asked))
    trial = missing_core.of_selection(request)
    assert trial is not None
    told, share = trial.estimate()
    tried, clock.now = clock.now, 0.0
    selections(request)
    assert tried < clock.now / 2
    assert told == pytest.approx(clock.now, rel=0.3)
    assert 0 < share < 0.5


@pytest.mark.parametrize("governor", ["teo", "ladder"])
def test_of_lengths_run_together_no_part_tells(governor: str) -> None:
    of = GovernorRequest(governor, states=given_states("2000/20000"))
    assert missing_core.of_selection(SelectRequest(of, (release("6.12"),), Asked())) is None


def in_decisions(monkeypatch: pytest.MonkeyPatch) -> "Clock":
    """A clock of 20 us a decision of the reference."""
    clock, select = missing_core.perf_counter, Governor.select
    assert isinstance(clock, Clock)

    def counted(governor: Governor, situation: Situation) -> Decision:
        clock.work(20e-6)
        return select(governor, situation)

    monkeypatch.setattr(Governor, "select", counted)
    return clock


@pytest.mark.usefixtures("without")
def test_a_decision_where_the_whole_is_not_known(capsys: pytest.CaptureFixture[str]) -> None:
    note_missing_core()
    assert " us a decision. To get the core: " in capsys.readouterr().err


@pytest.mark.usefixtures("without")
def test_input_that_cannot_be_read_is_left_to_the_command(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from idle_states.replay.request import ReplayRequest

    (trace := tmp_path / "trace.txt").write_bytes(b"no trace\n" * 20_000)
    note_missing_core(lambda: missing_core.of_replay(ReplayRequest((str(trace),), tables=("no",))))
    assert " us a decision. To get the core: " in capsys.readouterr().err


def test_there_is_nothing_to_say_with_the_core(capsys: pytest.CaptureFixture[str]) -> None:
    if not core.available():
        pytest.skip("the core is not there")
    note_missing_core(lambda: pytest.fail("tried"))
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("content", "name"), [(b"short\n", "a"), (b"\0" * 100_000, "b"), (b"a\n" * 50_000, "c.gz")]
)
def test_no_part_of_what_cannot_be_cut(content: bytes, name: str, tmp_path: Path) -> None:
    from idle_states.replay.request import ReplayRequest

    (tmp_path / name).write_bytes(content)
    assert missing_core.of_replay(ReplayRequest((str(tmp_path / name),))) is None
    assert missing_core.of_replay(ReplayRequest(("-",))) is None
