"""What the IS2xx rules share: the time columns of a table, and how they are spoken of."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ..linux.convert import to_us
from ..linux.releases import Release
from ..pipeline import Subject
from ..power_mgt import LATENCIES, RESIDENCIES

if TYPE_CHECKING:
    from ..beyond_opal import IdleList

FIELDS = ("latency", "residency")
WORDS = {"latency": "an exit latency", "residency": "a target residency"}
_PROPERTIES = {"latency": LATENCIES, "residency": RESIDENCIES}


class Time(NamedTuple):
    """One latency or residency: its row, its field, nanoseconds."""

    row: int
    field: str
    ns: int


def column(subject: Subject, field: str) -> list[Time]:
    """All values of "latency" or "residency" that the source really has, in table order.

    A device tree without the property has none; `decode` shows 0 for its latencies, as does a
    node of Arm's without.
    """
    if subject.node is not None and _PROPERTIES[field] not in subject.node.properties:
        return []
    without = _without_latency(subject.table.listed) if field == "latency" else ()
    times = []
    for index, state in enumerate(subject.table.states):
        if index in without:
            continue
        ns = state.latency_ns if field == "latency" else state.residency_ns
        if ns is not None:
            times.append(Time(index, field, ns))
    return times


def _without_latency(listed: "IdleList | None") -> tuple[int, ...]:
    """The rows whose nodes say no latency."""
    if listed is None:
        return ()
    from ..devicetree.idle_nodes import latency_us, row_nodes

    return tuple(row for row, node in enumerate(row_nodes(listed)) if latency_us(node) is None)


def _fallback(subject: Subject) -> int | None:
    """The row of state 0 of a driver's own table, None for other tables. It is entered where no
    deeper one fits, so that its times decide nothing. intel_idle puts POLL before its rows."""
    built_in = subject.table.built_in
    if built_in is None or built_in.is_intel_idle:
        return None
    return 0 if built_in.first_row == 0 else None


def all_times(subject: Subject) -> list[Time]:
    """All latencies and residencies that decide anything."""
    fallback = _fallback(subject)
    return [t for field in FIELDS for t in column(subject, field) if t.row != fallback]


def rows(subject: Subject) -> Iterator[tuple[int, int, int]]:
    """(index, latency, residency) of each row that has both, not 0 (that is IS215), in ns; without
    a driver's own state 0."""
    residencies = {time.row: time.ns for time in column(subject, "residency")}
    for index, _, latency in column(subject, "latency"):
        residency = residencies.get(index)
        if latency and residency and index != _fallback(subject):
            yield index, latency, residency


def converting_to_zero(subject: Subject, ns: int) -> tuple[str, ...]:
    """The kernels asked for that take the table's times and make 0 us of this one, oldest first."""
    if not subject.is_opal:
        return ()
    zero = {r.name: r for r in subject.kernels if _takes_times(subject, r) and _is_zero(ns, r)}
    return tuple(sorted(zero, key=lambda name: (zero[name].version, name)))


def _takes_times(subject: Subject, release: Release) -> bool:
    """Stop states are known from 4.8 on; before 3.18 latencies were built in."""
    if subject.is_stop:
        return release.features.stop
    return release.features.parse not in ("static", "flags")


def _is_zero(ns: int, release: Release) -> bool:
    return to_us(ns, release.features) == 0
