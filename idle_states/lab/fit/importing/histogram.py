"""Columns of a histogram: counts by bucket, and the statistics that tools print below."""

from ....base.dataclass import dataclass, field
from ....base.model.measured import LatencyBins
from .output import ToolOutput


@dataclass(slots=True)
class HistogramColumn:
    """One CPU's or thread's values, in the unit of the file.

    counts    lower bound of a bucket -> number of values, each of 1 or more
    total     number of all values, as the file says it; None where it does not
    """

    name: str
    line: int
    counts: dict[int, int] = field(default_factory=dict)
    over: int = 0
    total: int | None = None
    low: float | None = None
    high: float | None = None

    @property
    def n(self) -> int:
        return sum(self.counts.values()) + self.over

    def bins(self, output: ToolOutput, width: int, scale: int) -> LatencyBins:
        """scale: ns in the file's unit. Raises Unreadable for statistics that contradict the
        buckets."""
        if self.total is not None and self.total != self.n:
            message = f"expected the {self.total} values of {self.name} in buckets and above, "
            raise output.refused(f"{message}found {self.n}", self.line)
        if self.low is not None and self.high is not None and self.low > self.high:
            message = f"expected the minimum of {self.name} below its maximum, found otherwise"
            raise output.refused(message, self.line)
        return LatencyBins(
            tuple(
                (float(low * scale), float((low + width) * scale), self.counts[low])
                for low in sorted(self.counts)
            ),
            self.over,
            None if self.low is None else self.low * scale,
            None if self.high is None else self.high * scale,
        )
