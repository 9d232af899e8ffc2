"""The result of fit: advertised against measured."""

from collections.abc import Iterator
from functools import partial

from ...base.report.sheet import Cell, Lines, Marked, Picture, Rows, Section, Sheet, Worded
from ...base.wording import joined, plural
from . import drawn
from .answer import FitResult, FittedState
from .break_even import NS, period
from .drawn import time
from .latencies import FittedLatency
from .residencies import ENERGY, FittedResidency

_HEAD = ("State", "Advertised", "Measured", "Interval", "N", "Woken by", "Verdict")
_NUMBERS = frozenset((1, 2, 3, 4))
_RESIDENCY_HEAD = ("State", "Advertised", "Fitted", "Interval", "By")
_MATTERS = 0.1
"""Share of a value from which on what may be in it is said."""
_FEWER = 0.9
"""Share of the wake-ups below which it is said as how many independent ones they count."""
_VERDICTS = {"under-stated": "error", "over-stated": "warning", "consistent": "good"}


def sheet(found: FitResult) -> Sheet:
    """Returns the table of states, what decides each verdict, residencies, and remarks."""
    request = found.request
    title = f"{found.table.name if found.table else 'the measured machine'}, exit latency: "
    title += f"p{request.percent.normalize():f}, intervals of {request.confidence.normalize():f} %"
    return Sheet(
        title=f"{request.table or 'Measured'}: advertised against measured",
        headline=_headline(found),
        about=Section("What was compared", (Lines((Marked("strong", title),)),)),
        sections=tuple(_sections(found)),
    )


def _headline(found: FitResult) -> tuple[str, ...]:
    """Returns the states by verdict on their advertised values, with the differences."""
    lines = []
    for verdict in ("under-stated", "over-stated"):
        names = [state for state in found.states if state.verdict == verdict]
        if names:
            of = joined([_against(state) for state in names])
            lines.append(f"{verdict.capitalize()}: {of}")
    agree = [state.name for state in found.states if state.verdict == "consistent"]
    if agree:
        lines.append(f"Consistent: {joined(agree)}")
    unknown = [state.name for state in found.states if state.verdict == "unknown"]
    if unknown:
        lines.append(f"Not known: {joined(unknown)}")
    return tuple(lines) or ("No state was measured",)


def _against(state: FittedState) -> str:
    assert state.by is not None
    assert state.advertised is not None
    advertised = time(state.advertised.latency_ns)
    return f"{state.name} {time(state.by.value_ns)} against {advertised}"


def _sections(found: FitResult) -> Iterator[Section]:
    if found.states:
        yield Section(Worded("", "Exit latencies"), (_overview(found),))
        verdicts = [part for state in found.states for part in _verdict(state)]
        yield Section(Worded("", "Verdicts"), tuple(verdicts))
        for state in found.states:
            yield from _distribution(state, found)
        if any(state.residency for state in found.states):
            yield from _residencies(found)
    else:
        text = "The measurements have neither a wake-up latency nor the energy of a state"
        yield Section(Worded("", "Exit latencies"), (_folded(text),))
    if found.unmeasured:
        text = f"Not measured: {joined(found.unmeasured)}"
        yield Section(Worded("", "Not measured"), (_folded(text),))
    yield Section(Worded("", "Notes on the files"), (_folded(*found.remarks),))


def _folded(*lines: str, indent: str = "") -> Lines:
    return Lines(lines, indent, f"{indent}  ")


def _verdict(state: FittedState) -> Iterator[Lines]:
    why, *more = _reasons(state)
    yield _folded(f"{state.name}: {why}")
    yield _folded(*more, indent="  ")


def _overview(found: FitResult) -> Picture | Rows:
    rows = tuple(_row(state) for state in found.states)
    table = Rows(_HEAD, rows, "Advertised and measured", _NUMBERS)
    if all(state.by is None or state.by.value_ns is None for state in found.states):
        return table
    return Picture(partial(drawn.overview, found.states, rows), table, table)


