"""Models of what states draw: given on the command line, from specs, implied by rows, or assumed
by what states stop."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from ...base.dataclass import replace
from ...base.model.findings import UsageError
from ...base.model.table import IdleState, Power
from ...tables.power.energy import RELATIVE, SNOOZE, PowerModel
from ...tables.power.figures import POLL, from_rows, from_specs, from_words
from ...tables.power.request import ASSUMED, IMPLIED, TAU_BOTH, TAU_EXIT, PowerRequest
from .machine import CpuTable

SCOPE2DRAW = {
    "thread": (850_000, 900_000),
    "core": (200_000, 850_000),
    "pair": (0, 200_000),
    "quad": (0, 200_000),
}
"""The scope that a state acts on -> the least and the most that it draws, a thread in snooze being
1000000: POWER8's nap, the range between its nap and its sleep, and what is below its sleep."""
SCOPE_NOTE = (
    "no figure of {} is known: POWER8's are used, by what a state stops (IBM, POWER8 overview, "
    "S822/S822LC, medium confidence), a thread 0.85 to 0.9, a core 0.2 to 0.85, a pair or quad 0 "
    "to 0.2"
)
Rows = Sequence[tuple[str, IdleState]]
"""(state name in the kernel, row of the spec)."""


def power_model(
    request: PowerRequest,
    tables: Sequence[CpuTable],
    rows: Rows,
    scopes: Mapping[str, str] = MappingProxyType({}),
) -> PowerModel | None:
    """Returns the power model; None if there are no figures.

    tables: as kernels hold them; rows: of their specs, if any, with times that are not rounded;
    scopes: state -> what it acts on, where rows do not say. Raises UsageError.
    """
    if not request.figures:
        return from_specs(rows, request.tau or TAU_EXIT)
    if request.figures == ASSUMED:
        return from_specs(_assumed(tables, rows, scopes), request.tau or TAU_EXIT)
    written: dict[str, IdleState] = {}
    for name, state in rows:
        written.setdefault(name, state)
    times: dict[str, tuple[int, int]] = {}
    for table in tables:
        for name, held in zip(table.names, table.states, strict=True):
            times.setdefault(name, _times(written.get(name), held.exit_ns, held.residency_ns))
    if request.figures == IMPLIED:
        first = [(name, *times[name]) for name in (tables[0].names if tables else ())]
        if len(first) < 2:
            raise UsageError("expected a table with two states or more for --power implied")
        return from_rows(first, request.tau or TAU_BOTH)
    latencies = {name: exit_ns for name, (exit_ns, _) in times.items()}
    return from_words(request.figures, latencies, request.tau or TAU_EXIT)


def _assumed(
    tables: Sequence[CpuTable], rows: Rows, scopes: Mapping[str, str]
) -> Iterator[tuple[str, IdleState]]:
    """Yields the rows, with a figure for those without. Raises UsageError for a state that is no
    row's, or stops nothing that is known."""
    written: dict[str, IdleState] = {}
    for name, row in rows:
        written.setdefault(name, row)
    for name in dict.fromkeys(name for table in tables for name in table.names):
        if name in (SNOOZE, POLL):
            continue
        found = written.get(name)
        scope = "" if found is None else scopes.get(name) or found.scope or ""
        if found is None or scope not in SCOPE2DRAW:
            raise UsageError(
                f"expected rows of POWER's firmware with what they stop for --power {ASSUMED}, "
                f"found {name}, for which it is unknown"
            )
        if found.power is None:
            low, high = SCOPE2DRAW[scope]
            note = f"as POWER8's for a state that stops a {scope}"
            source = "IBM, POWER8 overview, S822/S822LC"
            found = replace(found, power=Power(low, high, RELATIVE, source, "medium", note=note))
        yield name, found


def _times(row: IdleState | None, exit_ns: int, residency_ns: int) -> tuple[int, int]:
    """Returns exit latency and residency in ns, from the spec's row if there is one: the kernel
    rounds both to whole us."""
    if row is None:
        return exit_ns, residency_ns
    return row.latency_ns, residency_ns if row.residency_ns is None else row.residency_ns
