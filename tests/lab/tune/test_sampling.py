"""tune over a sample of the idle periods: what is in it, what it finds, and what is said of it."""

import math
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.base.dataclass import replace
from idle_states.base.reading.inputs import Input
from idle_states.cli import main
from idle_states.lab.replay.machine import CpuTable, from_times
from idle_states.lab.replay.replay import Settings
from idle_states.lab.tune import evaluate as evaluating
from idle_states.lab.tune.candidates import Grid
from idle_states.lab.tune.evaluate import Candidate, EvaluationTask, Outcomes, evaluate
from idle_states.lab.tune.objective import ENERGY, LATENCY, WEIGHTED, Objective
from idle_states.lab.tune.sampling import sample
from idle_states.lab.tune.search import Run, Tuned, search
from idle_states.lab.tune.source import CpuGaps, read
from idle_states.tables.linux.governors import core
from idle_states.tables.linux.governors.core.packing import PERIOD, SETTLES
from idle_states.tables.linux.governors.interface import Outcome
from idle_states.tables.linux.releases import release
from idle_states.tables.power import figures as power_figures
from tests.lab.traces.test_trace_readers import EXIT_STATE, line, text
from tests.support.commands import document
from tests.support.compiled import NO_CORE
from tests.support.thorough import examples
from tests.support.tuning import RECORDING


def traced(lengths: Sequence[int], number: int = 0) -> CpuGaps:
    """One CPU, 20 us of running between idle periods."""
    periods, clock = array("Q"), 10**9
    for length in lengths:
        periods.extend((clock, clock + length, 1))
        clock += length + 20_000
    return CpuGaps(number, periods=periods.tobytes())


def starts(cpus: Sequence[CpuGaps]) -> list[tuple[int, int]]:
    """(CPU, start) of all idle periods that are counted."""
    return [
        (cpu.number, row[0])
        for cpu in cpus
        for row, settles in zip(
            PERIOD.iter_unpack(cpu.periods), cpu.periods[SETTLES :: PERIOD.size], strict=True
        )
        if not settles
    ]


@settings(max_examples=examples(60, 150))
@given(st.lists(st.integers(1, 3_000), min_size=1, max_size=6), st.integers(1, 9_000))
def test_each_part_has_its_share(sizes: list[int], wanted: int) -> None:
    cpus = [traced([1_000] * size, number) for number, size in enumerate(sizes)]
    every = starts(cpus)
    found = sample(cpus, wanted)
    if len(every) <= wanted:
        assert found is None
        return
    assert found is not None
    taken = starts(found.cpus)
    assert len(taken) == found.idles <= wanted
    assert found.of == len(every)
    assert found.idles > wanted - 64 - wanted // 64
    where = {at: place for place, at in enumerate(every)}
    places = [where[at] for at in taken]
    assert places == sorted(set(places))
    # no more than two parts lie between successive periods of the sample
    runs = found.idles // max(wanted // 64, 1)
    between = [after - before for before, after in pairwise([-1, *places, len(every)])]
    assert max(between) <= 2 * math.ceil(len(every) / runs)


def test_the_same_is_drawn_each_time() -> None:
    cpus = [traced([1_000] * 10_000)]
    assert sample(cpus, 900) == sample(cpus, 900) != sample(cpus, 800)


def test_rows_are_sampled_whole() -> None:
    rows = [core.ROW.pack(*(n,) * 5, *(0,) * 12) for n in range(500)]
    before = Outcome(2, 30_000)
    found = sample([CpuGaps(3, rows=b"".join(rows), earlier=before)], 64)
    assert found is not None
    (cpu,) = found.cpus
    taken = [cpu.rows[at : at + core.ROW.size] for at in range(0, len(cpu.rows), core.ROW.size)]
    assert len(taken) == len(cpu.settles)
    assert cpu.settles.count(0) == 64
    assert [row for row in rows if row in set(taken)] == taken
    assert cpu.earlier == (before if taken[0] == rows[0] else None)