def _distribution(state: FittedState, found: FitResult) -> Iterator[Section]:
    """Yields the share of wake-ups that take longer than a time, by measurement."""
    curves = drawn.curves(state)
    if curves:
        rows = tuple(
            (drawn.named(one), time(ns), f"{100 * share:.4g} %")
            for one, curve in curves
            for ns, share in curve[:: max(1, len(curve) // 10)]
        )
        table = Rows(("Measurement", "Longer than", "Share"), rows, "Wake-ups")
        draw = partial(drawn.distribution, state, found, curves)
        yield Section(state.name, (Picture(draw, table),))


def _residencies(found: FitResult) -> Iterator[Section]:
    yield Section("Target residency", ())
    rows = tuple(
        _residency_row(state, state.residency) for state in found.states if state.residency
    )
    yield Section("", (Rows(_RESIDENCY_HEAD, rows, "", frozenset((1, 2, 3))), *_power(found)))
    residencies = [state.residency for state in found.states if state.residency]
    whys = [f"{each.state}: {each.why}" for each in residencies if each.why]
    awake_ns = found.request.awake_ns
    whys += [step for each in residencies for step in _derivation(each, awake_ns)]
    yield Section("", (_folded(*whys),))


def _power(found: FitResult) -> Iterator[Picture]:
    """Mean power by wake-up period, each state's points, if it was measured."""
    rows = tuple(
        (state.name, time(NS * (period(span) or 0)), f"{span.watts:.5g} W")
        for state in found.states
        if state.residency
        for span in state.residency.spans
    )
    if rows:
        table = Rows(("State", "Period", "Power"), rows, "Spans")
        yield Picture(partial(drawn.power, found), table)


def interval(bounds: tuple[float | None, float | None] | None) -> str:
    """Such as "8.6 to 9.7 us"; a side without a bound is said."""
    if bounds is None:
        return "none"
    low, high = bounds
    if low is None or high is None:
        return f"up to {time(high)}" if low is None else f"{time(low)} or more"
    return f"{low / 1000:.6g} to {time(high)}"


def _row(state: FittedState) -> tuple[Cell, ...]:
    """The cells below _HEAD."""
    advertised = time(state.advertised.latency_ns if state.advertised else None)
    kind, by = _VERDICTS.get(state.verdict), state.by
    verdict = Marked(kind, state.verdict) if kind else state.verdict
    if by is None:
        return state.name, advertised, "-", "none", "-", "-", verdict
    return (
        state.name,
        advertised,
        time(by.value_ns) + ("" if not by.estimate.refused else f" ({by.estimate.statistic})"),
        interval(by.interval_ns),
        "-" if by.estimate.n is None else str(by.estimate.n),
        by.latency.woken_by,
        verdict,
    )


def _reasons(state: FittedState) -> Iterator[str]:
    """Yields the reason for the verdict, then the remarks on each measurement."""
    yield state.why
    if len(state.latencies) > 1 and state.by is not None:
        yield (
            f"{len(state.latencies)} measurements are judged together: each interval is of "
            f"{state.by.confidence.normalize():f} %"
        )
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
        yield f"{time(one.estimate.busy_ns)} subtracted: the measuring overhead, from a busy CPU"
        more, value = one.estimate.busy_more_ns, one.estimate.value_ns
        if more is not None and value is not None and more >= _MATTERS * value:
            yield (
                f"up to {time(more)} of the rest may be measuring overhead, which varies by that "
                "much"
            )
    elif not one.latency.net:
        yield "includes the measuring overhead, which was not measured on a busy CPU"
    shape = one.shape
    if shape is None:
        return
    n, alone = one.estimate.n or 0, one.estimate.effective
    if alone is not None and shape.serial is not None and alone < _FEWER * n:
        yield (
            f"each wake-up is like the ones before (rank correlation {shape.serial:.2f}): all "
            f"{n} count as {alone} independent ones"
        )
    if len(shape.modes) > 1:
        at = joined([f"{time(mode.at_ns)} ({100 * mode.share:.0f} %)" for mode in shape.modes])
        yield f"{plural(len(shape.modes), 'mode')}, at {at}: several things were measured"
    if shape.outliers:
        bounds = interval((max(0.0, shape.low_ns), shape.high_ns))
        yield f"{plural(shape.outliers, 'outlier')} outside of {bounds}"


def _residency_row(state: FittedState, found: FittedResidency) -> tuple[str, ...]:
    """The cells below _RESIDENCY_HEAD."""
    advertised = state.advertised.residency_ns if state.advertised else None
    return found.state, time(advertised), time(found.value_ns), _bounds(found), _how(found)


def _derivation(found: FittedResidency, awake_ns: float) -> Iterator[str]:
    """Yields the derivation of a residency from a break-even."""
    even = found.break_even
    if even is not None and found.latency_ns is not None and found.value_ns is not None:
        yield (
            f"{found.state}: breaks even with {even.over} at a period of "
            f"{time(even.period_ns)}; minus {time(awake_ns)} awake and "
            f"{time(found.latency_ns)} of exit latency"
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
