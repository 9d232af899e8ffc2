"""Energy of CPUs, running ones included: what simulate, replay, tune and review reckon it by.

A CpuUse says how long CPUs ran and idled, and machine() what that draws by a PowerModel: running
CPUs what `awake` is, which is also drawn while a state is left, idle ones what their state draws.
All figures are exact ranges over the bounds of what is given, for the whole, for each wake-up, for
each unit of work where a workload counts any, and on the average (Spent).
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, product
from math import prod
from typing import Annotated

from ...base.dataclass import dataclass, replace
from ...base.model.forms import Rounded
from ...tables.power.energy import IDLE_ONLY, RELATIVE, ZERO, PowerBounds, PowerModel, Spent, energy
from .counters import Figures
from .results import Account

SNOOZES = 1_000_000
"""The power of a thread in snooze, in the unit of RUNNING."""
RUNNING = (SNOOZES, 2 * SNOOZES)
LEAVING_NOTE = "leaving a state is counted as running"
RUNNING_NOTE = "a running thread draws 1 to 2 times what snooze does: assumed, not measured"
OUTSIDE_NOTE = (
    "CPUs are assumed to run outside the idle periods that were read, even where the beginning or "
    "end of the trace cuts one off"
)
MOST_CORNERS = 4096
"""Combinations of bounds that are tried; 12 states with ranges have as many."""
RUNNING_CPUS = "running"
"""The name that machine() gives to the CPUs that no state has."""
_MACHINE_NOTE = "all CPUs, running ones included, over whole runs"


@dataclass(frozen=True, slots=True)
class CpuUse:
    """The use of CPUs, all together.

    duration_ns  length of the time that this is of
    counted      how often a workload did what it counts; 0 without one
    usage        state -> idle periods that it was asked for
    awake_ns     CPU time outside idle states: computing, deciding, and leaving a state
    times_ns     state -> CPU time in it, as asked for
    held_ns      state -> CPU time in which all CPUs of what the state acts on (a thread, core, pair
                 or quad) had asked for it or a deeper one: what it can save
    """

    names: tuple[str, ...]
    cpus: int
    duration_ns: int
    counted: int
    usage: tuple[int, ...]
    awake_ns: int
    times_ns: tuple[int, ...]
    held_ns: tuple[int, ...]

    @property
    def wakeups(self) -> int:
        """Idle periods that ended."""
        return sum(self.usage)

    @property
    def idle_ns(self) -> int:
        return self.cpus * self.duration_ns - self.awake_ns


def use_of(figures: Figures, model: PowerModel, cpus_ns: int) -> CpuUse:
    """The use of CPUs whose idle periods were counted, each state acting on its own thread.

    model    how long its states take to enter and leave, which counts as running
    cpus_ns  CPU time in all, idle or not; no less than the idle periods' is taken
    """
    times_ns = []
    for state in figures.states:
        known = model.states.get(state.name)
        left_ns = 0 if known is None else state.usage * known.tau_ns
        times_ns.append(max(state.time_us * 1000 - left_ns, 0))
    whole_ns = max(cpus_ns, figures.time_us * 1000)
    return CpuUse(
        tuple(state.name for state in figures.states),
        1,
        whole_ns,
        0,
        tuple(state.usage for state in figures.states),
        whole_ns - sum(times_ns),
        tuple(times_ns),
        tuple(sum(times_ns[number:]) for number in range(len(times_ns))),
    )


@dataclass(frozen=True, slots=True)
class Change:
    """A change in percent of what it was before."""

    least: Annotated[float, Rounded(3), "In percent."]
    most: Annotated[float, Rounded(3), "In percent."]

    @property
    def sign(self) -> int:
        """1: it rises, or stays, whatever is assumed; -1: it falls or stays; 0: that depends, or
        nothing changes."""
        return (self.least >= 0) * (self.most > 0) - (self.most <= 0) * (self.least < 0)


@dataclass(frozen=True, slots=True)
class MachineChange:
    """power: mean power of all CPUs. energy: for each counted unit; None without any."""

    power: Change
    energy: Change | None


def spanned(ratios: Sequence[Fraction]) -> Change:
    """The range of some ratios, as changes in percent."""
    return Change(*(float(100 * (ratio - 1)) for ratio in (min(ratios), max(ratios))))


def of_machine(model: PowerModel) -> PowerModel:
    """A model of idle states as one of whole machines: `awake` is what a running CPU draws.

    Where that is given (in watts it must be), it is that; else RUNNING times what an idle thread
    does that polls, to which figures are relative.
    """
    grounds = [one for one in model.assumptions if one != IDLE_ONLY and not one.startswith("E(t)")]
    awake = model.awake
    if model.unit == RELATIVE and awake == PowerBounds.exactly(1):
        awake = PowerBounds(*(Fraction(draw, SNOOZES) for draw in RUNNING))
        grounds.insert(0, RUNNING_NOTE)
    return replace(model, awake=awake, assumptions=(_MACHINE_NOTE, LEAVING_NOTE, *grounds))


def machine(found: CpuUse, model: PowerModel) -> Spent:
    """The energy of all CPUs over a time, in ns times the model's unit: that of running ones, then
    by the state that is drawn, which is one that all CPUs it acts on had asked for.

    model  as of_machine() makes it; a state that a deeper one follows draws no less than it
    """
    missing = _missing(found, model)
    names = [name for name in found.names if name in model.states]
    ends = [_ends(model.states[name].power) for name in names]
    by_corner = [
        _by_state(found, dict(zip(names, chosen, strict=True))) for chosen in product(*ends)
    ]
    sums = [sum(one, Fraction(0)) for one in by_corner]
    states = {
        name: PowerBounds(min(draws), max(draws))
        for name, draws in zip(names, zip(*by_corner, strict=True), strict=True)
    }
    running = model.awake.times(_running_ns(found))
    total = running + PowerBounds(min(sums), max(sums))
    return Spent(
        ((RUNNING_CPUS, running), *((name, states.get(name)) for name in found.names)),
        None if missing else total,
        missing,
        found.cpus * found.duration_ns,
        found.wakeups,
        found.counted,
    )


def with_running(idle: Spent, awake: PowerBounds, running_ns: int, counted: int = 0) -> Spent:
    """The energy of idle periods, and of CPUs that ran for running_ns beside them. awake: what a
    running CPU draws, as of_machine() has it; counted: what a workload counted."""
    running = awake.times(running_ns)
    return replace(
        idle,
        states=((RUNNING_CPUS, running), *idle.states),
        total=None if idle.total is None else idle.total + running,
        time_ns=idle.time_ns + running_ns,
        counted=counted,
    )


def _missing(found: CpuUse, model: PowerModel) -> tuple[str, ...]:
    times = zip(found.names, found.times_ns, strict=True)
    return tuple(name for name, time in times if time and name not in model.states)


def _ends(bounds: PowerBounds) -> list[Fraction]:
    return sorted({bounds.low, bounds.high})


def _running_ns(found: CpuUse) -> int:
    """Time in ns that a CPU runs for: outside of idle periods, and in those until the first state
    is held."""
    return found.awake_ns + found.idle_ns - found.held_ns[0]


def _by_state(found: CpuUse, draws: Mapping[str, Fraction]) -> list[Fraction]:
    """Energy drawn in each state that draws has. What is held in a deeper state is not drawn in the
    one before."""
    times = zip(found.names, found.times_ns, strict=True)
    # a state without a figure is not drawn as the one before it
    known = [at for at, (name, time) in enumerate(times) if name in draws or time]
    held = [found.held_ns[at] for at in known]
    own = [
        a - b
        for at, a, b in zip(known, held, [*held[1:], 0], strict=True)
        if found.names[at] in draws
    ]
    falling = accumulate((draws[name] for name in found.names if name in draws), min)
    return [draw * time for draw, time in zip(falling, own, strict=True)]


def changes(before: CpuUse, after: CpuUse, model: PowerModel) -> MachineChange | None:
    """Returns the changes by a table against another, states drawing the same with both. None where
    figures are missing, or too many are ranges."""
    names = [name for name in dict.fromkeys((*before.names, *after.names)) if name in model.states]
    ends = [_ends(model.states[name].power) for name in names]
    if _missing(before, model) or _missing(after, model) or prod(map(len, ends)) > MOST_CORNERS:
        return None
    ratios = []
    for running, *chosen in product(_ends(model.awake), *ends):
        draws = dict(zip(names, chosen, strict=True))
        old, new = (
            (running * _running_ns(one) + sum(_by_state(one, draws))) / one.duration_ns
            for one in (before, after)
        )
        if not old:
            return None
        ratios.append(new / old)
    counts = before.counted and after.counted
    of_units = [ratio * Fraction(before.counted, after.counted) for ratio in ratios if counts]
    return MachineChange(spanned(ratios), spanned(of_units) if of_units else None)


@dataclass(frozen=True, slots=True)
class MachineEnergy:
    """The power that machines draw with each of some tables.

    model   as of_machine() makes it
    spents  table by table, all runs together
    changes  of each table but the first, against that
    """

    model: PowerModel
    spents: tuple[Spent, ...]
    changes: tuple[MachineChange | None, ...]


def machines(uses: Sequence[CpuUse], model: PowerModel, *notes: str) -> MachineEnergy:
    """Returns the power of CPUs with each of some tables. model: of idle states; notes: further
    assumptions."""
    own = of_machine(model)
    own = replace(own, assumptions=(*own.assumptions, *notes))
    return MachineEnergy(
        own,
        tuple(machine(use, own) for use in uses),
        tuple(changes(uses[0], use, own) for use in uses[1:]),
    )


def of_accounts(
    accounts: Sequence[Account], span_ns: int | None, model: PowerModel | None
) -> MachineEnergy | None:
    """Returns the power of a trace's CPUs with each table. None without figures, and where span_ns,
    the length of the trace, is not known, nor how long CPUs ran then."""
    if model is None or span_ns is None or not accounts:
        return None
    uses = [use_of(each.total, model, span_ns * len(each.cpus)) for each in accounts]
    return machines(uses, model, OUTSIDE_NOTE)


def spent(figures: Figures, model: PowerModel) -> Spent:
    """Returns the energy of counted idle periods; their time is in whole us, as counted."""
    states: list[tuple[str, PowerBounds | None]] = []
    missing, total = [], ZERO
    for state in figures.states:
        known = model.states.get(state.name)
        if known is None:
            states.append((state.name, None))
            if state.usage:
                missing.append(state.name)
            continue
        own = energy(model.awake, known, state.usage, state.time_us * 1000)
        states.append((state.name, own))
        total += own
    return Spent(
        tuple(states),
        None if missing else total,
        tuple(missing),
        figures.time_us * 1000,
        figures.usage,
    )