@pytest.mark.parametrize("governor", ["menu", "teo"])
@pytest.mark.parametrize("exact", [True, False])
def test_a_governor_is_settled_when_counting_begins(
    exact: bool, governor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One run after 64 idle periods: counted is what it adds to theirs, by the core and by the
    reference."""
    if exact:
        (whole,) = read(Input(str(RECORDING))).cpus
    else:
        whole = traced([*drifting(Random("one"), 400)])
    size = core.ROW.size if exact else PERIOD.size

    def first(count: int) -> CpuGaps:
        end = count * size
        return replace(whole, rows=whole.rows[:end], periods=whole.periods[:end])

    def outcomes(cpu: CpuGaps) -> Outcomes:
        how = Settings(governor, release("6.1"), 250)
        return evaluate(EvaluationTask(how, TABLE, (cpu,)), [GRID.present])[0]

    both, early = outcomes(first(300)), outcomes(first(64))
    cpu = first(300)
    marks = b"\1" * 64 + bytes(236)
    if exact:
        cpu = replace(cpu, settles=marks)
    else:
        periods = bytearray(cpu.periods)
        periods[SETTLES :: PERIOD.size] = marks
        cpu = replace(cpu, periods=bytes(periods))
    found = outcomes(cpu)
    assert found.usage == tuple(a - b for a, b in zip(both.usage, early.usage, strict=True))
    assert sum(found.usage) >= 200
    monkeypatch.setattr(evaluating, "knows", lambda *machines, **estimated: False)
    assert outcomes(cpu) == found


# What is found


TABLE: CpuTable = from_times([(10_000, 20_000), (133_000, 600_000)], polling=True)
EXITS = {name: state.exit_ns for name, state in zip(TABLE.names, TABLE.states, strict=True)}
POWER = power_figures.from_words("snooze=1,state1=0.4,state2=0.05", EXITS)
GRID = Grid(TABLE, POWER)


def drifting(random: Random, count: int) -> Iterator[int]:
    """Longer by day than by night."""
    for at in range(count):
        yield int(random.lognormvariate(11.5 + 2 * math.sin(2 * math.pi * at / count), 0.8))


def in_phases(random: Random, count: int) -> Iterator[int]:
    """Phases of 200 idle periods on average, alike within each."""
    left, mean, spread = 0, 0.0, 0.0
    for _ in range(count):
        if not left:
            left = 1 + int(random.expovariate(1 / 200))
            mean, spread = random.choice([(9, 0.5), (11, 1.5), (13, 1.0), (14, 0.8)])
        left -= 1
        yield int(random.lognormvariate(mean, spread))


def in_step(random: Random, count: int) -> Iterator[int]:
    """Bursts of short ones, as often as a run begins."""
    for at in range(count):
        short = at % 312 < 100
        yield int(random.lognormvariate(9 if short else 13, 0.4))


def over(task: EvaluationTask) -> Run:
    found: dict[Candidate, Outcomes] = {}

    def run(candidates: Sequence[Candidate]) -> Mapping[Candidate, Outcomes]:
        new = [each for each in candidates if each not in found]
        found.update({each.candidate: each for each in evaluate(task, new)})
        return found

    return run


def both(cpus: Sequence[CpuGaps], sampled: Sequence[CpuGaps], governor: str) -> tuple[Tuned, Tuned]:
    """Returns what is found over all idle periods, and over a sample."""
    how, objective = Settings(governor, release("7.0"), 250), Objective(ENERGY)
    over_all = over(EvaluationTask(how, TABLE, tuple(cpus)))
    over_sample = over(EvaluationTask(how, TABLE, tuple(sampled), sampled=True))
    every = search(TABLE, POWER, objective, GRID, over_all)
    return every, search(TABLE, POWER, objective, GRID, over_sample, over_all)


def above(every: Tuned, found: Tuned) -> float:
    """Returns what the table found costs more than the best, as a share."""
    regret = every.regret(found.best)
    assert regret is not None
    return float(regret)


@pytest.mark.skipif(not core.available(), reason=NO_CORE)
@pytest.mark.parametrize("governor", ["menu", "teo"])
@pytest.mark.parametrize("lengths", [drifting, in_phases, in_step])
def test_a_sample_finds_the_best(
    lengths: Callable[[Random, int], Iterator[int]], governor: str
) -> None:
    """6,000 of 24,000 idle periods find a table that costs at most 0.5 % more than the best."""
    random = Random(lengths.__name__)
    cpus = [traced([*lengths(random, 12_000)], number) for number in range(2)]
    part = sample(cpus, 6_000)
    assert part is not None
    every, found = both(cpus, part.cpus, governor)
    assert above(every, found) <= 0.005
    assert above(every, replace(found, best=found.present)) > 0.01
    figures = (found.best, *found.front, found.if_low, found.if_high)
    assert all(sum(one.outcomes.usage) >= 24_000 for one in figures)
    assert found.present == every.present
    assert found.even == every.even
    assert found.evaluated < found.tried
    assert every.evaluated == every.tried


@pytest.mark.skipif(not core.available(), reason=NO_CORE)
@pytest.mark.parametrize("kind", [ENERGY, WEIGHTED, LATENCY])
@pytest.mark.parametrize("lengths", [drifting, in_phases, in_step])
def test_a_sample_is_searched_again_only_where_energy_has_a_limit(
    lengths: Callable[[Random, int], Iterator[int]], kind: str
) -> None:
    """Elsewhere a sample that is all there is leads to what is found without a sample."""
    random, times = Random(lengths.__name__), 0
    cpus = tuple(traced([*lengths(random, 600)], number) for number in range(2))
    run = over(EvaluationTask(Settings("menu", release("7.0"), 250), TABLE, cpus))

    def counted(candidates: Sequence[Candidate]) -> Mapping[Candidate, Outcomes]:
        nonlocal times
        times += 1
        return run(candidates)

    once = search(TABLE, POWER, Objective(kind), GRID, counted)
    alone, times = times, 0
    again = search(TABLE, POWER, Objective(kind), GRID, counted, run)
    assert (times > alone) == (kind == LATENCY)
    if kind != LATENCY:
        assert replace(again, front=once.front, evaluated=once.evaluated) == once


def test_what_just_misses_the_limit_in_a_sample_is_evaluated_over_all() -> None:
    """Less wake latency at 0.5 % more energy than the present table's: of a sample. Of all, 0.5 %
    less."""
    wanted = tuple(values[5] for values in GRID.values[:1]) + GRID.present[1:]
    present_us = 100_000

    def costing(share: Fraction, *, sampled: bool) -> Run:
        def run(candidates: Sequence[Candidate]) -> Mapping[Candidate, Outcomes]:
            found = {}
            for each in candidates:
                usage, us = (0, 100, 0), present_us
                if each == wanted:
                    usage, us = (50, 50, 0), int(share * present_us)
                found[each] = Outcomes(each, usage, (us, 0, 0), sampled=sampled)
            return found

        return run

    sampled, every = Fraction(1005, 1000), Fraction(995, 1000)
    objective = Objective(LATENCY)
    over_all = costing(every, sampled=False)
    found = search(TABLE, POWER, objective, GRID, costing(sampled, sampled=True), over_all)
    assert found.best.candidate == wanted
    assert not found.best.outcomes.sampled
    # and what gains nothing over all stays out
    found = search(TABLE, POWER, objective, GRID, over_all, costing(sampled, sampled=True))
    assert found.best.candidate == GRID.present


# What is said


@pytest.fixture
def trace(tmp_path: Path) -> str:
    """1,200 idle periods on two CPUs."""
    random, now, lines = Random("tune"), 10**9, []
    for number in range(1_200):
        gap = int(10 ** random.uniform(3, 7))
        lines += [line(1, now, number % 2), line(EXIT_STATE, now + gap, number % 2)]
        now += gap + random.randrange(50_000)
    path = tmp_path / "trace"
    path.write_bytes(text(*lines))
    return str(path)


@pytest.mark.parametrize("recorded", [True, False])
def test_figures_are_over_all(
    recorded: bool, trace: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ["tune", "power9-dd1", "--trace", str(RECORDING) if recorded else trace]
    words += ["--power", "implied", "--kernel", "6.1", "--resume"]
    wanted = "100" if recorded else "300"
    every = document(capsys, *words, str(tmp_path / "all"), "--search-over", "all")
    usual = document(capsys, *words, str(tmp_path / "usual"))
    part = document(capsys, *words, str(tmp_path / "part"), "--search-over", wanted)
    assert usual == every
    assert every["sample"] is None
    assert every["evaluated"] == every["tried"]
    assert part["sample"]["idles"] <= int(wanted)
    assert part["sample"]["of"] == (400 if recorded else 1_200)
    assert part["evaluated"] < part["tried"]
    for key in ("gaps", "waits", "power", "table"):
        assert part[key] == every[key]
    for key in ("present", "break_even"):
        assert part[key]["usage"] == every[key]["usage"]
        assert part[key]["energy"] == every[key]["energy"]
    assert sum(part["best"]["energy"].values()) >= sum(every["best"]["energy"].values())
    again = document(capsys, *words, str(tmp_path / "part"), "--search-over", wanted)
    assert again == part


def test_results_of_another_sample_are_refused(
    trace: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ["tune", "power9-dd1", "--trace", trace, "--power", "implied"]
    words += ["--resume", str(tmp_path / "kept"), "--search-over"]
    assert main([*words, "400"]) == 0
    out, err = capsys.readouterr()
    assert "searched over 396 of 1200 idle periods" in " ".join(out.split())
    kept = (tmp_path / "kept").read_text().splitlines()[1:]
    marked = sum('"sampled": true' in row for row in kept)
    assert 0 < len(kept) - marked < marked
    assert main([*words, "400"]) == 0
    again, err = capsys.readouterr()
    assert again == out
    assert f"continuing from {len(kept)} results" in err
    assert main([*words, "350"]) == 3
    assert "kernel, --search-over or version" in capsys.readouterr().err


@pytest.mark.parametrize("number", ["0", "-1", "some", "1e6"])
def test_bad_numbers(number: str, trace: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["tune", "power9-dd1", "--trace", trace, "--power", "implied"]
    assert main([*words, f"--search-over={number}"]) == 2
    assert "expected --search-over of 1 or more" in capsys.readouterr().err


def test_a_number_that_is_too_long(trace: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["tune", "power9-dd1", "--trace", trace, "--power", "implied"]
    assert main([*words, "--search-over", "9" * 19]) == 2
    assert "expected --search-over of up to 18 digits, or all" in capsys.readouterr().err


@pytest.mark.parametrize("given", [("--workload", "server"), ("--gaps", "gaps.csv")])
def test_only_a_trace_has_a_sample(
    given: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["tune", "power9-dd1", *given, "--power", "implied"]
    assert main([*words, "--search-over", "all"]) == 2
    assert f"expected --trace for --search-over, found {given[0]}" in capsys.readouterr().err
