"""The best polling time before each state, if the time polled so far is all that is known."""

from fractions import Fraction
from math import ceil, floor

from ...base.dataclass import dataclass
from ...tables.power.energy import PowerModel, StatePower, break_even
from ..replay.machine import CpuTable
from .cost import Number, WaitStep, best, cost, near_best, offline_cost
from .gaps import Gaps


@dataclass(frozen=True, slots=True)
class Wait:
    """The cost of polling for some time, then entering one state.

    best_ns         polling time of least cost; None: the state never pays
    near_ns         range of polling times that cost at most 1 % more than the best
    break_even_ns   bounds of the break-even; None: the state never pays
    best_cost, even_cost, present_cost, known_cost
                    in ns times the model's unit: of the best polling time, of break-even, of the
                    present time-out, and with the length of every gap known beforehand
    """

    name: str
    best_ns: int | None
    near_ns: tuple[int | None, int | None]
    break_even_ns: tuple[Fraction, Fraction | None] | None
    best_cost: Number
    even_cost: Number
    present_cost: Number
    known_cost: Number


def steps(table: CpuTable, model: PowerModel, weight: Fraction = Fraction(0)) -> list[WaitStep]:
    """Returns the steps from polling in state 0 to each other state of a table.

    weight: cost of 1 ns of wake latency, in ns of an awake CPU's energy.
    """
    middle, found = model.middles(), []
    awake, polling = middle.awake.low, middle.states[table.names[0]].power.low
    for name, state in zip(table.names[1:], table.states[1:], strict=True):
        after = middle.states[name].power.low
        price = (awake - after) * middle.states[name].tau_ns
        found.append(WaitStep(polling, after, price + weight * model.awake.middle * state.exit_ns))
    return found


def cuts(
    table: CpuTable, model: PowerModel, timeout_ns: int | None, weight: Fraction = Fraction(0)
) -> list[int]:
    """Returns the lengths in ns at which the histogram given to waits() must be exact."""
    found = [] if timeout_ns is None else [timeout_ns]
    for each in steps(table, model, weight):
        even = each.break_even
        if even is not None:
            found += [floor(even), ceil(even)]
    return found


def waits(
    gaps: Gaps,
    table: CpuTable,
    model: PowerModel,
    timeout_ns: int | None,
    weight: Fraction = Fraction(0),
) -> tuple[Wait, ...]:
    """Returns the best polling time before each state except state 0.

    timeout_ns: present polling limit of state 0; None: it polls until the CPU is woken. weight: as
    in steps().
    """
    found = []
    for name, each in zip(table.names[1:], steps(table, model, weight), strict=True):
        best_ns, best_cost = best(gaps, each)
        even = each.break_even
        bounds: tuple[Fraction, Fraction | None] | None
        if weight:
            bounds = None if even is None else (even, even)
        else:
            idle = StatePower(model.states[table.names[0]].power, 0, "")
            bounds = break_even(model.awake, idle, model.states[name])
        found.append(
            Wait(
                name,
                best_ns,
                near_best(gaps, each),
                bounds,
                best_cost,
                cost(gaps, each, None if even is None else ceil(even)),
                cost(gaps, each, timeout_ns),
                offline_cost(gaps, each),
            )
        )
    return tuple(found)


def regrets(wait: Wait) -> tuple[Fraction, Fraction] | None:
    """Returns the cost of break-even and of the present time-out above the best, as a share; None
    if the best costs nothing."""
    if not wait.best_cost:
        return None
    least = Fraction(wait.best_cost)
    return wait.even_cost / least - 1, wait.present_cost / least - 1
