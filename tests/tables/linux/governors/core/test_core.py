"""The C core decides as the references do: recorded, random and unlikely inputs, all releases."""

import subprocess
import sys
from array import array
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from idle_states.tables.linux.governors import Governor, core, known_in
from idle_states.tables.linux.governors.interface import GovernorModel, Outcome, Situation, State
from idle_states.tables.linux.governors.settling import Circumstances, Settling
from idle_states.tables.linux.releases import all_releases, release
from idle_states.tables.selection.by_core import by_core
from tests.oracle.linux.governors import Cpu, Row
from tests.oracle.linux.governors import State as OracleState
from tests.support import ROOT, vectors
from tests.support.compiled import needs_core
from tests.support.swept import sweep
from tests.support.thorough import examples
from tests.tables.linux.governors.test_models import (
    HZS,
    any_cpu,
    outcome,
    random_cpu,
    random_table,
    situation,
)
from tools.eras import SPECIALISED

pytestmark = needs_core
RECORDED = [path for name in core.GOVERNORS for path in vectors.files(name)]
DECISIONS_PER_ERA = examples(200, 1_000)
LEVELS = (0, 3, 4)
SHORT = [OracleState(0, 0, True), OracleState(2_000, 20_000), OracleState(10_000, 300_000)]


@dataclass(frozen=True)
class Era:
    """A governor as it is in some releases, named by the first of them."""

    governor: str
    release: str
    features: Any

    def __str__(self) -> str:
        return f"{self.governor}-{self.release}"

    def reference(self, states: Sequence[State], hz: int) -> GovernorModel:
        return model(self.governor, states, self.features, hz)


def features(governor: str, kernel: str) -> Any:
    module = import_module(f"idle_states.tables.linux.governors.{governor}_features")
    return module.features(release(kernel))


def model(governor: str, states: Sequence[State], chosen: Any, hz: int) -> GovernorModel:
    module = import_module(f"idle_states.tables.linux.governors.{governor}")
    made: GovernorModel = getattr(module, governor.capitalize())(states, chosen, hz)
    return made


@cache
def eras() -> tuple[Era, ...]:
    found: dict[tuple[str, Any], Era] = {}
    for governor in core.GOVERNORS:
        module = import_module(f"idle_states.tables.linux.governors.{governor}_features")
        points = {name for row in module.HISTORY.rows for name in row.releases}
        for kernel in (*(each.name for each in all_releases()), *sorted(points)):
            try:
                chosen = features(governor, kernel)
            except ValueError:
                continue
            found.setdefault((governor, chosen), Era(governor, kernel, chosen))
    return tuple(found.values())


def swept_eras() -> list[Era]:
    return [era for era in eras() if era.governor in core.SWEPT]


@cache
def specialised(governor: str) -> frozenset[Any]:
    """Features of the releases that get code of their own."""
    found = set()
    for name in SPECIALISED:
        with suppress(ValueError):
            found.add(features(governor, name))
    return frozenset(found)


def decided(decisions: core.Decisions) -> list[tuple[int, bool]]:
    return [(decision.state, decision.stop_tick) for decision in decisions.unpacked()]


def by_reference(
    era: Era, cpu: Cpu, hz: int
) -> tuple[list[State], list[tuple[Situation, Outcome]], list[tuple[int, bool]]]:
    """States, what the core is to be given, and what it is to answer."""
    states = [State(*state) for state in cpu.states]
    governor = era.reference(states, hz)
    rows, answers = [], []
    for row in cpu.rows:
        asked = situation(row, cpu.capacity)
        decision = governor.select(asked)
        became = outcome(row, decision.state, cpu.states)
        governor.finished(became)
        rows.append((asked, became))
        answers.append((decision.state, decision.stop_tick))
    return states, rows, answers


def compare(era: Era, cpu: Cpu, hz: int) -> None:
    """Compares states entered and selected, by the code for just these features and for any."""
    states, rows, answers = by_reference(era, cpu, hz)
    for as_selected in (False, True):
        packed = core.pack(rows, as_selected=as_selected)
        for any_features in (False, True):
            found = core.run(
                era.governor, era.features, states, hz, packed, any_features=any_features
            )
            assert decided(found) == answers, (as_selected, any_features)


