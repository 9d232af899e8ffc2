"""What is said before slow work where the compiled core is missing."""

from pathlib import Path

import pytest

from idle_states import core
from idle_states.cli import missing_core
from idle_states.cli.missing_core import Trial, note_missing_core


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "available", lambda: False)
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

    assert Trial(part, least, whole).seconds() == pytest.approx(expected, rel=1e-6)
    assert max(tried) <= whole
    assert sum(tried) * each < 0.3 or max(tried) == least


@pytest.mark.usefixtures("without")
@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.3, "in less than a second"),
        (1.4, "in about 1 s"),
        (43.2, "in about 40 s"),
        (95, "in about 2 minutes"),
        (3700, "in about 60 minutes"),
        (30_000, "in about 8 hours"),
        (250_000, "in about 3 days"),
    ],
)
def test_about(seconds: float, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    clock = missing_core.perf_counter
    assert isinstance(clock, Clock)
    note_missing_core(lambda: Trial(lambda _: clock.work(seconds), 1, 1))
    said = capsys.readouterr().err
    assert said.count(f"the reference does its work, {words}. To get the core: ") == 1


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
