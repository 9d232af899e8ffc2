"""Several governors side by side: a row for what was traced, for each governor, and for an oracle
that knows how long each idle period lasts (oracle.py)."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Annotated

from ...base.dataclass import dataclass
from ...base.model.forms import Count, Form, derived
from ...base.report.sheet import Rows, Section, as_is, bullets
from ...base.wording import percent
from ...tables.power.energy import PowerBounds, PowerModel
from ...tables.power.energy_document import Bounds, in_seconds
from ...tables.power.sheet import ranged
from . import energy_sheet
from .consumption import MOST_CORNERS, Change, spanned, spent
from .counters import PAID, Figures, percentile_name
from .results import BY_ENERGY, BY_RESIDENCY, Account, ReplayResult

AS_TRACED = "as traced"


@dataclass(frozen=True, slots=True)
class Rival:
    """The result of a governor over idle periods.

    by       the governor, AS_TRACED, or as an oracle selects
    energy   in ns times the model's unit, over the time of the oracle's idle periods: between the
             pieces of one, the CPU is awake; None where figures are missing
    oracle   what the oracle makes of the same
    beyond   energy beyond the oracle's; None as energy, or where too many figures are ranges
    """

    table: str
    by: str
    figures: Figures
    energy: PowerBounds | None
    oracle: Figures
    beyond: Change | None

    @property
    def misjudged_beyond(self) -> float | None:
        """Share of idle periods too deep or too shallow, less the oracle's; None without any."""
        shares = [
            (each.above + each.below) / each.usage
            for each in (self.figures, self.oracle)
            if each.usage
        ]
        return shares[0] - shares[1] if len(shares) == 2 else None

    def paid_beyond_ns(self, percentile: float) -> int | None:
        """Returns how much more exit latency is paid than by the oracle; None without wake-ups."""
        own, least = (each.wake_latency_ns(percentile) for each in (self.figures, self.oracle))
        return None if own is None or least is None else own - least


def rivals(result: ReplayResult, power: PowerModel | None) -> tuple[Rival, ...]:
    """Returns the rows; () where one governor, or none, was asked for."""
    if not result.oracles:
        return ()
    *oracles, traced = result.oracles
    each = len(result.accounts) // len(oracles)
    rows = [_rival(AS_TRACED, result.observed, traced, power)]
    for number, oracle in enumerate(oracles):
        for account in result.accounts[number * each : (number + 1) * each]:
            rows.append(_rival(account.governor or "", account, oracle, power))
        rows.append(_rival(oracle.governor or "", oracle, oracle, power))
    return tuple(rows)


def _rival(by: str, account: Account, oracle: Account, power: PowerModel | None) -> Rival:
    figures, best = account.total, oracle.total
    awake_ns = 1000 * max(0, best.time_us - figures.time_us)
    return rival(oracle.machine, by, figures, best, power, awake_ns)


def rival(
    table: str, by: str, figures: Figures, oracle: Figures, power: PowerModel | None, awake_ns: int
) -> Rival:
    """Returns what a governor makes of idle periods, beside an oracle. awake_ns: time in which a
    CPU selects again, where for the oracle one idle period goes on."""
    energy = beyond = None
    if power is not None:
        total = spent(figures, power).total
        if total is not None:
            energy = total + power.awake.times(awake_ns)
            beyond = _beyond(figures, oracle, power, awake_ns)
    return Rival(table, by, figures, energy, oracle, beyond)


def _beyond(figures: Figures, oracle: Figures, power: PowerModel, awake_ns: int) -> Change | None:
    """Energy beyond the oracle's, over all that the figures allow."""
    entered = [
        name
        for name in dict.fromkeys(s.name for s in (*figures.states, *oracle.states) if s.usage)
        if name in power.states
    ]
    powers = (power.awake, *(power.states[name].power for name in entered))
    ends = [sorted({one.low, one.high}) for one in powers]
    if spent(oracle, power).total is None or prod(map(len, ends)) > MOST_CORNERS:
        return None
    own = _times(figures, power, entered, awake_ns)
    best = _times(oracle, power, entered, 0)
    ratios = []
    for draws in product(*ends):
        energies = [
            sum((draw * time for draw, time in zip(draws, times, strict=True)), Fraction(0))
            for times in (own, best)
        ]
        if not energies[1]:
            return None
        ratios.append(energies[0] / energies[1])
    return spanned(ratios)


