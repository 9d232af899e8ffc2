"""A calibrated replay: inputs are inferred of the traced decisions, and other tables given them.

As in the replay of an exact recording, an idle period stays what it was, whatever is selected.
"""

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import compress
from operator import eq, sub
from typing import TYPE_CHECKING, Annotated

from ...base.dataclass import dataclass
from ...base.model.forms import Count
from ...base.reading.problems import InputProblems
from ...tables.linux.governors import core
from ...tables.linux.governors.core.packing import NONE, PERIOD
from ...tables.linux.governors.interface import NO_STATE, tick_ns
from ..traces.periods import Period, Periods
from .beginning import Beginning
from .counters import Tally
from .machine import CpuTable, TracedMachine
from .next_timer import CALIBRATED
from .replay import CpuModels, Settings

if TYPE_CHECKING:
    from .inference import Inferred

PERIODS_MAX = 200_000
"""Up to so many idle periods, a replay is calibrated without being asked to; each further table, or
another governor, counts as OTHER of them: some seconds in all."""
BY_REFERENCE_MAX = 600
"""The same without the compiled core."""
OTHER = 5


@dataclass(frozen=True, slots=True)
class StateBounds:
    """The range of a state's usage and time in a calibrated replay, over all CPUs."""

    index: Annotated[Count, "Number."]
    name: Annotated[str, "Name."]
    least: Annotated[Count, "Least usage."]
    most: Annotated[Count, "Greatest usage."]
    least_us: Annotated[Count, "Least time."]
    most_us: Annotated[Count, "Greatest time."]


@dataclass(frozen=True, slots=True)
class Unexplained:
    """The periods of a CPU in a state that no inputs lead to."""

    cpu: Annotated[Count, "The CPU."]
    state: Annotated[Count, "Number of the state entered."]
    name: Annotated[str, "Its name."]
    count: Annotated[Count, "Periods."]


@dataclass(frozen=True, slots=True)
class Calibration:
    """The inference of inputs from traced decisions."""

    tick_phase_ns: Annotated[
        int | None, "Phase of the tick on the trace's clock; null where none is seen."
    ]
    periods: Annotated[Count, "Idle periods."]
    explained: Annotated[Count, "Periods for which some inputs lead to the state entered."]
    unexplained: Annotated[tuple[Unexplained, ...], "Periods without such inputs."]
    tick_ended: Annotated[Count, "Periods that the tick ended."]
    stopped: Annotated[Count, "Periods that began with a stopped tick."]


