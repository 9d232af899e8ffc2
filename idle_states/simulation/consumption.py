"""Energy of a simulated machine, running CPUs included, over what its states may draw.

Power is in millionths of what a thread draws in snooze. A running CPU draws `running`, also while
it leaves a state; an idle one 1, less what its states save:

    E = running * awake + idle - sum over states (draw of the one before - its draw) * held

where `held` is the time in which all that the state acts on had asked for it (window.py). A state
that draws more than the one before it saves nothing more. E is linear in the draws, in whichever
order they are, so that the ratio of two energies is greatest and least at corners of what is
assumed: a range of figures is the range over these corners.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate, groupby, product
from math import prod

from ..replay.energy import IDLE_ONLY, RELATIVE, PowerBounds, PowerModel, Spent
from ..table import Power
from .setup import SCOPES
from .summary import SimulationSummary
from .window import Window, is_regular, whole

SNOOZES = 1_000_000
RUNNING = (SNOOZES, 2 * SNOOZES)
LEAVING_SAID = "leaving a state is counted as running"
RUNNING_SAID = "a running thread draws 1 to 2 times what snooze does: assumed, not measured"
MOST_CORNERS = 4096
"""Combinations of bounds that are tried; 12 states with ranges have as many."""
RUNNING_CPUS = "running"
"""What machine() calls the CPUs that no state has."""
_MACHINE_SAID = "all CPUs, running ones included, over whole runs"
_DOMAINS_SAID = "what power domains save, with all their CPUs idle, is not in it"
_SCOPE2DRAW = dict(
    zip(SCOPES, ((850_000, 900_000), (200_000, 850_000), (0, 200_000), (0, 200_000)), strict=True)
)
"""POWER8's nap, the range between its nap and its sleep, and what is below its sleep."""
_SCOPE_SAID = (
    "no figure of {} is known: as POWER8's by what it stops (IBM, POWER8 overview, S822/S822LC, "
    "medium confidence), a thread 0.85 to 0.9, a core 0.2 to 0.85, a pair or quad 0 to 0.2"
)
ANYTHING_SAID = (
    "whatever states draw: 0 to 1, the same for a state before and after, a deeper one no more"
)


@dataclass(frozen=True, slots=True)
class Draws:
    """What is assumed of a machine's power, snooze being 1000000.

    running  least and most of a running CPU
    states   (state, least, most), from the lightest to the deepest; of neighbours with the same
             bounds, the deeper one draws no more
    grounds  sentences: where that is from
    """

    running: tuple[int, int]
    states: tuple[tuple[str, int, int], ...]
    grounds: tuple[str, ...]

    def corners(self) -> Iterator[tuple[int, dict[str, int]]]:
        """Yields (draw of a running CPU, state -> draw)."""
        choices = []
        for (low, high), group in groupby(self.states, key=lambda state: state[1:]):
            names = [name for name, _, _ in group]
            steps = range(len(names) + 1) if low != high else range(1)
            choices.append(
                [
                    {name: high if at < step else low for at, name in enumerate(names)}
                    for step in steps
                ]
            )
        for chosen in product(*choices):
            draws = {name: draw for group in chosen for name, draw in group.items()}
            for running in dict.fromkeys(self.running):
                yield running, draws


def likely(states: Sequence[tuple[str, str]], known: Mapping[str, Power]) -> Draws:
    """What states draw by what is known.

    states  (state, its scope) but for snooze, from the lightest to the deepest
    known   state -> its figure, relative to an awake CPU, which is taken for one in snooze
    """
    found, grounds, unknown = [], [RUNNING_SAID], []
    for name, scope in states:
        power = known.get(name)
        if power is None:
            found.append((name, *_SCOPE2DRAW[scope]))
            unknown.append(name)
        else:
            found.append((name, power.low, power.high))
            shown = " to ".join(f"{ppm / SNOOZES:g}" for ppm in sorted({power.low, power.high}))
            grounds.append(
                f"{name} draws {shown} times what snooze does ({power.source}, "
                f"{power.confidence} confidence)"
            )
    if unknown:
        grounds.append(_SCOPE_SAID.format(", ".join(unknown)))
    return Draws(RUNNING, tuple(found), tuple(grounds))


def anything(states: Sequence[tuple[str, str]]) -> Draws:
    """The widest range that is possible. states: as for likely()."""
    return Draws(
        RUNNING,
        tuple((name, 0, SNOOZES) for name, _ in states),
        (RUNNING_SAID, ANYTHING_SAID),
    )


