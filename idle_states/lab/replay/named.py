"""The machines that --table and --states name: one table for all CPUs, or tables for some."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...base.dataclass import dataclass
from ...base.model.beyond_opal import Dump
from ...base.model.findings import Unreadable, UsageError
from ...base.patterns import pattern
from ...base.reading import opening, sysfs
from ...base.reading.cpu_lists import cpus_in
from ...base.reading.inputs import Input, InputKind
from ...tables.linux.releases import Release
from ...tables.linux.request_parts import GivenStates
from ...tables.spec.packaged import resolve_name
from .machine import CpuTable, TracedMachine, from_sysfs
from .tables import of_given, of_tree

if TYPE_CHECKING:
    from ...base.model.table import IdleState
    from ...tables.linux.genpd.tables import CpuDomain
    from ...tables.linux.platforms import AnyPlatform
    from .power import Rows

_TWO_TREES = "the tables are of different trees: their power domains are ignored"
_CPUS = pattern(r"[0-9]+(?:-[0-9]+)?(?:,[0-9]+(?:-[0-9]+)?)*")


@dataclass(frozen=True, slots=True)
class TableReader:
    """Reads tables as one kernel registers them on one machine. disabled: numbers of states."""

    platform: "AnyPlatform"
    release: Release
    disabled: tuple[int, ...] = ()

    def dump(self, dump: Dump, name: str) -> TracedMachine:
        """The machine that a dump of cpuidle's sysfs shows."""
        polling = self.release.features.snooze_polling
        return TracedMachine(name, None, from_sysfs(dump, polling, self.disabled))

    def table(
        self, text: str, cpus: Sequence[int] | None
    ) -> tuple[TracedMachine, Sequence[tuple[str, str]], "Rows"]:
        """Reads a table by name or file. Raises UsageError if it has no states for these CPUs."""
        is_file = text != opening.STANDARD_INPUT and opening.is_file(text)
        if is_file and resolve_name(text) is None and _is_dump(text):
            source = Input(text)
            machine = self.dump(sysfs.read(source), text)
            missing = [cpu for cpu in cpus or () if cpu not in machine.own]
            if missing:
                found = f"CPUs {min(machine.own)} to {max(machine.own)}" if machine.own else "none"
                raise UsageError(f"expected CPU {missing[0]} in {text}, found {found}")
            return machine, [(text, source.sha256())], ()
        return of_tree(text, self.platform, self.release, self.disabled)


def named_machines(
    tables: Sequence[str], states: GivenStates | None, reader: TableReader
) -> tuple[list[TracedMachine], list[tuple[str, str]], "Rows"]:
    """Returns the machines of the named tables, (name, SHA-256) of their files, and the rows of
    their specs."""
    machines: list[TracedMachine] = []
    files: list[tuple[str, str]] = []
    rows: list[tuple[str, IdleState]] = []
    own: dict[int, CpuTable] = {}
    names: list[str] = []
    trees: list[tuple[tuple[CpuDomain, ...], tuple[str, ...]]] = []

    def close() -> None:
        if own:
            notes = tuple(dict.fromkeys(note for _, of in trees for note in of))
            domains = tuple({domains for domains, _ in trees})
            one = domains[0] if len(domains) == 1 else ()
            if len(domains) > 1:
                notes = (_TWO_TREES,)
            machines.append(TracedMachine(" ".join(names), None, dict(own), one, notes))
        own.clear()
        names.clear()
        trees.clear()

    for text in tables:
        before, equals, after = text.partition("=")
        cpus = _cpus(before) if equals and _CPUS.fullmatch(before) else None
        table, read, written = reader.table(text if cpus is None else after, cpus)
        files += read
        rows += written
        if cpus is None:
            close()
            machines.append(table)
            continue
        if any(cpu in own for cpu in cpus):
            close()
        own.update({cpu: found for cpu in cpus if (found := table.table(cpu)) is not None})
        names.append(text)
        if table.domains:
            trees.append((table.domains, table.domain_notes))
    close()
    if states:
        held = of_given(states, reader.disabled)
        machines.append(held.machine)
    return machines, files, rows


def _is_dump(text: str) -> bool:
    try:
        source = Input(text)
    except Unreadable:
        return False
    source.close()
    return source.kind is InputKind.SYSFS


def _cpus(text: str) -> list[int]:
    """Returns the CPUs, as `cpus_in` does. Raises UsageError."""
    try:
        return list(cpus_in(text))
    except ValueError as error:
        raise UsageError(str(error)) from None
