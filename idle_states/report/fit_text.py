"""fit, for people: advertised against measured."""

import math
from collections.abc import Iterator

from ..fit.latencies import FittedLatency
from ..fit.request import FitResult, FittedState
from ..fit.residencies import ENERGY, FittedResidency
from ..wording import joined, plural
from .escapes.text import printable
from .style import Style
from .tables import right_aligned, wrapped

HEAD = ("STATE", "ADVERTISED", "MEASURED", "INTERVAL", "N", "WOKEN BY", "VERDICT")
NUMBERS = (1, 2, 3, 4)
"""Columns with figures."""
RESIDENCY_HEAD = ("STATE", "ADVERTISED", "FITTED", "INTERVAL", "BY")
_MATTERS = 0.1
"""Share of a value from which on what may be in it is said."""
_ALIKE = 0.2
"""Serial correlation up to which an interval is taken to hold."""
_VERDICTS = {"under-stated": "error", "over-stated": "warning", "consistent": "good"}


def text(found: FitResult, style: Style) -> str:
    """Returns the table of states, what decides each verdict, residencies, and remarks."""
    request = found.request
    title = f"{found.table.name if found.table else 'the measured machine'}, exit latency: "
    title += f"p{request.percent.normalize():f}, intervals of {request.confidence.normalize():f} %"
    lines = [style("strong", printable(title)), ""]
    if not found.states:
        lines += _wrapped(
            "Neither a wake-up latency nor the energy of a state is in what was measured"
        )
        return _ended(found, lines)
    rows = [row(state) for state in found.states]
    table = right_aligned(HEAD, rows).rstrip("\n").split("\n")
    lines.append(table[0])
    for state, line in zip(found.states, table[1:], strict=True):
        cell = state.verdict
        kind = _VERDICTS.get(cell)
        lines.append(line[: -len(cell)] + style(kind, cell) if kind else line)
    lines.append("")
    for state in found.states:
        why, *more = said_of(state)
        lines += _wrapped(f"{state.name}: {why}")
        for said in more:
            lines += _wrapped(said, "  ")
    residencies = [state.residency for state in found.states if state.residency]
    if residencies:
        lines += ["", style("strong", "Target residency"), ""]
        lines += (
            right_aligned(
                RESIDENCY_HEAD,
                [residency_row(state) for state in found.states if state.residency],
            )
            .rstrip("\n")
            .split("\n")
        )
        whys = [f"{each.state}: {each.why}" for each in residencies if each.why]
        whys += [said for each in residencies for said in _taken_off(each, request.awake_ns)]
        lines += ["", *(line for why in whys for line in _wrapped(why))] if whys else []
    return _ended(found, lines)


def _ended(found: FitResult, lines: list[str]) -> str:
    """The text of the lines, with what was not measured and remarks below."""
    if found.unmeasured:
        lines += ["", *_wrapped(f"Not measured: {joined(found.unmeasured)}")]
    if found.remarks:
        lines.append("")
        for remark in found.remarks:
            lines += _wrapped(remark)
    return "\n".join(lines).rstrip("\n") + "\n"


def time(ns: float | None) -> str:
    """In microseconds; "-" for what is not known."""
    return "-" if ns is None else f"{ns / 1000:.6g} us"


def interval(bounds: tuple[float | None, float | None] | None) -> str:
    """Such as "8.6 to 9.7 us"; a side without a bound is said."""
    if bounds is None:
        return "none"
    low, high = bounds
    if low is None or high is None:
        return f"up to {time(high)}" if low is None else f"{time(low)} or more"
    return f"{low / 1000:.6g} to {time(high)}"


def row(state: FittedState) -> tuple[str, ...]:
    """The cells below HEAD."""
    advertised = time(state.advertised.latency_ns if state.advertised else None)
    by = state.by
    if by is None:
        return state.name, advertised, "-", "none", "-", "-", state.verdict
    return (
        state.name,
        advertised,
        time(by.value_ns) + ("" if not by.estimate.refused else f" ({by.estimate.statistic})"),
        interval(by.interval_ns),
        "-" if by.estimate.n is None else str(by.estimate.n),
        by.latency.woken_by,
        state.verdict,
    )


def said_of(state: FittedState) -> Iterator[str]:
    """Why the verdict is what it is, then what else is to be known of each measurement."""
    yield state.why
    for one in state.latencies:
        parts = list(_remarks(one))
        if one is state.by and one.latency.group:
            parts.insert(0, "decides")
        if one is not state.by:
            value = f"{one.estimate.statistic} {time(one.value_ns)}"
            bounds = f", {interval(one.interval_ns)}" if one.interval_ns else ""
            parts.insert(0, f"{value}{bounds}: {one.judgement.verdict}")
        if parts:
            group = f" ({one.latency.group})" if one.latency.group else ""
            yield f"by {one.latency.woken_by}{group}, {one.of.file}: {'; '.join(parts)}"


def _remarks(one: FittedLatency) -> Iterator[str]:
    if one.estimate.busy_ns is not None:
        yield f"{time(one.estimate.busy_ns)} subtracted, which measuring takes on a busy CPU"
        more, value = one.estimate.busy_more_ns, one.estimate.value_ns
        if more is not None and value is not None and more >= _MATTERS * value:
            yield f"up to {time(more)} of the rest may be measuring, which varies by so much"
    elif not one.latency.net:
        yield "contains what measuring takes, which was not measured on a busy CPU"
    shape = one.shape
    if shape is None:
        return
    n = one.estimate.n or 0
    if shape.serial is not None and shape.serial > max(_ALIKE, 3 / math.sqrt(n)):
        alone = n * (1 - shape.serial) / (1 + shape.serial)
        yield (
            f"each wake-up is like the one before (rank correlation {shape.serial:.2f}): all count "
            f"as some {alone:.0f} independent ones, and the interval is too narrow"
        )
    if len(shape.modes) > 1:
        at = joined([f"{time(mode.at_ns)} ({100 * mode.share:.0f} %)" for mode in shape.modes])
        yield f"{plural(len(shape.modes), 'mode')}, at {at}: several things were measured"
    if shape.outliers:
        bounds = interval((max(0.0, shape.low_ns), shape.high_ns))
        yield f"{plural(shape.outliers, 'outlier')} outside of {bounds}"


def residency_row(state: FittedState) -> tuple[str, ...]:
    """State, advertised, fitted, interval, how."""
    found = state.residency
    assert found is not None
    advertised = state.advertised.residency_ns if state.advertised else None
    return found.state, time(advertised), time(found.value_ns), _bounds(found), _how(found)


def _taken_off(found: FittedResidency, awake_ns: float) -> Iterator[str]:
    """How a residency follows from a break-even."""
    even = found.break_even
    if even is not None and found.latency_ns is not None and found.value_ns is not None:
        yield (
            f"{found.state}: breaks even with {even.over} at a period of {time(even.period_ns)}; "
            f"off go {time(awake_ns)} awake and {time(found.latency_ns)} of exit latency"
        )


def _bounds(found: FittedResidency) -> str:
    if found.low_ns is None and found.high_ns is None:
        return "none"
    return interval((found.low_ns, found.high_ns))


def _how(found: FittedResidency) -> str:
    if found.by != ENERGY or found.line is None:
        return found.by
    power = f"{found.line.watts:.4g} W + {1e6 * found.line.joules:.4g} uJ a wake-up"
    if found.break_even is None:
        return power
    return f"{power}, against {found.break_even.over}"


def _wrapped(said: str, indent: str = "") -> list[str]:
    return wrapped(printable(said), indent, f"{indent}  ")