class Calibrated(CpuModels):
    """A machine's CPUs, given inputs that were inferred."""

    def __init__(self, machine: TracedMachine, settings: Settings, problems: InputProblems) -> None:
        super().__init__(machine, settings, problems)
        self._bounds: dict[tuple[int, str], list[int]] = {}

    @property
    def bounds(self) -> tuple[StateBounds, ...]:
        return tuple(
            StateBounds(*key, least, most, least_ns // 1000, most_ns // 1000)
            for key, (least, most, least_ns, most_ns) in sorted(self._bounds.items())
        )

    def take(
        self,
        cpu: int,
        periods: "array[int]",
        inferred: "Inferred",
        decisions: bytes,
        masks: "array[int] | None" = None,
        latest_ns: int = -1,
    ) -> None:
        """Counts a CPU's decisions. masks: the states that are open in each period, None: bounds
        are not asked for; latest_ns: the last start of which `note` is told."""
        tally = self.tally_of(cpu, self._problems.add)
        assert tally is not None
        starts, ends, states = periods[::3], periods[1::3], decisions[::2]
        lengths = [*map(sub, ends, starts)]
        if core.available():
            tally.stateless += tally.count(inferred.rows, decisions)[0]
        else:
            for state, length in zip(states, lengths, strict=True):
                tally.add(NO_STATE if state == NONE else state, length)
        if self.note is not None:
            decided = zip(states, starts, ends, strict=True)
            for state, start_ns, end_ns in compress(decided, map(latest_ns.__ge__, starts)):
                self.note(cpu, NO_STATE if state == NONE else state, start_ns, end_ns, False)
        self.decisions += len(lengths)
        self.hold(cpu, len(lengths), sum(map(eq, states, periods[2::3])))
        if self.domains is not None:
            self.domains.record_packed(cpu, inferred.rows, decisions)
        if masks is not None:
            self._bound(tally, lengths, masks)

    def _bound(self, tally: Tally, lengths: Sequence[int], masks: "array[int]") -> None:
        """Adds periods to the bounds of the states that are open in them."""
        times: Counter[int] = Counter()
        for open_, length in zip(masks, lengths, strict=True):
            times[open_] += length
        for open_, count in Counter(masks).items():
            for number, name in enumerate(tally.table.names):
                sums = self._bounds.setdefault((number, name), [0, 0, 0, 0])
                if open_ >> number & 1:
                    sums[1] += count
                    sums[3] += times[open_]
                if open_ == 1 << number:
                    sums[0] += count
                    sums[2] += times[open_]


class Trace:
    """Collects a trace's idle periods for calibration at its end.

    machine   the traced one
    settings  the kernel and governor that were traced
    most      number of periods beyond which there is to be no calibration; None: any
    """

    def __init__(self, machine: TracedMachine, settings: Settings, most: int | None) -> None:
        self._machine = machine
        self._settings = settings
        self._most = most
        self._count = 0
        self._parts: list[bytes] = []

    @property
    def too_long(self) -> bool:
        return self._most is not None and self._count > self._most

    def add(self, periods: Sequence[Period]) -> list[Sequence[Period]]:
        """Takes idle periods, which are in order for each CPU. Returns what is not kept: all, once
        there are too many."""
        self._count += len(periods)
        if not self.too_long:
            self._parts.append(Periods.of(periods).packed)
            return []
        before, self._parts = self._parts, []
        return [*map(Periods, before), periods]

    def _cpus(self) -> "dict[int, array[int]]":
        """CPU -> start and end in ns, and state, of each period. Those of a CPU without a table, or
        in a state beyond it, are left out."""
        found: dict[int, array[int]] = {}
        for part in self._parts:
            for start_ns, end_ns, state, cpu, _ in PERIOD.iter_unpack(part):
                table = self._machine.table(cpu)
                if table is not None and state < len(table.states) and end_ns >= start_ns:
                    found.setdefault(cpu, array("Q")).extend((start_ns, end_ns, state))
        return dict(sorted(found.items()))

    def calibrate(
        self,
        machines: Sequence[TracedMachine],
        wanted: Settings,
        problems: InputProblems,
        beginning: Beginning,
    ) -> tuple[Calibration, Calibrated, tuple[Calibrated, ...]]:
        """Returns how inputs were inferred, what they make of the traced machine with what decided
        there, and of each machine with what was asked for. beginning: follows these."""
        from .inference import Inference
        from .placed import tick_phase

        models = tuple(Calibrated(machine, wanted, problems) for machine in machines)
        for model in models:
            model.note = beginning.note(model.machine, wanted)
        traced_one = Calibrated(self._machine, self._settings, problems)
        cpus = self._cpus()
        ends = [end for periods in cpus.values() for end in periods[1::3]]
        phase_ns = tick_phase(ends, tick_ns(self._settings.hz))
        unexplained: list[Unexplained] = []
        tick_ended = stopped = 0
        for cpu, periods in cpus.items():
            traced = self._machine.table(cpu)
            assert traced is not None
            others = [
                (model, table)
                for model in models
                if (table := model.machine.table(cpu)) is not None
            ]
            same = wanted == self._settings
            news = [table for _, table in others if not same or table != traced]
            inference = Inference(traced, self._settings, news, wanted, phase_ns)
            found = inference.infer(periods)
            answers = iter(found.others)
            own = found.decided, _own(found, periods, traced)
            traced_one.take(cpu, periods, found, found.decided)
            for model, table in others:
                answer = own if same and table == traced else next(answers)
                model.take(cpu, periods, found, *answer, beginning.latest_ns(cpu))
            unexplained += _unexplained(cpu, traced, periods, found)
            tick_ended += found.tick_ended
            stopped += found.stopped
        count = len(ends)
        left = sum(each.count for each in unexplained)
        calibration = Calibration(
            phase_ns, count, count - left, tuple(unexplained), tick_ended, stopped
        )
        return calibration, traced_one, models


def unasked_most(others: int) -> int:
    """Returns the most periods that are calibrated without a request. others: number of machines to
    be replayed besides the traced one."""
    return (PERIODS_MAX if core.available() else BY_REFERENCE_MAX) // (1 + OTHER * others)


def assumed_of_calibration(found: Calibration, settings: Settings) -> Iterator[str]:
    """Sentences: what a calibrated replay rests on."""
    yield (
        "calibrated: each period gets a next timer, tick and load with which the traced governor "
        "selects the recorded state; where several fit, the likeliest is used, and least and most "
        "show the range"
    )
    yield "an idle period lasts as long as traced, for any selected state, and is one decision"
    phase_ns = found.tick_phase_ns
    if phase_ns is None:
        yield f"no tick of 1/{settings.hz} s is seen in the ends of the periods"
    else:
        yield (
            f"the tick of 1/{settings.hz} s is at {phase_ns / 1000:.1f} us of its period: it "
            f"ended {found.tick_ended} periods; {found.stopped} began with the tick stopped"
        )
    yield "no latency limit except the named ones, and no load (governors before 4.20 look at it)"


def not_calibrated(others: int, *, certain: bool) -> str:
    """Says why a trace is not calibrated without being asked to: it is too long, or not certain to
    be of the first table."""
    if not certain:
        return (
            "not calibrated: no sysfs dump of the traced machine was given (--next-timer "
            f"{CALIBRATED} assumes that the first table is its own)"
        )
    return (
        f"not calibrated: more than {unasked_most(others)} idle periods (--next-timer {CALIBRATED})"
    )


def _own(found: "Inferred", periods: "array[int]", table: CpuTable) -> "array[int]":
    """Returns the states that are open with the traced table: those entered, but where nothing
    explains them."""
    every = sum(1 << number for number in range(len(table.states)) if number not in table.disabled)
    masks = array("H", map((1).__lshift__, periods[2::3]))
    for index in found.unexplained:
        masks[index] |= every
    return masks


def _unexplained(
    cpu: int, table: CpuTable, periods: "array[int]", found: "Inferred"
) -> Iterator[Unexplained]:
    counts = Counter(periods[3 * index + 2] for index in found.unexplained)
    for state, count in sorted(counts.items()):
        yield Unexplained(cpu, state, table.names[state], count)
