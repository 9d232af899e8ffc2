"""The result of a run of tune, with its inputs and assumptions."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from ...base.dataclass import dataclass
from ...base.wording import plural
from ...tables.linux.intel_idle.cmdline import TableArgument
from ...tables.linux.releases import Release
from ...tables.power.energy import IDLE_ONLY, RELATIVE, PowerModel, Spent, break_even
from ..replay.consumption import RUNNING_NOTE, of_machine, with_running
from ..replay.machine import CpuTable
from ..replay.replay import Settings
from .judging import Judged
from .sampling import IdleSample
from .search import NEXT, Tuned
from .source import SIMULATED, GapSource
from .truth import HonestTable, Truth
from .waits import Wait


@dataclass(frozen=True, slots=True)
class Tuning:
    """A run of tune.

    settings    None without a governor
    power       what states draw, for break-evens
    drawn       the same with what a running CPU draws, for energies; of a simulation only another
    waits       best polling time before each state
    timeout_ns  present polling limit of state 0; None: polls until the CPU is woken
    files       (name, SHA-256) of every file read
    truth       measured latencies, which costs are by; None: the table is taken at its word
    sample      what was searched over; None: all idle periods
    honest      tables that advertise them; () without truth, and without a governor to believe
    boot        the parameter that gives an x86 machine the best table; None where not asked
    """

    name: str
    source: GapSource
    settings: Settings | None
    release: Release
    table: CpuTable
    power: PowerModel
    drawn: PowerModel
    tuned: Tuned
    waits: tuple[Wait, ...]
    timeout_ns: int | None
    files: tuple[tuple[str, str], ...] = ()
    boot: TableArgument | None = None
    truth: Truth | None = None
    honest: tuple[HonestTable, ...] = ()
    sample: IdleSample | None = None

    @property
    def gaps(self) -> int:
        """Number of gaps; of a simulation, with the present table."""
        return self.source.gaps.count or sum(self.tuned.present.outcomes.usage)

    @property
    def idle_ns(self) -> int:
        """Sum of the gaps in ns; of a simulation, idle time with the present table."""
        return self.source.gaps.total or 1000 * sum(self.tuned.present.outcomes.time_us)

    @property
    def compared(self) -> tuple[tuple[str, Judged], ...]:
        """The three tables that are compared, by their names."""
        tuned = self.tuned
        return ("present", tuned.present), ("break-even", tuned.even), ("best", tuned.best)

    def break_evens(self) -> list[tuple[Fraction, Fraction | None] | None]:
        """Returns the break-even in ns of each state against the one before it, as break_even()
        does."""
        model, names = self.power, self.table.names
        return [
            break_even(model.awake, model.states[before], model.states[name])
            for before, name in pairwise(names)
        ]

    def searched(self) -> str | None:
        """Returns the part of the idle periods that was searched over, in words; None: all."""
        if self.sample is None:
            return None
        return (
            f"searched over {self.sample.idles} of {self.sample.of} idle periods; figures are over "
            f"all of them, of {plural(self.tuned.evaluated, 'table')}"
        )

    def assumptions(self) -> Iterator[str]:
        """Yields the assumptions behind all figures, as sentences."""
        yield from self.source.assumptions
        yield from self._of_decisions()
        yield from self._of_search()
        yield from self._of_latencies()
        yield from self._of_energy()

    def _of_decisions(self) -> Iterator[str]:
        if self.settings is None:
            yield "the length of every gap is known in advance: no governor was asked"
        else:
            yield "the governor remembers what it selected itself, gap by gap"
            if self.source.exactness == "estimated":
                yield (
                    f"next timer: {self.settings.next_timer} (--next-timer); tick and polling as "
                    "in replay"
                )
            elif self.source.exactness == "exact":
                yield "the governor's inputs are as recorded, for any selected state"

    def _of_search(self) -> Iterator[str]:
        yield (
            f"the best of {self.tuned.tried} tables: from the present one, from break-evens and "
            "from the present one scaled, residencies change one at a time and together, in steps "
            "of the square root of 2, from 1/16 to 16 times the present or break-even value, "
            "never below the exit latency; WITHIN 1 % names residencies tried; latencies stay"
        )
        if self.sample is not None:
            yield (
                "the search used a sample: runs of idle periods from all of the input, evenly "
                "spread, by CPU; evaluated over all idle periods were the present table, "
                f"break-evens, the best of the sample and the next {NEXT}, tables that none "
                "beats in both wake latency and energy, and the best with figures at their "
                "bounds; WITHIN 1 % is over the sample (--search-over all: no sample)"
            )

    def _of_latencies(self) -> Iterator[str]:
        if self.truth is None:
            yield (
                "tau uses the table's exit latencies, in ns; the EXIT LATENCY and wake latencies "
                "shown are the kernel's, in whole us"
            )
        else:
            yield (
                "tau and wake latencies are as measured, of states that were: the middle or mean "
                "of their wake-ups; the governor believes the EXIT LATENCY of the table"
            )
            if self.settings is None:
                yield (
                    "without a governor no latency is used: no table with honest latencies is tried"
                )

    def _of_energy(self) -> Iterator[str]:
        if self.power.unit == RELATIVE:
            yield (
                "energy is in seconds of a CPU in snooze"
                if self.simulated
                else "energy is in seconds of an awake CPU"
            )
        figures = (self.drawn.awake, *(state.power for state in self.power.states.values()))
        if any(each.low != each.high for each in figures):
            yield (
                "where figures have bounds, the best and how long to poll are by the middle of them"
            )
        for assumption in self.power.assumptions:
            if assumption != IDLE_ONLY or not self.simulated:
                yield assumption
        if self.simulated:
            known = self.power.assumptions
            yield from (note for note in self.drawn.assumptions if note not in known)
        elif self.source.running_ns is not None:
            yield (
                "with running CPUs: each from its first idle period to its last, as in the input, "
                "for any selected state"
            )
            yield from (note for note in self.machine.assumptions if note == RUNNING_NOTE)

    @property
    def simulated(self) -> bool:
        return self.source.exactness == SIMULATED

    @property
    def machine(self) -> PowerModel:
        """The power model of whole machines, which has what a running CPU draws."""
        return self.drawn if self.simulated else of_machine(self.power)

    def whole(self, judged: Judged) -> Spent | None:
        """The energy with a table of CPUs that also ran; None where how long is not known."""
        if self.simulated:
            return judged.cost
        running_ns = self.source.running_ns
        if running_ns is None:
            return None
        return with_running(judged.cost, self.machine.awake, running_ns)
