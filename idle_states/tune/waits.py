"""How long to poll before each state, if nothing but the time polled so far were known."""

from dataclasses import dataclass
from fractions import Fraction

from ..replay.energy import PowerModel, StatePower, break_even
from ..replay.machine import CpuTable
from .cost import Number, WaitStep, best, cost, known, near_best
from .gaps import Gaps


@dataclass(frozen=True, slots=True)
class Wait:
    """Polling, then one state.

    best_ns         polling time that costs least; None: the state is never worth it
    near_ns         from which to which it costs at most 1 % more
    break_even_ns   bounds; None for never
    ..._cost        in ns times the model's unit: of the best, of break-even, of the present
                    time-out, and if every gap were known beforehand
    """

    name: str
    best_ns: int | None
    near_ns: tuple[int | None, int | None]
    break_even_ns: tuple[Fraction, Fraction | None] | None
    best_cost: Number
    even_cost: Number
    present_cost: Number
    known_cost: Number


def step(
    model: PowerModel, polls: str, name: str, latency_price: Fraction = Fraction(0)
) -> WaitStep:
    """From what polls to a state. latency_price: of each wake-up from it."""
    middle = model.middles()
    awake, state = middle.awake.low, middle.states[name]
    after = state.power.low
    price = (awake - after) * state.tau_ns + latency_price
    return WaitStep(middle.states[polls].power.low, after, price)


def steps(table: CpuTable, model: PowerModel, weight: Fraction = Fraction(0)) -> list[WaitStep]:
    """Of each state of a table, from its state 0. weight: awake ns that a ns of latency costs."""
    return [
        step(model, table.names[0], name, weight * model.awake.middle * state.exit_ns)
        for name, state in zip(table.names[1:], table.states[1:], strict=True)
    ]


def cuts(
    table: CpuTable, model: PowerModel, timeout_ns: int | None, weight: Fraction = Fraction(0)
) -> list[int]:
    """Lengths at which a histogram is to be exact for `waits`."""
    found = [] if timeout_ns is None else [timeout_ns]
    for each in steps(table, model, weight):
        even = each.break_even
        if even is not None:
            found += [_floor(even), _ceiling(even)]
    return found


def waits(
    gaps: Gaps,
    table: CpuTable,
    model: PowerModel,
    timeout_ns: int | None,
    weight: Fraction = Fraction(0),
) -> tuple[Wait, ...]:
    """timeout_ns: how long state 0 polls at present; None: until the CPU is woken."""
    found = []
    for name, each in zip(table.names[1:], steps(table, model, weight), strict=True):
        chosen = best(gaps, [each])
        even = each.break_even
        even_ns = None if even is None else _ceiling(even)
        found.append(
            Wait(
                name,
                chosen.thresholds[0],
                near_best(gaps, each),
                _bounds(model, table.names[0], name) if not weight else _exactly(even),
                chosen.cost,
                cost(gaps, [each], [even_ns]),
                cost(gaps, [each], [timeout_ns]),
                known(gaps, each),
            )
        )
    return tuple(found)


def _bounds(model: PowerModel, polls: str, name: str) -> tuple[Fraction, Fraction | None] | None:
    idle = StatePower(model.states[polls].power, 0, "")
    return break_even(model.awake, idle, model.states[name])


def _exactly(value: Fraction | None) -> tuple[Fraction, Fraction | None] | None:
    return None if value is None else (value, value)


def _floor(value: Fraction) -> int:
    return value.numerator // value.denominator


def _ceiling(value: Fraction) -> int:
    return -(-value.numerator // value.denominator)


def regrets(wait: Wait) -> tuple[Fraction, Fraction] | None:
    """Of break-even and of the present time-out: cost beyond the best, as a share. None where the
    best costs nothing."""
    if not wait.best_cost:
        return None
    least = Fraction(wait.best_cost)
    return wait.even_cost / least - 1, wait.present_cost / least - 1