def fewest(governor: str) -> int:
    return 2 if governor == "haltpoll" else 1


# Agreement


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.name.removesuffix(".csv.gz"))
def test_recorded_decisions(path: Path) -> None:
    recorded = vectors.read(path)
    chosen = features(recorded.governor, recorded.kernel)
    packed = core.pack((row.situation, row.outcome) for row in recorded.rows)
    for any_features in (False, True):
        found = core.run(
            recorded.governor,
            chosen,
            recorded.states,
            vectors.HZ,
            packed,
            any_features=any_features,
        )
        assert decided(found) == [(row.state, row.stop_tick) for row in recorded.rows], any_features


@pytest.mark.parametrize(("kernel", "state"), [("6.3", 2), ("6.6", 3)])
def test_utilised_with_residencies_out_of_order(kernel: str, state: int) -> None:
    """Intercepts lead to state 4, in the middle of whose bin the deeper state 3 would not fit: from
    6.6 on, the next shallower state need not fit it."""
    era = Era("teo", kernel, features("teo", kernel))
    times = (0, 1_408, 2_331, 6_926, 3_724, 6_926)
    states = [OracleState(0, residency_ns) for residency_ns in times]
    idle = Row(2_000_000_000, 10**9, 10**6, residency_ns=4_000, reflect_clock_ns=5_000, cpu_util=17)
    cpu = Cpu(states, [idle] * 12)
    compare(era, cpu, 250)
    assert by_reference(era, cpu, 250)[2][-1][0] == state


@pytest.mark.parametrize("era", eras(), ids=str)
def test_random_cpus(era: Era) -> None:
    enough = DECISIONS_PER_ERA
    random = Random(f"{era}, {enough}")
    while enough > 0:
        hz = random.choice(HZS)
        cpu = random_cpu(random, hz, fewest(era.governor))
        compare(era, cpu, hz)
        enough -= len(cpu.rows)


