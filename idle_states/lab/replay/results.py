"""The result of a replay."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

from ...base.dataclass import dataclass, field
from ...base.model.forms import Count
from ...base.reading.problems import Problem
from .agreement import ENOUGH, Agreement
from .counters import Figures, total

if TYPE_CHECKING:
    from ...tables.linux.genpd.running import DomainFigures
    from .beginning import Beginning
    from .calibrated import Calibration, StateBounds
    from .suspects import Suspicion

EXACT, ESTIMATED = "exact", "estimated"
BY_RESIDENCY, BY_ENERGY = "oracle, by residency", "oracle, by energy"
"""The names of the oracles: what each selects by."""


@dataclass(frozen=True, slots=True)
class Account:
    """Counters of one machine.

    governor   governor whose model selected the states; None: the states really entered
    decisions  number of the model's decisions
    held       CPU -> number of periods whose real state is known, and of these for which the model
               selected the same state
    domains    counters of the power domains that have states, those within others first
    bounds     of a calibrated replay: what the trace leaves open of each state
    left       times in a last state that go back in time, and are in no counter of a domain
    """

    machine: str
    governor: str | None
    cpus: Mapping[int, Figures]
    decisions: int = 0
    held: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    domains: tuple["DomainFigures", ...] = ()
    left: int = 0
    bounds: tuple["StateBounds", ...] = ()

    @property
    def total(self) -> Figures:
        return total(list(self.cpus.values()))

    @property
    def compared(self) -> int:
        return sum(compared for compared, _ in self.held.values())

    @property
    def agreed(self) -> int:
        return sum(agreed for _, agreed in self.held.values())

    @property
    def doubted(self) -> bool:
        """Tells whether so few periods agree with the model that its table or kernel is in
        doubt."""
        return self.agreed < ENOUGH * self.compared


@dataclass(frozen=True, slots=True)
class Bracketed:
    """A counter from a trace, and the kernel's own count between the dumps around the trace."""

    cpu: Annotated[Count, "The CPU."]
    state: Annotated[Count, "Number of the state."]
    name: Annotated[str, "Its name."]
    counter: Annotated[str, "usage, time_us, above, below or rejected."]
    trace: Annotated[int, "The trace's count."]
    dumps: Annotated[int, "The kernel's count between the dumps."]

    @property
    def excess(self) -> Annotated[int, "The excess of the dumps over the trace."]:
        return self.dumps - self.trace


@dataclass(frozen=True, slots=True)
class Read:
    """The input that was read. lines, events: 0 for kinds of input without them."""

    kind: Annotated[str, "The kind of input."]
    lines: Annotated[Count, "Lines."] = 0
    events: Annotated[Count, "Events."] = 0
    periods: Annotated[Count, "Idle periods, without refused entries."] = 0
    span_ns: Annotated[int | None, "First to last event."] = None


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """Result of a replay. misses: number of the trace's cpu_idle_miss events, {"above": n, "below":
    n}; None without any. suspicion: what the first table may be instead; None if nothing is
    suspected. agreement: how true the model is; None where no governor was asked.
    calibration: how the inputs of its decisions were inferred; None where they were not. oracles:
    where several governors are compared, an oracle's account of each machine asked for, and last
    of the traced one; else (). beginning: for the time line."""

    exactness: str
    assumptions: tuple[str, ...]
    read: Read
    observed: Account
    accounts: tuple[Account, ...]
    problems: tuple[Problem, ...]
    misses: Mapping[str, int] | None = None
    bracketed: tuple[Bracketed, ...] = ()
    suspicion: "Suspicion | None" = None
    agreement: Agreement | None = None
    calibration: "Calibration | None" = None
    oracles: tuple[Account, ...] = ()
    beginning: "Beginning | None" = None
