"""The origin of a running x86 kernel's states: one of intel_idle's own tables, ACPI's _CST or _LPI
through intel_idle, or acpi_idle.

sysfs shows names, times and descriptions, neither the processor's model nor the release: a table is
told by its figures, and tables with equal figures are all named.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from ....base.dataclass import dataclass
from ....base.model.beyond_opal import Held, SysfsState
from ....base.patterns import pattern
from .known import KnownRow, KnownTable, known_cpus, known_tables, spans

Kind = Literal["native", "cst", "lpi", "acpi_idle"]

INTEL, ACPI = "intel_idle", "acpi_idle"
CST = pattern(r"C[0-9]_ACPI")
_LPI = pattern(r"C[0-9]+_LPI")
_ACPI = pattern(r"ACPI (?:FFH|HLT|IOPORT)\b")
HINT = pattern(r"MWAIT 0x([0-9a-f]{1,2})")
_CST_FACTOR = 3
"""intel_idle: target residency by exit latency, for states deeper than C1."""
_ACPI_FACTOR = 2
"""acpi_idle: likewise, for all states, unless processor.latency_factor says otherwise."""
_UPDATES = {
    # (array, row, times) -> why intel_idle itself sets them
    ("skx_cstates", "C6", (92, 276)): "package C6 is disabled in the BIOS",
    ("spr_cstates", "C6", (190, 600)): "package C6 is disabled in the BIOS",
}
_FROM_MSR = {"bxt_cstates": ("C6", "C7s", "C8", "C9", "C10")}
"""Rows whose times intel_idle takes from the interrupt response limits in MSRs."""


@dataclass(frozen=True, slots=True)
class NearTable:
    """An array of intel_idle."""

    name: Annotated[str, "The array in intel_idle.c."]
    releases: Annotated[str, "The releases read that have it with these figures."]


@dataclass(frozen=True, slots=True)
class HeldOrigin:
    """The origin of some CPUs' states.

    kind      native: a table of intel_idle; cst, lpi: intel_idle, from ACPI's _CST or _LPI;
              acpi_idle: the driver of that name
    tables    of a native one: the tables that are nearest, of equal distance
    cpus      processors that have one of these tables, by the kernel's names
    changed   values that differ from the table, or from what the driver makes of ACPI's, in words
    missing   rows of the table that are not there
    """

    kind: Kind
    tables: tuple[NearTable, ...] = ()
    cpus: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def differences(self) -> tuple[str, ...]:
        """The differences from the table, in words."""
        absent = (
            "is not registered: no such MWAIT sub-state, or left out by a parameter or the driver"
        )
        return (*self.changed, *(f"{name} {absent}" for name in self.missing))

    @property
    def name(self) -> str:
        """The origin as reports call it: "intel_idle: skl_cstates"."""
        if self.kind == "native":
            return f"{INTEL}: {' or '.join(table.name for table in self.tables)}"
        if self.kind == ACPI:
            return ACPI
        return f"{INTEL}: _{self.kind.upper()}"


def origin(held: Held) -> HeldOrigin | None:
    """Returns where the states come from; None if they are no x86 driver's, or no table that is
    known has most of them."""
    states = held.states[held.first_row :]
    if held.driver not in ("", INTEL, ACPI) or not states:
        return None
    if held.driver != ACPI and all(CST.fullmatch(state.name) for state in states):
        return HeldOrigin("cst", changed=tuple(_not_by_factor(states, (1, _CST_FACTOR))))
    if held.driver != ACPI and all(_LPI.fullmatch(state.name) for state in states):
        return HeldOrigin("lpi")
    if held.driver == ACPI or all(_ACPI.match(state.description) for state in states):
        return HeldOrigin("acpi_idle", changed=tuple(_not_by_factor(states, (_ACPI_FACTOR,))))
    return _native(states)


def _not_by_factor(states: Sequence[SysfsState], factors: Sequence[int]) -> Iterator[str]:
    for state in states:
        latency, residency = state.latency_us, state.residency_us
        if residency not in {latency * factor for factor in factors}:
            usual = f"{latency}/{latency * factors[-1]} us"
            yield f"{state.name}: {latency}/{residency} us instead of {usual}, the driver's own"


def _native(states: Sequence[SysfsState]) -> HeldOrigin | None:
    best: list[tuple[KnownTable, dict[int, KnownRow]]] = []
    least: tuple[int, int, int] | None = None
    for table in known_tables():
        pairs = _paired(states, table)
        if pairs is None:
            continue
        unequal = [
            (pairs[at], _times(s)) for at, s in enumerate(states) if pairs[at].times != _times(s)
        ]
        open_ones = sum(_update(table, *each) is None for each in unequal)
        distance = open_ones, len(unequal), len(_expected(table)) - len(pairs)
        if open_ones * 2 > len(states) or (least is not None and distance > least):
            continue
        if distance != least:
            best = []
        least = distance
        best.append((table, pairs))
    if not best:
        return None
    table, pairs = best[0]
    name2releases: dict[str, list[str]] = {}
    for each, _ in best:
        name2releases.setdefault(each.name, []).extend(each.releases)
    cpus = (known.cpu.name for known in known_cpus() if known.cpu.table in name2releases)
    names = {row.name for row in pairs.values()}
    return HeldOrigin(
        "native",
        tuple(NearTable(name, spans(releases)) for name, releases in name2releases.items()),
        tuple(dict.fromkeys(cpus)),
        tuple(_changed(states, table, pairs)),
        tuple(row.name for row in _expected(table) if row.name not in names),
    )


def _update(table: KnownTable, row: KnownRow, times: tuple[int, int]) -> str | None:
    """Returns the reason why intel_idle gives a row these times; None if it does not."""
    if row.name in _FROM_MSR.get(table.name, ()) and times[0] == times[1]:
        return "the processor's interrupt response limits say so"
    return _UPDATES.get((table.name, row.name, times))


def _times(state: SysfsState) -> tuple[int, int]:
    return state.latency_us, state.residency_us


def _expected(table: KnownTable) -> list[KnownRow]:
    """The rows that are registered unless the machine lacks them."""
    return [row for row in table.rows if "U" not in row.flags]


def _paired(states: Sequence[SysfsState], table: KnownTable) -> dict[int, KnownRow] | None:
    """Each state's row, in the table's order; None if one has none of its name and hint."""
    pairs = {}
    rows = iter(table.rows)
    for at, state in enumerate(states):
        hint = HINT.fullmatch(state.description)
        row = next(
            (
                row
                for row in rows
                if row.name == state.name and (hint is None or int(hint[1], 16) == row.mwait_hint)
            ),
            None,
        )
        if row is None:
            return None
        pairs[at] = row
    return pairs


def _changed(
    states: Sequence[SysfsState], table: KnownTable, pairs: dict[int, KnownRow]
) -> Iterator[str]:
    for at, state in enumerate(states):
        row, times = pairs[at], _times(state)
        if row.times == times:
            continue
        why = _update(table, row, times)
        cause = f"as intel_idle sets it where {why}" if why else "by intel_idle.table= or a patch"
        found, usual = f"{times[0]}/{times[1]} us", f"{row.times[0]}/{row.times[1]} us"
        yield f"{state.name}: {found} instead of {usual}, {cause}"
