"""The governors' models against the kernel's own code, decision by decision.

Environment: LINUX=DIR compares with that kernel tree, KERNEL=NAME says what the models are to take
it for, GOVERNOR_DECISIONS=N how many random decisions to compare in all, GOVERNOR_SEED=TEXT draws
others.
"""

import importlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import NamedTuple, cast

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from idle_states.tables.linux.governors.interface import (
    CPU_CAPACITY,
    KTIME_MAX,
    U64_MAX,
    Decision,
    GovernorModel,
    Outcome,
    Situation,
    tick_ns,
)
from idle_states.tables.linux.governors.interface import State as ModelState
from idle_states.tables.linux.releases import Release
from tests.oracle import skipping
from tests.oracle.linux.governors import (
    GOVERNORS,
    STATE_MAX,
    Cpu,
    GovernorOracle,
    Row,
    State,
    taken_as,
)
from tests.support.thorough import examples, few
from tests.support.vectors import TABLES

HZS = (100, 250, 1000)
DECISIONS = int(os.environ.get("GOVERNOR_DECISIONS") or examples(20_000, 100_000))
SEED = os.environ.get("GOVERNOR_SEED", "")
NO_LIMIT = 2_000_000_000
INT_MAX = (1 << 31) - 1
PID_MAX = 1 << 22
BATCH = 50_000
SHRINKS = 200
PLAIN = Row(latency_req_us=NO_LIMIT, sleep_length_ns=10**9, delta_next_ns=10**6)
FOREVER = 4 * 10**15
"""46 days, almost 2**32 us: no CPU idles longer than that, whatever its timers say."""


# The comparison


class Disagreement(NamedTuple):
    """The first row in which a model differs from the kernel, its answer or error, and its
    reasons."""

    row: int
    kernel: tuple[int, bool]
    model: str
    why: dict[str, object]


@dataclass(frozen=True)
class Pair:
    """A governor of a kernel at one HZ, and the model of it."""

    kernel: Release
    name: str
    oracle: GovernorOracle
    model: Callable[[Sequence[State]], GovernorModel]

    def check(self, cpus: Sequence[Cpu], origin: str = "") -> int:
        """Fails with the shortest account of the first disagreement; else how many were decided."""
        answers = self.oracle.run(cpus)
        for number, (cpu, answer) in enumerate(zip(cpus, answers, strict=True)):
            if self.disagreement(cpu, answer):
                pytest.fail(self.account(self.shrunk(cpu), f"{origin}CPU {number}"), False)
        return sum(map(len, answers))

    def disagreement(self, cpu: Cpu, answer: Sequence[tuple[int, bool]]) -> Disagreement | None:
        """The first row that the model decides otherwise, or fails to decide."""
        model = self.model(cpu.states)
        for number, (row, kernel) in enumerate(zip(cpu.rows, answer, strict=True)):
            why: dict[str, object] = {}
            try:
                decision = model.select(situation(row, cpu.capacity))
                why = decision.why
                if (decision.state, decision.stop_tick) != kernel:
                    answered = f"{decision.state} {decision.stop_tick}"
                    return Disagreement(number, kernel, answered, why)
                model.finished(outcome(row, kernel[0], cpu.states))
            except Exception as error:
                return Disagreement(number, kernel, repr(error), why)
        return None

    def shrunk(self, cpu: Cpu) -> Cpu:
        """A CPU that still disagrees, but with no row, state or value that could be plainer."""
        cpu = self._first([cpu]) or cpu
        for _ in range(SHRINKS):
            shorter = self._first(shorter_ones(cpu)) or self._first(plainer_ones(cpu))
            if shorter is None:
                break
            cpu = shorter
        return cpu

    def _first(self, cpus: Sequence[Cpu]) -> Cpu | None:
        """The first CPU with a disagreement, up to it."""
        for cpu, answer in zip(cpus, self.oracle.run(cpus), strict=True):
            found = self.disagreement(cpu, answer)
            if found:
                return cpu._replace(rows=cpu.rows[: found.row + 1])
        return None

    def account(self, cpu: Cpu, origin: str) -> str:
        """Everything needed to see what went wrong, and to do it again."""
        (answer,) = self.oracle.run([cpu])
        found = self.disagreement(cpu, answer)
        assert found is not None
        lines = [
            f"{self.name} of {self.kernel.name} ({self.kernel.note or 'as listed'}), "
            f"HZ={self.oracle.hz}: the model disagrees with the kernel ({origin})",
            *(f"state {number}: {state}" for number, state in enumerate(cpu.states)),
            *(f"row {i}: {brief(row)} -> {answer[i]}" for i, row in enumerate(cpu.rows)),
            f"kernel: {found.kernel[0]} {found.kernel[1]}",
            f"model:  {found.model}",
            *(f"  {name} = {value}" for name, value in found.why.items()),
            f"again: Cpu({list(cpu.states)}, {list(cpu.rows)}, {cpu.capacity})",
        ]
        return "\n".join(lines)