def _times(figures: Figures, power: PowerModel, names: Sequence[str], awake_ns: int) -> list[int]:
    """Returns for how long the CPUs draw what awake ones do, then what each state does."""
    times = dict.fromkeys(names, 0)
    for state in figures.states:
        if state.usage:
            transit_ns = state.usage * power.states[state.name].tau_ns
            awake_ns += transit_ns
            times[state.name] += 1000 * state.time_us - transit_ns
    return [awake_ns, *times.values()]


def section(some: Sequence[Rival], power: PowerModel | None) -> Section:
    """Returns the table of governors."""
    tables = len(dict.fromkeys(each.table for each in some)) > 1
    unit = "" if power is None else energy_sheet.unit_of(power)
    head = [*(("Table",) if tables else ()), "Governor", "Idle periods", "Too deep", "Too shallow"]
    head += [*((f"Energy, {unit}",) if unit else ()), "Paid p50", "Paid p99"]
    head += [*(("+Energy",) if unit else ()), "+Misjudged", "+P50", "+P99"]
    rows = tuple(
        (*((each.table,) if tables else ()), *_cells(each, power is not None)) for each in some
    )
    what = (
        "selects the enabled state that costs least, by the middle of the figures"
        if any(each.by == BY_ENERGY for each in some)
        else "selects the deepest enabled state whose target residency the period reaches"
    )
    notes = [
        f"the oracle knows how long each idle period lasts and {what}, within the latency limit; "
        "nothing wakes it early, and it ignores power domains",
        f"paid: {PAID}; columns with + are the distance to the oracle (misjudged: too deep or too "
        "shallow by the target residencies, in points of the share of idle periods)",
    ]
    if unit:
        notes.append("energy: where a governor selects again within a period, the CPU is awake")
    else:
        notes.append("no energy: no state of these tables has a power figure (--power gives some)")
    numbers = frozenset(range(1 + tables, len(head)))
    table = Rows(tuple(as_is(word) for word in head), rows, "Governors", numbers, unbroken=True)
    return Section("Governors compared", (table, bullets(notes)))


def _cells(each: Rival, priced: bool) -> Iterator[str]:
    figures = each.figures
    yield each.by
    yield str(figures.usage)
    for count in (figures.above, figures.below):
        yield f"{count} ({percent(count, figures.usage)})" if count else "0"
    if priced:
        yield "-" if each.energy is None else ranged(each.energy.times(Fraction(1, 10**9)))
    yield from (_us(figures.wake_latency_ns(percentile)) for percentile in SHOWN)
    if each.by in (BY_ENERGY, BY_RESIDENCY):
        yield from ("" for _ in range(3 + priced))
        return
    if priced:
        yield "-" if each.beyond is None else energy_sheet.in_percent(each.beyond)
    share = each.misjudged_beyond
    yield "-" if share is None else f"{100 * share:+.2f}"
    yield from (_us(each.paid_beyond_ns(percentile), "+") for percentile in SHOWN)


SHOWN = (50.0, 99.0)
"""Percentiles of the exit latency paid."""


def _us(ns: int | None, sign: str = "") -> str:
    return "-" if ns is None else f"{ns / 1000:{sign}g} us"


class GovernorRow(Form[Rival]):
    """A row of the comparison."""

    table: Annotated[str, "The table."]
    governor: Annotated[
        str, "Its name or source; `as traced`, or `oracle, by residency` or `by energy`."
    ] = derived("by")
    periods: Annotated[Count, "Idle periods, each piece of one counted."] = derived("figures.usage")
    too_deep: Annotated[Count, "Idle periods in too deep a state."] = derived("figures.above")
    too_shallow: Annotated[Count, "Idle periods in too shallow a state."] = derived("figures.below")
    energy: Annotated[
        Bounds | None,
        "Energy of the idle periods, awake between their pieces; null where figures are missing.",
    ] = derived(lambda each: in_seconds(each.energy))
    paid_ns: Annotated[dict[str, int | None], "Percentile -> exit latency paid."] = derived(
        lambda each: {percentile_name(p): each.figures.wake_latency_ns(p) for p in SHOWN}
    )
    energy_beyond: Annotated[
        Change | None, "Energy beyond the oracle's; null without one of them."
    ] = derived("beyond")
    misjudged_beyond: Annotated[
        float | None, "Share of periods too deep or too shallow, less the oracle's."
    ]
    paid_beyond_ns: Annotated[
        dict[str, int | None], "Percentile -> exit latency paid beyond the oracle's."
    ] = derived(lambda each: {percentile_name(p): each.paid_beyond_ns(p) for p in SHOWN})
