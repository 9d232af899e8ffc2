"""The picture of a table: exit latency and target residency of its states."""

from collections.abc import Iterable, Iterator, Sequence

from ...base.model.findings import Finding, Severity
from ...base.model.table import IdleState, IdleTable
from ...base.report.html import markers, svg
from ...base.report.html.markers import Level
from ...base.report.sheet import Drawing

_KINDS, _FIELDS = ("exit latency", "target residency"), ("latency", "residency")


def stages(table: IdleTable, findings: Sequence[Finding] = ()) -> Drawing:
    """Draws a line for each state, from its exit latency to its target residency; what findings
    are of is marked: a time, or both of a state for what is not drawn."""
    levels, times = [], []
    for state in table.states:
        ends = [ns for ns in (state.latency_ns, state.residency_ns) if ns is not None]
        words = [svg.time(ns) for ns in ends]
        tips = [f"{state.name}: {kind} {each}" for kind, each in zip(_KINDS, words, strict=False)]
        label, kinds = f"{state.name}: {', '.join(words)}", [""] * len(ends)
        faults = sorted(faults_of(state, findings), key=lambda fault: fault[0].severity)
        for fault, field in faults:
            for n in [_FIELDS.index(field)] if field in _FIELDS else range(len(ends)):
                kinds[n] = str(fault.severity)
                tips[n] += f"; {fault.severity} {fault.rule}: {fault.message}"
        label += "".join(dict.fromkeys(f" {fault.rule}" for fault, _ in faults))
        near = (ends[0], ends[-1])
        levels.append(Level(label, (*enumerate(ends),), near, label, (*tips,), (*kinds,)))
        times += ends
    drawing = markers.levels(
        "Exit latency and target residency",
        f"For each state of {table.name} a line from its exit latency, a ring, to its target "
        "residency, a square, on a logarithmic scale.",
        levels,
        svg.times(times, "time"),
    )
    legend = [(svg.swatch_marker(n), kind) for n, kind in enumerate(_KINDS)]
    kinds = [kind for kind in svg.SEVERITIES if any(kind in level.kinds for level in levels)]
    legend += [(svg.swatch_marker(0, kind), f"{kind} at this value") for kind in kinds]
    return Drawing(drawing, tuple(legend))


def faults_of(state: IdleState, findings: Iterable[Finding]) -> Iterator[tuple[Finding, str]]:
    """Yields the findings of a state that count, worse than notes, each with its field."""
    place2field = {(where.file, where.path): field for field, where in state.where.items()}
    for each in findings:
        field = place2field.get((each.location.file, each.location.path))
        if field and each.counts and each.severity > Severity.NOTE:
            yield each, field
