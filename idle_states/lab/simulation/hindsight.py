"""Hindsight on a simulation: the state that would have fitted each stretch of idle time.

A stretch begins where a CPU idles after a task, and lasts until there is work for the CPU: a task
that is put into its queue, or a task's timer. Ticks, time limits of polling and interrupts that
wake no task do not end it; the end of the simulation cuts it to its idle periods that are over.
It is no oracle that selects: with other states, wake-ups would have paid another exit latency, and
the stretches after them would have been others.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal

from ...base.dataclass import dataclass, replace
from ...base.model.forms import Form, derived
from ...tables.power.energy import PowerModel
from ..replay.consumption import Change
from ..replay.counters import StateFigures, percentile_name, total
from ..replay.oracle import foreseen, prices
from ..replay.rivals import SHOWN, Rival, rival
from .setup import Setup, SimulationRun
from .summary import RunSpread, SimulationSummary, spread
from .topology import SCOPED

BY_RESIDENCY, BY_COST = "residency", "energy"


def with_hindsight(setup: Setup, power: PowerModel | None) -> Setup:
    """Returns a setup whose runs are judged with hindsight."""
    exits_ns = [effect.exit_ns for effect in setup.effects]
    own = power if _is_priced(setup, power) else None
    return replace(setup, foreseen=foreseen(setup.table, own, exits_ns=exits_ns))


def _is_priced(setup: Setup, power: PowerModel | None) -> bool:
    """Tells whether each stretch has an energy of its own: figures of all states, each of which
    acts on one CPU."""
    of = setup.topology
    alone = not setup.domains and all(of.count(name) == of.cpus for name in SCOPED)
    return alone and prices(setup.table, power)


@dataclass(frozen=True, slots=True)
class Hindsight:
    """Distances of one setup's runs to hindsight.

    whole  all runs together
    runs   run by run
    """

    setup: Setup
    whole: Rival
    runs: tuple[Rival, ...]
    by: Annotated[str, "The criterion of hindsight: residency or energy."]

    @property
    def stretches(self) -> RunSpread:
        """Stretches of idle time that ended."""
        return spread(run.oracle.usage for run in self.runs)

    @property
    def misjudged_beyond(self) -> RunSpread | None:
        """Share of idle periods too deep or too shallow, less hindsight's."""
        return _spread(run.misjudged_beyond for run in self.runs)

    def paid_ns(self, percentile: float) -> RunSpread | None:
        """Returns the exit latency paid."""
        return _spread(run.figures.wake_latency_ns(percentile) for run in self.runs)

    def paid_beyond_ns(self, percentile: float) -> RunSpread | None:
        """Returns the exit latency paid, less hindsight's."""
        return _spread(run.paid_beyond_ns(percentile) for run in self.runs)


def _spread(values: Iterable[float | None]) -> RunSpread | None:
    known = [value for value in values if value is not None]
    return spread(known) if known else None


def hindsight_of(found: SimulationSummary, power: PowerModel | None) -> Hindsight | None:
    """Returns the distances of a setup's runs; None where it was run without hindsight."""
    setup = found.setup
    own = power if _is_priced(setup, power) else None

    def beside(runs: Sequence[SimulationRun]) -> Rival:
        figures = total([cpu for run in runs for cpu in run.cpus])
        best = total([run.hindsight for run in runs if run.hindsight is not None])
        awake_ns = sum(run.between_ns for run in runs)
        return rival(setup.name, setup.governor, figures, best, own, awake_ns)

    if setup.foreseen is None:
        return None
    by = BY_RESIDENCY if own is None else BY_COST
    runs = tuple(beside([run]) for run in found.runs)
    return Hindsight(setup, beside(found.runs), runs, by)


def _by_percentile(name: str) -> Any:
    """A key: percentile -> what the method returns of it."""
    return derived(lambda found: {percentile_name(p): getattr(found, name)(p) for p in SHOWN})


class HindsightForm(Form[Hindsight]):
    """Distances of a setup's runs to hindsight, which knows the length of each stretch of idle
    time that there was; with its states the stretches would have been others."""

    by: Literal["residency", "energy"]
    stretches: RunSpread
    states: Annotated[
        list[StateFigures], "Stretches of all seeds, by the state that hindsight selects."
    ] = derived("whole.oracle.states")
    paid_ns: Annotated[
        dict[str, RunSpread | None], "Percentile -> exit latency paid by the governor."
    ] = _by_percentile("paid_ns")
    paid_beyond_ns: Annotated[
        dict[str, RunSpread | None], "Percentile -> exit latency paid beyond hindsight's."
    ] = _by_percentile("paid_beyond_ns")
    misjudged_beyond: RunSpread | None
    energy_beyond: Annotated[
        Change | None,
        "Energy of idle time beyond hindsight's, over all seeds; null without figures of all "
        "states, and where a state acts on several CPUs.",
    ] = derived("whole.beyond")
