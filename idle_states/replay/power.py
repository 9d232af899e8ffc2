"""A request for power figures: given on the command line, from specs, or implied by rows."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..findings import UsageError
from ..table import IdleState
from .energy import TAU_BOTH, TAU_EXIT, PowerModel, from_rows, from_specs, from_words
from .machine import CpuTable

IMPLIED = "implied"
Rows = Sequence[tuple[str, IdleState]]
"""(state name in the kernel, row of the spec)."""


@dataclass(frozen=True, slots=True)
class PowerRequest:
    """Which model of the states' power to use.

    figures  text for from_words(); IMPLIED: implied by the first table's residencies; "": from the
             specs
    tau      TAU_EXIT or TAU_BOTH; "": TAU_BOTH with IMPLIED, otherwise TAU_EXIT
    """

    figures: str = ""
    tau: str = ""

    def model(self, tables: Sequence[CpuTable], rows: Rows) -> PowerModel | None:
        """Returns the power model; None if there are no figures.

        tables: as kernels hold them; rows: of their specs, if any, with times that are not rounded.
        Raises UsageError.
        """
        if not self.figures:
            return from_specs(rows, self.tau or TAU_EXIT)
        written: dict[str, IdleState] = {}
        for name, state in rows:
            written.setdefault(name, state)
        times: dict[str, tuple[int, int]] = {}
        for table in tables:
            for name, held in zip(table.names, table.states, strict=True):
                times.setdefault(name, _times(written.get(name), held.exit_ns, held.residency_ns))
        if self.figures == IMPLIED:
            first = [(name, *times[name]) for name in (tables[0].names if tables else ())]
            if len(first) < 2:
                raise UsageError("expected a table with two states or more for --power implied")
            return from_rows(first, self.tau or TAU_BOTH)
        latencies = {name: exit_ns for name, (exit_ns, _) in times.items()}
        return from_words(self.figures, latencies, self.tau or TAU_EXIT)


FROM_SPECS = PowerRequest()


def _times(row: IdleState | None, exit_ns: int, residency_ns: int) -> tuple[int, int]:
    """Returns exit latency and residency in ns, from the spec's row if there is one: the kernel
    rounds both to whole us."""
    if row is None:
        return exit_ns, residency_ns
    return row.latency_ns, residency_ns if row.residency_ns is None else row.residency_ns
