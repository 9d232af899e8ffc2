"""The result of a run of tune, with its inputs and assumptions."""

from collections.abc import Iterator
from dataclasses import dataclass

from ..linux.intel_idle.cmdline import TableArgument
from ..linux.releases import Release
from ..replay.energy import IDLE_ONLY, RELATIVE, PowerModel
from ..replay.machine import CpuTable
from ..replay.replay import Settings
from .search import Tuned
from .source import SIMULATED, GapSource
from .waits import Wait


@dataclass(frozen=True, slots=True)
class Tuning:
    """A run of tune.

    settings    None without a governor
    waits       best polling time before each state
    timeout_ns  present polling limit of state 0; None: polls until the CPU is woken
    files       (name, SHA-256) of every file read
    boot        the parameter that gives an x86 machine the best table; None where not asked
    """

    name: str
    source: GapSource
    settings: Settings | None
    release: Release
    table: CpuTable
    power: PowerModel
    tuned: Tuned
    waits: tuple[Wait, ...]
    timeout_ns: int | None
    files: tuple[tuple[str, str], ...] = ()
    boot: TableArgument | None = None

    @property
    def gaps(self) -> int:
        """Number of gaps; of a simulation, with the present table."""
        return self.source.gaps.count or sum(self.tuned.present.outcomes.usage)

    @property
    def idle_ns(self) -> int:
        """Sum of the gaps in ns; of a simulation, idle time with the present table."""
        return self.source.gaps.total or 1000 * sum(self.tuned.present.outcomes.time_us)

    def assumptions(self) -> Iterator[str]:
        """Yields the assumptions behind all figures, as sentences."""
        yield from self.source.assumptions
        if self.settings is None:
            yield "every gap is known when it begins: no governor was asked"
        else:
            yield "the governor remembers what it selected itself, gap by gap"
            if self.source.exactness == "estimated":
                yield (
                    f"next timer: {self.settings.next_timer} (--next-timer); tick and polling as "
                    "in replay"
                )
            elif self.source.exactness == "exact":
                yield "what the governor was given is as recorded, whatever it selects"
        yield (
            f"the best is of {self.tuned.tried} tables tried: from the present one, from "
            "break-evens and from the present one scaled as a whole, residencies are changed one "
            "at a time, and together, from a 16th of what is present or break-even to 16 times "
            "that, not below the exit latency, in steps of the square root of 2; residencies "
            "WITHIN 1 % are of those tried; latencies stay"
        )
        yield (
            "tau is of exit latencies as the table has them, to the ns; the EXIT LATENCY and wake "
            "latencies shown are the kernel's, in whole us"
        )
        if self.power.unit == RELATIVE:
            yield "energy in s awake: as much as an awake CPU draws in so many seconds"
        figures = (self.power.awake, *(state.power for state in self.power.states.values()))
        if any(each.low != each.high for each in figures):
            yield (
                "where figures have bounds, the best and how long to poll are by the middle of them"
            )
        for assumption in self.power.assumptions:
            if assumption != IDLE_ONLY or self.source.exactness != SIMULATED:
                yield assumption
