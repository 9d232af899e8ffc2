"""Single measurements, kept apart by everything that must not be mixed."""

from array import array

from ....base.dataclass import dataclass, field
from ....base.model.measured import Latency, Samples, WokenBy
from ....base.reading import limits
from .output import ToolOutput


@dataclass(frozen=True, slots=True)
class LatencyKind:
    """The properties that values share if they may be mixed; the fields are those of `Latency`."""

    state: str | None
    woken_by: WokenBy
    busy: bool = False
    net: bool = False
    group: str = ""


@dataclass(slots=True)
class LatencySamples:
    """Collects values in the order in which they were measured."""

    source: ToolOutput
    _values: dict[LatencyKind, "array[float]"] = field(default_factory=dict)
    _lines: dict[LatencyKind, int] = field(default_factory=dict)
    _count: int = 0

    def add(self, kind: LatencyKind, value_ns: float, line: int) -> None:
        """Raises Unreadable for more values than a file may have."""
        self._count += 1
        if self._count > limits.MEASURED_VALUES:
            message = f"expected at most {limits.MEASURED_VALUES} values"
            raise self.source.refused(message, line)
        if kind not in self._values:
            self._values[kind] = array("d")
            self._lines[kind] = line
        self._values[kind].append(value_ns)

    def latencies(self) -> tuple[Latency, ...]:
        """One of each kind, by where it begins."""
        return tuple(
            Latency(
                kind.state,
                kind.woken_by,
                Samples(tuple(values)),
                busy=kind.busy,
                net=kind.net,
                group=kind.group,
                where=self.source.place(self._lines[kind]),
            )
            for kind, values in self._values.items()
        )