def shorter_ones(cpu: Cpu) -> list[Cpu]:
    """Without some rows, many to few; without the last state."""
    states, rows, _ = cpu
    found = []
    size = len(rows)
    while size := size // 2:
        starts = range(0, len(rows), size)
        found += [cpu._replace(rows=[*rows[:start], *rows[start + size :]]) for start in starts]
    if len(states) > 2:
        last = {len(states) - 1}
        kept = [row._replace(disabled=row.disabled - last) for row in rows]
        found.append(cpu._replace(states=states[:-1], rows=kept))
    return found


def plainer_ones(cpu: Cpu) -> list[Cpu]:
    """With a value as plain as can be, in all rows or in one; with times in whole us."""
    rows = cpu.rows
    plain = PLAIN._asdict()
    edits: list[Callable[[Row], Row]] = [whole]
    edits += [partial(Row._replace, **{name: value}) for name, value in plain.items()]
    found = [cpu._replace(rows=[edit(row) for row in rows]) for edit in edits]
    for i, row in enumerate(rows):
        found += [cpu._replace(rows=[*rows[:i], edit(row), *rows[i + 1 :]]) for edit in edits]
    return [other for other in found if list(other.rows) != list(rows)]


def whole(row: Row) -> Row:
    return row._replace(
        sleep_length_ns=row.sleep_length_ns // 1000 * 1000,
        delta_next_ns=row.delta_next_ns // 1000 * 1000,
        residency_ns=row.residency_ns // 1000 * 1000,
        clock_ns=row.clock_ns // 1000 * 1000,
        reflect_clock_ns=row.reflect_clock_ns // 1000 * 1000,
    )


def situation(row: Row, capacity: int = CPU_CAPACITY) -> Situation:
    return Situation(
        latency_req_us=row.latency_req_us,
        sleep_length_ns=row.sleep_length_ns,
        delta_next_ns=row.delta_next_ns,
        tick_stopped=row.tick_stopped,
        nr_iowaiters=row.nr_iowaiters,
        load=row.load,
        clock_ns=row.clock_ns,
        disabled=row.disabled,
        cpu_util=row.cpu_util,
        cpu_capacity=capacity,
    )


def outcome(row: Row, selected: int, states: Sequence[State]) -> Outcome:
    """Returns what becomes of the decision: rows hold only what does not depend on it."""
    polls = selected < len(states) and states[selected].polling
    return Outcome(
        state=selected,
        residency_ns=0 if row.rejected else row.residency_ns,
        rejected=row.rejected,
        got_tick=row.got_tick,
        poll_time_limit=row.poll_time_limit and polls,
        clock_ns=row.reflect_clock_ns,
    )


def brief(row: Row) -> str:
    """Returns what is not as in the plainest row."""
    defaults = Row._field_defaults
    shown = ((n, v) for n, v in zip(row._fields, row, strict=True) if v != defaults.get(n))
    return ", ".join(f"{name}={value}" for name, value in shown)


# Random CPUs


