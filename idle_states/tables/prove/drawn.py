"""The picture of prove: a witness as a drawn history."""

from collections.abc import Sequence
from itertools import groupby

from ...base.model.units import format_time
from ...base.report.html import pictures, svg
from ...base.report.html.pictures import Band, BandRow
from ...base.report.html.shares import legend
from ...base.report.sheet import NO_NUMBERS, Drawing, Lines, Picture, Rows
from ...base.wording import plural
from .history import IdleStep, Played


def history(name: str, witness: Sequence[Played], names: Sequence[str]) -> Picture:
    """Returns the idle periods that lead to a state, equal ones together, below each other; as text
    a line for each row."""
    what = "prediction" if "predicted" in witness[-1].decision.why else "next timer"
    caption = f"The history that leads to {name}"
    rows, table, times = list[BandRow](), list[tuple[str, ...]](), list[int]()
    keyed = [(_in_words(one, names), one) for one in witness]
    for (around, state, lasts), equal in groupby(keyed, lambda pair: pair[0]):
        some = [one for _, one in equal]
        last = some[-1]
        number, lasted, expected = last.decision.state, last.outcome.residency_ns, _expected(last)
        label = f"{len(some)} x {around}"
        tip = f"{label}: {state} for {lasts}; {what} {format_time(expected)}"
        series = (number,) if 0 <= number < len(names) else ()
        band = Band(0, lasted, series, str(number), f"{number} {state}", tip)
        apart = (min(lasted, expected), max(lasted, expected), tip)
        rows.append(BandRow(label, (band,), (apart,) if lasted != expected else ()))
        table.append((label, state, lasts, format_time(expected)))
        times += [lasted, expected]

    def draw() -> Drawing:
        drawn = pictures.bands(
            caption,
            "A row for equal idle periods, the first after boot on top. A band as long as each "
            "lasts, on a logarithmic scale, carries the number of the state that is selected.",
            rows,
            svg.times(times, "length of an idle period"),
        )
        states = {n: names[n] for row in rows for band in row.bands for n in band.series}
        samples = legend([(caption, states.items())])
        return Drawing(
            drawn, (*samples, (svg.swatch_near("marked"), f"between the length and the {what}"))
        )

    text = Lines(tuple(f"{row[0]}: {row[1]} for {row[2]}" for row in table), "  ", "      ")
    head = ("Idle periods", "State", "Length", what.capitalize())
    return Picture(draw, Rows(head, tuple(table), caption, NO_NUMBERS), text)


def entered(names: Sequence[str], state: int) -> str:
    """Returns the name of a state that is selected, by its number."""
    return names[state] if 0 <= state < len(names) else "default idle"


def _expected(one: Played) -> int:
    """Returns the length that menu predicts, in ns; of others the time to the next timer."""
    why = one.decision.why
    if "predicted" not in why:
        return one.step.timer_ns
    return int(why["predicted"]) * (1000 if why["unit"] == "us" else 1)


def _in_words(one: Played, names: Sequence[str]) -> tuple[str, str, str]:
    """Returns the circumstances of an idle period, the state and the length, in words."""
    until = ", until the tick" if one.outcome.got_tick else ""
    lasts = f"{format_time(one.outcome.residency_ns)}{until}"
    return _surroundings(one.step), entered(names, one.decision.state), lasts


def _surroundings(step: IdleStep) -> str:
    parts = [f"timer in {format_time(step.timer_ns)}"]
    if step.interrupt_ns is not None:
        parts.append(f"interrupt in {format_time(step.interrupt_ns)}")
    if step.tick_stopped:
        parts.append("tick stopped")
    elif step.tick_ns is not None:
        parts.append(f"tick in {format_time(step.tick_ns)}")
    if step.iowaiters:
        parts.append(f"{plural(step.iowaiters, 'task')} waiting for I/O")
    if step.cpu_util:
        parts.append("CPU utilised")
    if step.late_ns:
        parts.append(f"polling ends {format_time(step.late_ns)} late")
    return ", ".join(parts)