@pytest.mark.parametrize("governor", core.GOVERNORS)
@settings(
    max_examples=settings().max_examples // 2,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_any_cpu(governor: str, data: st.DataObject) -> None:
    hz = data.draw(st.sampled_from(HZS))
    cpu = data.draw(any_cpu(hz, fewest(governor)))
    for era in eras():
        if era.governor == governor:
            compare(era, cpu, hz)


@pytest.mark.parametrize(
    "change",
    [
        {"long_bits": 32},
        {"polling_loop": True},
        {"typical_maximum": True},
        {"latency_first": True, "scan_stops": False},
        {"trims_both_ends": True, "typical_unknown": "late"},
        {"override_in_time": True, "override_short": True},
    ],
    ids=lambda change: " ".join(change),
)
@pytest.mark.parametrize("kernel", ["4.8", "4.15", "5.15", "6.8", "7.2"])
def test_features_of_no_release(kernel: str, change: dict[str, Any]) -> None:
    chosen = replace(features("menu", kernel), **change)
    random = Random(kernel)
    for _ in range(3):
        compare(Era("menu", kernel, chosen), random_cpu(random, 250, 1), 250)


# Streams: rows come in pieces


def pieces(random: Random, rows: bytes) -> Iterator[bytes]:
    """The rows, cut anywhere between two."""
    at = 0
    while at < len(rows):
        end = at + core.ROW.size * random.randrange(6)
        yield rows[at:end]
        at = end


@pytest.mark.parametrize("governor", core.GOVERNORS)
def test_pieces_are_decided_as_in_one_go(governor: str) -> None:
    random = Random(f"pieces of {governor}")
    for _ in range(examples(3, 6)):
        hz = random.choice(HZS)
        cpu = random_cpu(random, hz, fewest(governor))
        era = random.choice([era for era in eras() if era.governor == governor])
        states, rows, answers = by_reference(era, cpu, hz)
        packed = bytes(core.pack(rows, as_selected=random.random() < 0.5))
        stream = core.Stream(governor, era.features, states, hz)
        found = b"".join(stream.replay(piece).packed for piece in pieces(random, packed))
        assert decided(core.Decisions(found)) == answers


@pytest.mark.parametrize("era", swept_eras(), ids=str)
def test_sweeps_of_pieces_at_any_level(era: Era) -> None:
    """A governor remembers the same for all instruction sets."""
    random = Random(f"pieces, {era}")
    for tables, rows, hz in sweeps(era, 6):
        packed = bytes(rows)
        run = partial(core.run, era.governor, era.features)
        single = [bytes(run(one, hz, packed).packed) for one in tables]
        streams = [core.Stream(era.governor, era.features, one, hz) for one in tables]
        levels = {level: core.Sweep(streams, level=level) for level in LEVELS}
        found = [b""] * len(tables)
        sweep, at = levels[0], 0
        while at < len(packed):
            memories = sweep.memories
            sweep = levels[random.choice(LEVELS)]
            sweep.memories[:] = memories
            end = at + core.ROW.size * random.choice((1, 2, 7, 30))
            answers = sweep.replay(packed[at:end])
            found = [a + bytes(b.packed) for a, b in zip(found, answers, strict=True)]
            at = end
        assert found == single


@pytest.mark.parametrize("governor", core.GOVERNORS)
def test_a_governor_that_is_switched_on(governor: str) -> None:
    random = Random(f"switched on, {governor}")
    for era in [era for era in eras() if era.governor == governor]:
        cpu = random_cpu(random, 250, 3)
        states = [State(*state) for state in cpu.states]
        deepest = len(states) - 1
        for earlier in (Outcome(-1, 0), Outcome(deepest, 12_345_678), Outcome(0, 700)):
            reference = era.reference(states, 250)
            reference.switched_on(earlier)
            stream = core.Stream(governor, era.features, states, 250)
            stream.switched_on(earlier)
            rows, answers = [], []
            for row in cpu.rows:
                decision = reference.select(situation(row))
                became = outcome(row, decision.state, cpu.states)
                reference.finished(became)
                rows.append((situation(row), became))
                answers.append((decision.state, decision.stop_tick))
            assert decided(stream.replay(core.pack(rows))) == answers


# The public function


# Sweeps


def sweeps(era: Era, count: int) -> Iterator[tuple[list[list[State]], bytearray, int]]:
    """Tables, rows, HZ. Half of them as lanes take them: without negative and very long times, the
    CPU not utilised. A quarter as entered, which may be a state that a table does not have."""
    random = Random(f"sweeps of {era}")
    for number in range(count):
        hz = random.choice(HZS)
        cpu = random_cpu(random, hz, 1)
        rows, others = cpu.rows, random.choice((0, 3, 8, 33))
        tables = [cpu.states, *(random_table(random, 1) for _ in range(others))]
        if number % 2 == 0:
            usual = (row for row in rows if row.sleep_length_ns >= 0 and row.residency_ns < 1 << 50)
            rows = [row._replace(cpu_util=0) for row in usual]
            tables = [table for table in tables if max(map(max, table)) < 1 << 30] or [SHORT]
        tables = [[State(*state) for state in table] for table in tables]
        states = [OracleState(0, 0, True)]
        pairs = [(situation(row), outcome(row, random.randrange(10), states)) for row in rows]
        yield tables, core.pack(pairs, as_selected=number % 4 != 2), hz


@pytest.mark.parametrize("era", swept_eras(), ids=str)
def test_sweep_equals_single_replays(era: Era) -> None:
    """In lanes, too, wherever the machine and the governor have them."""
    in_lanes = 0
    for tables, rows, hz in sweeps(era, 12):
        single = [core.run(era.governor, era.features, table, hz, rows) for table in tables]
        for level in LEVELS:
            streams = [core.Stream(era.governor, era.features, table, hz) for table in tables]
            together = core.Sweep(streams, level=level)
            assert together.replay(rows) == single
            in_lanes += together.in_lanes
        assert sweep(era.governor, era.features, tables, hz, rows, threads=2) == single
    if era.governor != "menu":  # of which old releases and SUSE's have none
        has_lanes = era.governor == "ladder" or era.features.bins
        assert bool(in_lanes) == (has_lanes and core.instruction_set() != "baseline")


@pytest.mark.parametrize("governor", core.SWEPT)
def test_sweep_after_states_that_no_table_has(governor: str) -> None:
    random = Random(f"beyond, {governor}")
    chosen = features(governor, "6.1")
    tables = [[State(*state) for state in SHORT]] * 3
    tables.append([State(1_000, 0, True), *tables[0][1:]])  # polling takes as long as some idles
    pairs = []
    for _ in range(400):
        idle_ns = random.choice((1_000, 25_000, 500_000))
        limit_us = random.choice((0, 1, 5, 2_000_000_000, 2_000_000_000))
        disabled = frozenset(random.sample(range(10), 2))
        asked = Situation(limit_us, idle_ns, idle_ns, disabled=disabled)
        rejected = random.random() < 0.4
        pairs.append((asked, Outcome(random.randrange(10), 0 if rejected else idle_ns, rejected)))
    rows = core.pack(pairs)
    single = [core.run(governor, chosen, table, 250, rows) for table in tables]
    for level in LEVELS:
        assert sweep(governor, chosen, tables, 250, rows, level=level) == single


def test_sweep_of_an_endless_prediction() -> None:
    """A negative time to the next event is endless as an unsigned one: the deepest state fits, and
    what it takes to wake up is remembered, of a table that ends before others as well."""
    chosen = features("menu", "5.5")
    shorter = [State(0, 0), State(122_000, 1_900_000)]
    tables = [shorter, [*shorter, State(150_000, 30_000_000), State(160_000, 40_000_000)]]
    stopped = Situation(2_000_000_000, 2_000_093, -39_364, tick_stopped=True)
    asked = Situation(2_000_000_000, 2_000_093, 2_000_093)
    ended = Outcome(0, 2_000_000)
    rows = core.pack([(stopped, ended)] * 80 + [(asked, ended)], as_selected=True)
    single = [core.run("menu", chosen, table, 250, rows) for table in tables]
    assert [list(found.states)[-2:] for found in single] == [[1, 0], [3, 0]]
    for level in LEVELS:
        assert sweep("menu", chosen, tables, 250, rows, level=level) == single


def test_tables_make_a_difference() -> None:
    """A sweep of equal answers would prove little."""
    chosen = features("menu", "6.1")
    rows = core.pack(
        [(Situation(2_000_000_000, 50_000, 50_000), Outcome(0, 50_000))] * 100, as_selected=True
    )
    tables = [[State(0, 0), State(1_000, us * 1_000)] for us in (10, 60)]
    shallow, deep = sweep("menu", chosen, tables, 250, rows)
    assert [d.state for d in shallow.unpacked()[-3:]] == [1, 1, 1]
    assert [d.state for d in deep.unpacked()[-3:]] == [0, 0, 0]


# What it knows


@pytest.mark.parametrize("era", eras(), ids=str)
def test_releases_have_code_of_their_own(era: Era) -> None:
    """menu and teo's bins of mainline and of long-term series' last; else the extension was built
    before the rows were written. Others run code for any features."""
    assert core.supports(era.governor, era.features)
    expected = era.governor == "menu" or (era.governor == "teo" and era.features.bins)
    expected &= era.features in specialised(era.governor)
    assert core.specialised(era.governor, era.features) == expected


def test_unknown_features_are_refused() -> None:
    @dataclass(frozen=True)
    class Other:
        nanoseconds: bool = True

    with pytest.warns(
        core.CoreFallsShort, match=r"expected menu's features, found no decides_tick, "
    ):
        assert not core.supports("menu", Other())
    assert not core.supports("round robin", features("menu", "6.1"))
    odd = replace(features("menu", "6.1"), stopped_tick="sometimes")
    with pytest.raises(core.Unsupported, match=r"expected stopped_tick to be one .*sometimes"):
        core.run("menu", odd, [State(0, 0)], 250, b"")


@pytest.mark.parametrize("count", [0, 11])
def test_too_few_or_many_states_are_refused(count: int) -> None:
    with pytest.raises(core.Unsupported, match=f"expected 1 to 10 states, found {count}"):
        core.run("menu", features("menu", "6.1"), [State(0, 0)] * count, 250, b"")


def test_wrong_sizes_are_refused() -> None:
    chosen = features("menu", "6.1")
    with pytest.raises(ValueError, match="expected 72 bytes of rows, found 73"):
        core.run("menu", chosen, [State(0, 0)], 250, bytes(73))
    with pytest.raises(ValueError, match="expected HZ from 1 to 1000000, found 0"):
        core.run("menu", chosen, [State(0, 0)], 0, b"")
    assert core.run("menu", chosen, [State(0, 0)], 250, b"").unpacked() == []


def test_without_the_extension() -> None:
    program = (
        "import sys; sys.modules['idle_states.tables.linux.governors.core._core'] = None\n"
        "from idle_states.tables.linux.governors import core\n"
        "from idle_states.tables.linux.governors.ladder_features import LadderFeatures\n"
        "assert not core.available() and core.instruction_set() == ''\n"
        "assert not core.supports('ladder', LadderFeatures())\n"
        "try: core.run('ladder', LadderFeatures(), [], 250, b'')\n"
        "except core.CoreMissing as error: print(error)\n"
    )
    root = ROOT
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=root
    )
    assert "expected the compiled core" in done.stdout


