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
from fractions import Fraction
from itertools import groupby, product

from ...base.dataclass import dataclass
from ...base.model.table import Power
from ...tables.power.energy import PowerBounds, PowerModel, Spent
from ..replay.consumption import RUNNING, RUNNING_NOTE, SNOOZES, CpuUse, MachineEnergy, machines
from ..replay.power import SCOPE2DRAW, SCOPE_NOTE
from .summary import SimulationSummary
from .window import is_regular, whole

_DOMAINS_NOTE = "savings of power domains, with all their CPUs idle, are not included"
ANYTHING_NOTE = (
    "for any power of states from 0 to 1, equal before and after, and not higher for a deeper state"
)


@dataclass(frozen=True, slots=True)
class Draws:
    """The assumptions on a machine's power, snooze being 1000000.

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
    """Returns the states' power from the known figures, assumptions for the rest.

    states  (state, its scope) but for snooze, from the lightest to the deepest
    known   state -> its figure, relative to an awake CPU, which is taken for one in snooze
    """
    found, grounds, unknown = [], [RUNNING_NOTE], []
    for name, scope in states:
        power = known.get(name)
        if power is None:
            found.append((name, *SCOPE2DRAW[scope]))
            unknown.append(name)
        else:
            found.append((name, power.low, power.high))
            shown = " to ".join(f"{ppm / SNOOZES:g}" for ppm in sorted({power.low, power.high}))
            grounds.append(
                f"{name} draws {shown} times what snooze does ({power.source}, "
                f"{power.confidence} confidence)"
            )
    if unknown:
        grounds.append(SCOPE_NOTE.format(", ".join(unknown)))
    return Draws(RUNNING, tuple(found), tuple(grounds))


def anything(states: Sequence[tuple[str, str]]) -> Draws:
    """The widest range that is possible. states: as for likely()."""
    return Draws(
        RUNNING, tuple((name, 0, SNOOZES) for name, _ in states), (RUNNING_NOTE, ANYTHING_NOTE)
    )


def energy(found: CpuUse, running: int, draws: Mapping[str, int]) -> int:
    """Energy in a window, in ns times millionths of what a thread draws in snooze."""
    total = running * found.awake_ns + SNOOZES * found.idle_ns
    before = SNOOZES
    for name, held_ns in zip(found.names[1:], found.held_ns[1:], strict=True):
        draw = min(before, draws[name])
        total -= (before - draw) * held_ns
        before = draw
    return total


def drawn(found: CpuUse, draws: Draws) -> Spent:
    """Returns the CPUs' energy at the least and most assumed power, relative to a thread in snooze;
    in all, not by state."""
    corners = [energy(found, *corner) for corner in draws.corners()]
    ends = PowerBounds(*(Fraction(end, SNOOZES) for end in (min(corners), max(corners))))
    time_ns = found.cpus * found.duration_ns
    return Spent((), ends, (), time_ns, found.wakeups, found.counted)


def of_runs(found: Sequence[SimulationSummary], model: PowerModel | None) -> MachineEnergy | None:
    """None without figures, and where a state acts on cores, pairs or quads of several sizes."""
    if model is None or not all(is_regular(each.setup) for each in found):
        return None
    domains = [_DOMAINS_NOTE] if any(each.setup.domains for each in found) else []
    return machines([whole(each.setup, each.runs) for each in found], model, *domains)


def power_ratios(before: CpuUse, after: CpuUse, draws: Draws) -> list[Fraction]:
    """The mean power after to that before, at each corner of what is assumed. Before, some CPU must
    have been awake at some time."""
    return [
        Fraction(
            energy(after, *corner) * before.duration_ns, energy(before, *corner) * after.duration_ns
        )
        for corner in draws.corners()
    ]


def turning_points(before: CpuUse, after: CpuUse) -> list[float]:
    """Returns the powers, the same in all states but snooze, in percent of snooze, that would leave
    the energy of each counted unit as it is, with a running CPU at its least and its most; only
    values between 0 and 100."""
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