def energy(found: Window, running: int, draws: Mapping[str, int]) -> int:
    """Energy in a window, in ns times millionths of what a thread draws in snooze."""
    total = running * found.awake_ns + SNOOZES * found.idle_ns
    before = SNOOZES
    for name, held_ns in zip(found.names[1:], found.held_ns[1:], strict=True):
        draw = min(before, draws[name])
        total -= (before - draw) * held_ns
        before = draw
    return total


def of_machine(model: PowerModel) -> PowerModel:
    """A model of idle states as one of whole machines: `awake` is what a running CPU draws.

    Where that is given (in watts it must be), it is that; else RUNNING times what an idle thread
    does that polls, to which figures are relative.
    """
    grounds = [one for one in model.assumptions if one != IDLE_ONLY and not one.startswith("E(t)")]
    awake = model.awake
    if model.unit == RELATIVE and awake == PowerBounds.exactly(1):
        awake = PowerBounds(*(Fraction(draw, SNOOZES) for draw in RUNNING))
        grounds.insert(0, RUNNING_SAID)
    return replace(model, awake=awake, assumptions=(_MACHINE_SAID, LEAVING_SAID, *grounds))


def machine(found: Window, model: PowerModel) -> Spent:
    """The energy of all CPUs in a window, in ns times the model's unit: that of running ones, then
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
    )


def _missing(found: Window, model: PowerModel) -> tuple[str, ...]:
    asked = zip(found.names, found.asked_ns, strict=True)
    return tuple(name for name, time in asked if time and name not in model.states)


def _ends(bounds: PowerBounds) -> list[Fraction]:
    return sorted({bounds.low, bounds.high})


def _running_ns(found: Window) -> int:
    """With the time in which not even the first state is held."""
    return found.awake_ns + found.idle_ns - found.held_ns[0]


def _by_state(found: Window, draws: Mapping[str, Fraction]) -> list[Fraction]:
    """Energy drawn in each state that draws has. What is held in a deeper state is not drawn in the
    one before."""
    known = [at for at, name in enumerate(found.names) if name in draws]
    held = [found.held_ns[at] for at in known]
    own = [a - b for a, b in zip(held, [*held[1:], 0], strict=True)]
    falling = accumulate((draws[found.names[at]] for at in known), min)
    return [draw * time for draw, time in zip(falling, own, strict=True)]


def changes(before: Window, after: Window, model: PowerModel) -> "MachineChange | None":
    """What a table changes against another, states drawing the same with both. None where figures
    are missing, or there are too many that are ranges."""
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
    """What machines draw with each of some tables.

    model   as of_machine() makes it
    spents  table by table, all runs together
    counted  what the workload counted, likewise
    changes  of each table but the first, against that
    """

    model: PowerModel
    spents: tuple[Spent, ...]
    counted: tuple[int, ...]
    changes: "tuple[MachineChange | None, ...]"


def of_runs(found: Sequence[SimulationSummary], model: PowerModel | None) -> MachineEnergy | None:
    """None without figures, and where a state acts on cores, pairs or quads of several sizes."""
    if model is None or not all(is_regular(each.setup) for each in found):
        return None
    windows = [whole(each.setup, each.runs) for each in found]
    own = of_machine(model)
    if any(each.setup.domains for each in found):
        own = replace(own, assumptions=(*own.assumptions, _DOMAINS_SAID))
    spents = tuple(machine(window, own) for window in windows)
    against = tuple(changes(windows[0], window, own) for window in windows[1:])
    return MachineEnergy(own, spents, tuple(window.counted for window in windows), against)


@dataclass(frozen=True, slots=True)
class Change:
    """By how much a figure changes, in percent, at least and at most."""

    least: float
    most: float

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


def power_ratios(before: Window, after: Window, draws: Draws) -> list[Fraction]:
    """The mean power after to that before, at each corner of what is assumed. Before, some CPU must
    have been awake at some time."""
    return [
        Fraction(
            energy(after, *corner) * before.duration_ns, energy(before, *corner) * after.duration_ns
        )
        for corner in draws.corners()
    ]


def turning_points(before: Window, after: Window) -> list[float]:
    """What all states but snooze would have to draw, the same each, in percent of snooze, for the
    energy of each counted unit to stay as it is, with a running CPU at its least and its most; only
    those that lie between 0 and 100."""
    found = []
    for running in RUNNING:
        gaps = []
        for draw in (0, SNOOZES):
            spent = [
                Fraction(energy(each, running, dict.fromkeys(each.names, draw)), each.counted)
                for each in (before, after)
            ]
            gaps.append(spent[1] - spent[0])
        if (gaps[0] < 0) != (gaps[1] < 0):
            found.append(float(100 * gaps[0] / (gaps[0] - gaps[1])))
    return found