@settings(max_examples=examples(15, 40), deadline=None)
@given(st.sampled_from(("menu", "teo", "ladder")), st.integers(0, 2**32), st.booleans())
def test_settles_as_the_reference_does(governor: str, seed: int, timer_driven: bool) -> None:
    """In the features of any release, and with times of any size that a table may have."""
    rng = Random(seed)
    kernels = [each for each in all_releases() if known_in(governor, each)]
    kernel = rng.choice(kernels)
    states = [State(0, 0, rng.random() < 0.5)]
    for _ in range(rng.randrange(core.STATES_MAX)):
        states.append(
            State(rng.choice((0, 700, 10**5, 2**50)), rng.choice((0, 1500, 10**6, 2**50)))
        )
    fixed = Circumstances(
        rng.random() < 0.5, timer_driven, rng.choice((0, 3, 2 * 10**9)), rng.choice((0, 1300))
    )
    lengths = array("Q")
    for idle in (0, rng.randrange(2000), rng.randrange(10**6), rng.randrange(10**10)):
        timer = idle + rng.choice((0, 1, 10**5, 10**10))
        lengths.extend((idle, timer, idle + rng.choice((1, 300, 500)), timer))
    history = [Outcome(0, residency_ns=rng.randrange(10**6))] * rng.choice((0, 8))
    hz = rng.choice(HZS)
    off = frozenset(rng.choices(range(len(states)), k=rng.choice((0, 0, 1, 2))))
    fast, slow = (
        Settling(lambda: Governor.for_kernel(governor, kernel, states, hz), way, off).over(
            lengths, fixed, history
        )
        for way in (by_core, None)
    )
    assert fast == slow


def test_settling_refuses_what_it_cannot_take() -> None:
    menu = core.Stream("menu", features("menu", "6.6"), [State(0, 0)], 250)
    rest = bytes(40), b"", bytes(16)
    memory = bytearray(core.compiled.memory_size)
    core.compiled.settle(*menu.given, memory, *rest)
    for place, what in ((0, "circumstances"), (2, "lengths")):
        wrong = [*rest]
        wrong[place] = bytearray(rest[place]) + b"\0"
        with pytest.raises(ValueError, match=f"bytes of {what}"):
            core.compiled.settle(*menu.given, memory, *wrong)
    with pytest.raises(ValueError, match="bytes of history"):
        core.compiled.settle(*menu.given, memory, bytes(40), b"\0", bytes(16))
    haltpoll = core.Stream("haltpoll", features("haltpoll", "6.6"), [State(0, 0)], 250)
    with pytest.raises(ValueError, match="expected another governor than haltpoll"):
        core.compiled.settle(*haltpoll.given, memory, *rest)