def random_table(random: Random, fewest: int) -> list[State]:
    """A table from firmware or a random one, mostly ordered, with ties, zeros and odd ns."""
    polling = random.random() < 0.6
    if random.random() < 0.3:
        table = TABLES[random.choice(list(TABLES))]
        return [State(*times, polling and i == 0) for i, times in enumerate(table)]
    count = random.randint(fewest, STATE_MAX)
    unit = random.choice((1, 1000, 1000))
    slowest, longest = random.choice(((10**9, 10**10), (10**6, 10**8), (20_000, 20_000)))
    exits = [spread(random, slowest) // unit * unit for _ in range(count)]
    if random.random() < 0.5:
        residencies = [exit_ns * random.choice((0, 1, 2, 3, 10, 100)) for exit_ns in exits]
    else:
        residencies = [spread(random, longest) // unit * unit for _ in range(count)]
    for times in (exits, residencies):
        if random.random() < 0.9:
            times.sort()
        if random.random() < 0.7:
            times[0] = 0
        if random.random() < 0.3:
            times[random.randrange(count)] = random.choice(times)
    odd = 0.03 if random.random() < 0.3 else 0.0
    return [
        State(exit_ns, residency_ns, polling if i == 0 else random.random() < odd)
        for i, (exit_ns, residency_ns) in enumerate(zip(exits, residencies, strict=True))
    ]


def spread(random: Random, limit: int) -> int:
    """A number below `limit`, each order of magnitude as likely."""
    return int(random.random() * 2 ** (random.random() * limit.bit_length())) % limit


def edges(states: Sequence[State], hz: int) -> list[int]:
    """Times, in ns, at which some rule of some release changes its mind."""
    tick = tick_ns(hz)
    times = [0, 1_000, 10_000, 15_000, 20_000, 100_000, 10**6, 10**7, 50 * 10**6, 10**8]
    times += [tick // 2, tick, tick + tick // 2, 2 * tick, 3 * tick, (1 << 32) * 1000]
    for exit_ns, residency_ns, _ in states:
        times += [exit_ns, 2 * exit_ns, residency_ns, residency_ns, residency_ns + exit_ns]
    return times


def near(random: Random, times: Sequence[int]) -> int:
    return max(0, random.choice(times) + random.choice((-1000, -999, -1, 0, 0, 1, 999, 1000)))


class Habits:
    """The habits of one idle CPU: drawn once, then followed row by row, with changes of mind."""

    def __init__(self, random: Random, states: Sequence[State], hz: int) -> None:
        self.random = random
        self.states = states
        self.tick = tick_ns(hz)
        self.edges = edges(states, hz)
        # Around the fifteenth power, where a 64-bit product of prediction wraps, and no timer.
        self.far = (KTIME_MAX, KTIME_MAX // 8192, FOREVER, 1 << 51, 1 << 54, 10**12)
        self.clock = random.choice((10**9, spread(random, 1 << 62)))
        self.chance = {
            "tick_stopped": random.choice((0, 0.05, 0.5, 1)),
            "rejected": random.choice((0, 0, 0.02, 0.5)),
            "got_tick": random.choice((0, 0.05, 0.5, 1)),
            "limit": random.choice((0, 0.3, 1)),
            "iowait": random.choice((0, 0.1, 1)),
            "latency": random.choice((0, 0, 0.05, 1)),
            "toggle": random.choice((0, 0, 0.02)),
            "utilised": random.choice((0, 0.1, 0.5, 1)),
        }
        self.capacity = random.choice((CPU_CAPACITY, CPU_CAPACITY, random.randint(1, CPU_CAPACITY)))
        self.disabled: frozenset[int] = frozenset()
        if random.random() < 0.4:
            odds = random.choice((0.2, 0.5, 0.9, 1))
            self.disabled = frozenset(i for i in range(len(states)) if random.random() < odds)
        self.change()

    def change(self) -> None:
        self.style = self.random.choice(("timer", "device", "short", "edge", "tick", "extreme"))
        self.period = max(1, spread(self.random, 10**8))

    def happens(self, what: str) -> bool:
        return self.random.random() < self.chance[what]

    def times(self) -> tuple[int, int]:
        """Sleep length and how long the CPU idles."""
        random = self.random
        if self.style == "timer":
            sleep = spread(random, 10**9)
            return sleep, sleep + spread(random, 20_000)
        if self.style == "device":
            jitter = random.choice((0, 0, self.period // 50, self.period // 4))
            return self.period + spread(random, 10**9), self.period + spread(random, jitter + 1)
        if self.style == "short":
            return near(random, self.edges), spread(random, 20_000)
        if self.style == "tick":
            return self.tick + spread(random, 10**10), spread(random, self.tick) + 1
        if self.style == "edge":
            return near(random, self.edges), near(random, self.edges)
        sleep = random.choice((*self.far, -1, -999, -(10**6), -(10**9), 0))
        if sleep > 0:
            sleep -= spread(random, 10**12)
        return sleep, random.choice((0, 0, 1, near(random, self.edges), FOREVER, 10**11))

    def row(self) -> Row:
        random = self.random
        if random.random() < 0.02:
            self.change()
        if self.happens("toggle"):
            self.disabled ^= {random.randrange(len(self.states))}
        sleep, residency = self.times()
        stopped = self.happens("tick_stopped")
        delta = sleep if stopped else min(sleep, random.randint(-1000, self.tick))
        if self.style == "extreme" or random.random() < 0.05:
            delta = random.choice((-1, 0, near(random, self.edges), sleep))
        latency = NO_LIMIT
        if self.happens("latency"):
            limit = near(random, [state.exit_ns for state in self.states]) // 1000
            latency = random.choice((0, 1, 7, 8, limit, limit, limit + 1, INT_MAX))
        clock = self.clock
        wakes = clock + residency + random.choice((0, 500, 1000, spread(random, 10**6)))
        self.clock = wakes + spread(random, 10**6) & U64_MAX
        return Row(
            latency_req_us=min(latency, INT_MAX),
            sleep_length_ns=sleep,
            delta_next_ns=delta,
            tick_stopped=stopped,
            nr_iowaiters=spread(random, random.choice((4, PID_MAX))) * self.happens("iowait"),
            load=random.choice((0, 0, 1024, 1 << 20, spread(random, 1 << 25))),
            clock_ns=clock,
            disabled=self.disabled,
            rejected=self.happens("rejected"),
            residency_ns=residency,
            got_tick=self.happens("got_tick"),
            poll_time_limit=self.happens("limit"),
            reflect_clock_ns=wakes & U64_MAX,
            cpu_util=self.util(),
        )

    def util(self) -> int:
        """Around the threshold, above it, or none."""
        if not self.happens("utilised"):
            return 0
        threshold = self.capacity >> 6
        return self.random.choice((threshold, threshold + 1, self.random.randint(0, self.capacity)))


def random_cpu(random: Random, hz: int, fewest: int) -> Cpu:
    states = random_table(random, fewest)
    habits = Habits(random, states, hz)
    rows = [habits.row() for _ in range(random.choice((1, 10, 100, 400)))]
    return Cpu(states, rows, habits.capacity)


def batches(origin: str, hz: int, fewest: int, decisions: int) -> Iterator[list[Cpu]]:
    """CPUs with at least `decisions` rows in all, the same for the same `origin`."""
    random = Random(origin)
    while decisions > 0:
        cpus: list[Cpu] = []
        room = min(decisions, BATCH)
        while room > 0:
            cpus.append(random_cpu(random, hz, fewest))
            room -= len(cpus[-1].rows)
        yield cpus
        decisions -= sum(len(cpu.rows) for cpu in cpus)


@st.composite
def any_cpu(draw: st.DrawFn, hz: int, fewest: int) -> Cpu:
    """Short sequences, nothing likely about them; hypothesis looks for the simplest."""
    times = st.integers(0, 10**9) | st.sampled_from((0, 1_000, 2_000, 15_000, 10**6, 4 * 10**6))
    states = draw(
        st.lists(st.builds(State, times, times, st.booleans()), min_size=fewest, max_size=STATE_MAX)
    )
    listed = st.sampled_from(edges(states, hz))
    idles = listed | st.integers(0, 10**8) | st.integers(0, FOREVER)
    timers = idles | st.sampled_from((KTIME_MAX, -1)) | st.integers(-(10**9), KTIME_MAX)
    numbers = st.integers(0, len(states) - 1)
    row = st.builds(
        Row,
        latency_req_us=st.sampled_from((NO_LIMIT, NO_LIMIT, 0)) | st.integers(0, INT_MAX),
        sleep_length_ns=timers,
        delta_next_ns=timers,
        tick_stopped=st.booleans(),
        nr_iowaiters=st.integers(0, 3) | st.integers(0, PID_MAX),
        load=st.integers(0, 1 << 25),
        clock_ns=st.integers(0, 1 << 62),
        disabled=st.frozensets(numbers, max_size=len(states)),
        rejected=st.booleans(),
        residency_ns=idles,
        got_tick=st.booleans(),
        poll_time_limit=st.booleans(),
        reflect_clock_ns=st.integers(1 << 62, 1 << 63),
        cpu_util=st.integers(0, 20) | st.integers(0, CPU_CAPACITY),
    )
    capacities = st.just(CPU_CAPACITY) | st.integers(1, CPU_CAPACITY)
    return Cpu(states, draw(st.lists(row, min_size=1, max_size=12)), draw(capacities))


# The tests


@pytest.fixture(scope="session")
def pair_of(governor_tree: Path) -> Callable[[str, int], Pair]:
    @cache
    def pair(name: str, hz: int) -> Pair:
        if not (governor_tree / f"drivers/cpuidle/governors/{name}.c").exists():
            pytest.skip(f"the kernel has no {name}")
        with skipping():
            oracle = GovernorOracle(governor_tree, name, hz)
        kernel = taken_as(governor_tree)
        package = "idle_states.tables.linux.governors"
        made = getattr(importlib.import_module(f"{package}.{name}"), name.capitalize())
        features = importlib.import_module(f"{package}.{name}_features").features(kernel)

        def model(states: Sequence[State]) -> GovernorModel:
            return cast(GovernorModel, made([ModelState(*state) for state in states], features, hz))

        return Pair(kernel, name, oracle, model)

    return pair


def fewest_states(pair: Pair) -> int:
    """haltpoll's driver has two states; from 7.0 on a single one never reaches a governor."""
    return 2 if pair.name == "haltpoll" or pair.kernel.version >= (7, 0) else 1


@pytest.mark.parametrize("hz", few(1, HZS))
@pytest.mark.parametrize("name", GOVERNORS)
def test_random_sequences(pair_of: Callable[[str, int], Pair], name: str, hz: int) -> None:
    pair = pair_of(name, hz)
    share = -(-DECISIONS // (len(GOVERNORS) * len(HZS)))
    decided = 0
    for number, cpus in enumerate(batches(f"{name} {hz} {SEED}", hz, fewest_states(pair), share)):
        decided += pair.check(cpus, f"GOVERNOR_SEED={SEED!r}, batch {number}, ")
    assert decided >= share


@pytest.mark.parametrize("name", GOVERNORS)
def test_any_sequence(pair_of: Callable[[str, int], Pair], name: str) -> None:
    hz2pair = {hz: pair_of(name, hz) for hz in HZS}

    # Disagreements are shrunk here, in batches: hypothesis would start a program for each try.
    @settings(
        max_examples=max(20, DECISIONS // 5000),
        deadline=None,
        phases=(Phase.explicit, Phase.reuse, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data(), st.sampled_from(HZS))
    def decide(data: st.DataObject, hz: int) -> None:
        pair = hz2pair[hz]
        pair.check([data.draw(any_cpu(hz, fewest_states(pair)))])

    decide()


class Wrong:
    """A ladder that is wrong about one thing: two tasks waiting for I/O keep the tick."""

    def __init__(self, right: GovernorModel) -> None:
        self.right = right
        self.states, self.hz = right.states, right.hz
        self.finished = right.finished

    def select(self, asked: Situation) -> Decision:
        decision = self.right.select(asked)
        return replace(decision, stop_tick=asked.nr_iowaiters != 2)


def test_a_wrong_model_is_found(pair_of: Callable[[str, int], Pair]) -> None:
    right = pair_of("ladder", 250)
    wrong = replace(right, model=lambda states: Wrong(right.model(states)))
    (cpus,) = batches("wrong", 250, 2, 20_000)
    with pytest.raises(pytest.fail.Exception) as failure:
        wrong.check(cpus)
    account = str(failure.value)
    row = "latency_req_us=2000000000, sleep_length_ns=1000000000, delta_next_ns=1000000"
    # ladder has passed over a polling state since 4.14
    first = account.partition(f"row 0: {row}, nr_iowaiters=2 -> (")[2][:1]
    assert first in (("0", "1") if "polling=True" in account else ("0",))
    assert "row 1" not in account
    assert f"kernel: {first} True\nmodel:  {first} False\n" in account
