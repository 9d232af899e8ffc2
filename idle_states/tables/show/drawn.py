"""The picture of a table: exit latency and target residency of its states."""

from collections.abc import Sequence

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
        faults = faults_of(state, findings)
        for fault, field in sorted(faults, key=lambda fault: fault[0].severity):
            for n in [_FIELDS.index(field)] if field in _FIELDS else range(len(ends)):
                kinds[n] = str(fault.severity)
                tips[n] += f"; {fault.severity} {fault.rule}: {fault.message}"
        if faults:
            label += f" - {', '.join(dict.fromkeys(fault.rule for fault, _ in faults))}"
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
    worst = sorted({str(f.severity) for s in table.states for f, _ in faults_of(s, findings)})
    legend += [(svg.swatch_marker(0, kind), f"{kind} at this value") for kind in worst]
    return Drawing(drawing, tuple(legend))


def faults_of(state: IdleState, findings: Sequence[Finding]) -> list[tuple[Finding, str]]:
    """Returns the findings of a state, worse than notes, each with the field that it is of."""
    place2field = {(where.file, where.path): field for field, where in state.where.items()}
    places = [(each, (each.location.file, each.location.path)) for each in findings]
    return [
        (each, place2field[place])
        for each, place in places
        if place in place2field and each.counts and each.severity > Severity.NOTE
    ]
