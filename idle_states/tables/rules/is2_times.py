"""The parts that the IS2xx rules share: a table's time columns, and the words for them."""

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from ...base.dataclass import dataclass
from ...base.model.power_mgt import LATENCIES, RESIDENCIES
from ...base.model.units import format_time
from ..linux.convert import to_us
from ..linux.releases import Release
from ..pipeline import Subject
from .rows import StateRow, every_row

if TYPE_CHECKING:
    from ...base.model.table import Origin

FIELDS = ("latency", "residency")
_WORDS = {"latency": "an exit latency", "residency": "a target residency"}
_PROPERTIES = {"latency": LATENCIES, "residency": RESIDENCIES}


@dataclass(frozen=True, slots=True)
class Time:
    """One latency or residency: its row, its field, nanoseconds. As text: 200us."""

    row: StateRow
    field: str
    ns: int

    def __str__(self) -> str:
        return format_time(self.ns)

    @property
    def kind(self) -> str:
        """Returns "an exit latency", of a node "an entry plus exit latency" where both are added,
        or "a target residency"."""
        if self.field == "latency" and self.row.subject.table.origin.form == "nodes":
            from ..devicetree.idle_nodes import EXIT

            if self.row.at("latency").path.endswith(f":{EXIT}"):
                return "an entry plus exit latency"
        return _WORDS[self.field]


@dataclass(frozen=True, slots=True)
class Cost:
    """Both times of a row."""

    row: StateRow
    latency: Time
    residency: Time


@lru_cache(maxsize=len(FIELDS))  # as of every_row()
def column(subject: Subject, field: str) -> tuple[Time, ...]:
    """All values of "latency" or "residency" that the source really has, in table order.

    A device tree without the property has none; `decode` shows 0 for its latencies, as does a
    node of Arm's without.
    """
    if subject.node is not None and _PROPERTIES[field] not in subject.node.properties:
        return ()
    without = _without_latency(subject.table.origin) if field == "latency" else ()
    times = []
    for row in every_row(subject):
        if row.number in without:
            continue
        ns = row.state.latency_ns if field == "latency" else row.state.residency_ns
        if ns is not None:
            times.append(Time(row, field, ns))
    return tuple(times)


def latencies(subject: Subject) -> tuple[Time, ...]:
    return column(subject, "latency")


def residencies(subject: Subject) -> tuple[Time, ...]:
    return column(subject, "residency")


def opal_latencies(subject: Subject) -> tuple[Time, ...]:
    return latencies(subject) if subject.is_opal else ()


def _without_latency(listed: "Origin") -> tuple[int, ...]:
    """The rows whose nodes say no latency."""
    if listed.form != "nodes":
        return ()
    from ..devicetree.idle_nodes import latency_us, row_nodes

    return tuple(row for row, node in enumerate(row_nodes(listed)) if latency_us(node) is None)


def _fallback(subject: Subject) -> int | None:
    """The row of state 0 of a driver's own table, None for other tables. It is entered where no
    deeper one fits, so that its times decide nothing. intel_idle puts POLL before its rows."""
    built_in = subject.table.origin
    if built_in.form != "driver" or built_in.is_intel_idle:
        return None
    return 0 if built_in.first_row == 0 else None


def all_times(subject: Subject) -> list[Time]:
    """All latencies and residencies that decide anything."""
    fallback = _fallback(subject)
    return [t for field in FIELDS for t in column(subject, field) if t.row.number != fallback]


def costs(subject: Subject) -> Iterator[Cost]:
    """Yields the costs of each row that has both times, not 0 (that is IS215); without a driver's
    own state 0."""
    index2residency = {time.row.number: time for time in residencies(subject)}
    for latency in latencies(subject):
        residency = index2residency.get(latency.row.number)
        if latency.ns and residency and residency.ns and latency.row.number != _fallback(subject):
            yield Cost(latency.row, latency, residency)


def converting_to_zero(time: Time) -> tuple[str, ...]:
    """The kernels asked for that take the table's times and make 0 us of this one, oldest first."""
    subject = time.row.subject
    if not subject.is_opal:
        return ()
    zero = {
        release.name: release
        for release in subject.kernels
        if _takes_times(subject, release) and to_us(time.ns, release.features) == 0
    }
    return tuple(sorted(zero, key=lambda name: (zero[name].version, name)))


def _takes_times(subject: Subject, release: Release) -> bool:
    """Stop states are known from 4.8 on; before 3.18 latencies were built in."""
    if subject.is_stop:
        return release.features.stop
    return release.features.parse not in ("static", "flags")
