"""The table with the fitted values, each with where it comes from, as a spec holds it."""

import math

from ...base.dataclass import replace
from ...base.model.measured import Measured
from ...base.model.table import IdleState, IdleTable, Measurement, Provenance
from ...base.model.units import format_time
from .answer import FitResult, FittedState
from .latencies import FittedLatency
from .residencies import FittedResidency

_US = 1000
_DIGEST = 12
"""Digits of a SHA-256 that tell files apart."""


def fitted_table(found: FitResult) -> IdleTable:
    """Returns the request's table, which there must be. Latencies become whole microseconds, as
    Linux keeps them, rounded up; what cannot be fitted stays as it was. Measurements are added to
    those that the table records."""
    assert found.table is not None
    name2state = {state.name: state for state in found.states}
    confidence = f"{found.request.confidence.normalize():f} %"
    states = tuple(
        _fitted(state, name2state[state.name], confidence) if state.name in name2state else state
        for state in found.table.states
    )
    return replace(found.table, states=states)


def kept(state: FittedState) -> list[str]:
    """Returns the values of a state that the spec keeps, and the reasons, in words."""
    found = []
    if state.by is None:
        found.append(f"{state.name}: latency kept, {state.why}")
    elif _latency_ns(state.by) is None:
        why = state.by.estimate.refused or "it was not measured"
        found.append(f"{state.name}: latency kept, {why}")
    if state.residency is not None and state.residency.value_ns is None:
        found.append(f"{state.name}: target residency kept, {state.residency.why}")
    return found


def origin(of: Measured) -> str:
    """A file as a source: its name and the beginning of its SHA-256."""
    return f"{of.file} (sha256 {of.sha256[:_DIGEST]})"


def _fitted(row: IdleState, state: FittedState, confidence: str) -> IdleState:
    provenance, latency_ns, residency_ns = dict(row.provenance), row.latency_ns, row.residency_ns
    fitted = None if state.by is None else _latency_ns(state.by)
    if fitted is not None and state.by is not None:
        latency_ns = fitted
        provenance["latency"] = _of_latency(state.by)
    measured = [_measurement(each) for each in state.latencies]
    if measured and "measured" not in provenance:
        source = origin(state.latencies[0].of)
        provenance["measured"] = Provenance("measured", source, "medium")
    residency = state.residency
    if residency is not None and residency.value_ns is not None and residency.of is not None:
        residency_ns = _whole(residency.value_ns)
        provenance["residency"] = _of_residency(residency, residency.of, confidence)
    return replace(
        row,
        latency_ns=latency_ns,
        residency_ns=residency_ns,
        measured=(*row.measured, *(each for each in measured if each is not None)),
        provenance=provenance,
    )


def _latency_ns(one: FittedLatency) -> int | None:
    """None where the quantile is not supported: neither a mean nor a maximum stands for it."""
    if one.estimate.refused or one.value_ns is None:
        return None
    return _whole(one.value_ns)


def _whole(ns: int) -> int:
    return math.ceil(ns / _US) * _US


def _confidence(one: FittedLatency) -> str:
    return f"{one.confidence.normalize():f} %"


def _measurement(one: FittedLatency) -> Measurement | None:
    if one.value_ns is None:
        return None
    low, high = one.interval_ns or (None, None)
    return Measurement(
        one.latency.woken_by,
        one.value_ns,
        origin(one.of),
        None,
        one.estimate.statistic,
        one.estimate.n,
        low,
        high,
        _confidence(one) if one.interval_ns else "",
        one.of.machine or "",
        one.of.kernel or "",
    )


def _of_latency(one: FittedLatency) -> Provenance:
    low, high = one.interval_ns or (None, None)
    note = f"{one.estimate.statistic} of {one.estimate.n} wake-ups by {one.latency.woken_by}"
    if low is not None and high is not None:
        note += f", {_confidence(one)} interval {format_time(low)} to {format_time(high)}"
    return Provenance("measured", origin(one.of), "high", note + _on(one.of))


def _of_residency(residency: FittedResidency, of: Measured, confidence: str) -> Provenance:
    if residency.break_even is None:
        return Provenance("estimate", origin(of), "low", residency.by + _on(of))
    note = f"break-even with {residency.break_even.over} by energy"
    if residency.low_ns is not None and residency.high_ns is not None:
        bounds = f"{format_time(residency.low_ns)} to {format_time(residency.high_ns)}"
        note += f", {confidence} interval {bounds}"
    return Provenance("measured", origin(of), "medium", note + _on(of))


def _on(of: Measured) -> str:
    machine = f", on {of.machine}" if of.machine else ""
    return machine + (f", Linux {of.kernel}" if of.kernel else "")
