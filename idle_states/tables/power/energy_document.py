"""The states' power and the energy of idle time: part of show, replay, simulate and tune."""

from fractions import Fraction
from typing import Annotated, Any, Literal

from ...base.model.forms import INLINE, Count, Form, derived
from . import energy
from .energy import PowerModel, Spent, StatePower

NS = 1_000_000_000


def rounded(value: Fraction | float | None, digits: int = 9) -> float | None:
    return None if value is None else round(float(value), digits)


class Bounds(Form[energy.PowerBounds]):
    """A figure between two bounds."""

    low: Annotated[float, "Least that it may be."] = derived(lambda bounds: rounded(bounds.low))
    high: Annotated[float, "Most that it may be."] = derived(lambda bounds: rounded(bounds.high))


class Lengths(Form[tuple[Fraction, Fraction | None]]):
    """From which idle length on a state costs less, in us; null where by no figures it does."""

    low: Annotated[float, "Least."] = derived(lambda ends: in_us(ends[0]))
    high: Annotated[float | None, "Most; null where by some figures it never does."] = derived(
        lambda ends: in_us(ends[1])
    )


BreakEven = Lengths | None


def in_us(ns: Fraction | int | None) -> float | None:
    return None if ns is None else rounded(float(ns) / 1000, 6)


class State(Form[tuple[str, StatePower]]):
    name: Annotated[str, "Name."]
    power: Annotated[Bounds, "The state's power."] = derived(lambda item: item[1].power)
    tau_ns: Annotated[Count, "Entering and leaving it."] = derived(lambda item: item[1].tau_ns)
    ground: Annotated[str, "Who says so."] = derived(lambda item: item[1].ground)


class Power(Form[PowerModel]):
    """The power of the states."""

    unit: Annotated[Literal["relative", "watts"], "relative: to an awake CPU."]
    assumptions: Annotated[list[str], "Assumptions of every figure."]
    awake: Annotated[Bounds, "The CPU's power while awake."]
    states: Annotated[list[State], "Known figures of states."] = derived(
        lambda model: model.states.items()
    )


class Payoff(Form[tuple[str, str, Any]]):
    before: Annotated[str, "The state before."]
    state: Annotated[str, "The state."]
    us: Annotated[BreakEven, "From which idle length on it pays."]


class TablePower(Form[tuple[PowerModel, list[tuple[str, str, Any]]]]):
    """The power of the states, and their break-even times."""

    model: Annotated[Power, INLINE]
    break_evens: Annotated[list[Payoff], "By depth."]


class Energy(Form[tuple[str, "energy.PowerBounds | None"]]):
    name: Annotated[str, "Name."]
    energy: Annotated[Bounds | None, "Energy of all its idle periods; null without figures."] = (
        derived(lambda item: in_seconds(item[1]))
    )


def in_seconds(bounds: energy.PowerBounds | None) -> energy.PowerBounds | None:
    return bounds and bounds.times(Fraction(1, NS))


class Table(Form[tuple[str, Spent]]):
    """The energy of the idle time with a table."""

    table: Annotated[str, "The table."]
    states: Annotated[list[Energy], "By state."] = derived(lambda item: item[1].states)
    total: Annotated[Bounds | None, "null where a state that was entered has no figures."] = (
        derived(lambda item: in_seconds(item[1].total))
    )
    mean_power: Annotated[Bounds | None, "On average over the time that it is of."] = derived(
        lambda item: item[1].power
    )
    each_wakeup: Annotated[Bounds | None, "For each wake-up; null without any."] = derived(
        lambda item: in_seconds(item[1].each_wakeup)
    )
    each_unit: Annotated[
        Bounds | None, "For each unit of what a workload counts; null without any."
    ] = derived(lambda item: in_seconds(item[1].each_unit))
    missing: Annotated[list[str], "States that were entered and have no figures."] = derived(
        lambda item: item[1].missing
    )


class Spending(Form[tuple[PowerModel, list[tuple[str, Spent]]]]):
    model: Annotated[Power, INLINE]
    tables: Annotated[list[Table], "The cost of the idle time, table by table."]


Costs = Annotated[
    Spending | None,
    "The cost of the idle time with each table, in J or in seconds of an awake CPU, with all it "
    "rests on; null without figures.",
]
