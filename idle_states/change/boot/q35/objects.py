"""The objects of a TABLE's processors, given to the machine's."""

from collections.abc import Mapping, Sequence

from ....base.dataclass import dataclass
from ....base.model.acpi_objects import AcpiObject
from ....base.model.findings import (
    CannotGenerate,
    Location,
    UsageError,
    cannot_generate,
    unreadable,
)
from ....base.model.table import IdleTable
from ....tables.linux.acpi_draft import acpi_of
from ....tables.sources import Source
from . import machine
from .aml import ssdt

Objects = Mapping[str, AcpiObject]
"""Name -> object of a processor: _CST, _LPI."""


@dataclass(frozen=True, slots=True)
class Placed:
    """The ACPI objects for the machine's processors.

    places  paths of the TABLE's processors whose objects they have
    cpus    the objects of each
    tables  the TABLE's
    """

    places: tuple[str, ...]
    cpus: tuple[Objects, ...]
    tables: tuple[IdleTable, ...]

    @property
    def ssdt(self) -> bytes:
        """The table that gives them. Raises ValueError for objects that it has no bytes for."""
        return _ssdt(self.cpus)


def placed(sources: Sequence[Source], smp: int, file: str) -> Placed:
    """The objects for a machine of `smp` processors: of each set of equal ones in the TABLE one
    first, then the others in their order. Where all are equal, every processor has the same.

    Of a table that is not ACPI's they are what firmware would say. Raises CannotGenerate where that
    is not known, or an SSDT cannot say it; Unreadable without any table, UsageError if there are
    too few processors.
    """
    found: list[tuple[str, Objects]] = []
    others: list[tuple[str, Objects]] = []
    tables: list[IdleTable] = []
    for source in sources:
        if source.table is None:
            continue
        acpi = acpi_of(source.table)
        tables.append(source.table)
        own = acpi.lpi[0].lpi if acpi.lpi else None
        both = {"_CST": acpi.cst, "_LPI": own}
        objects = {name: value for name, value in both.items() if value is not None}
        first, *rest = [(processor.path, objects) for processor in acpi.processors]
        found.append(first)
        others += rest
    if not found:
        raise unreadable(file, "expected processors with _CST or _LPI, found none")
    if len(found) == 1:
        (only,) = found
        given = [only, *others, *[only] * smp][:smp]
    else:
        given = [*found, *others][:smp]
    if len(given) < smp:
        raise UsageError(
            f"expected --smp {len(given)} or less with {file}, whose {len(given)} processors "
            f"differ, found {smp}"
        )
    paths, cpus = zip(*given, strict=True)
    try:
        _ssdt(cpus)
    except ValueError as error:
        raise CannotGenerate([cannot_generate(str(error), Location(file=file))]) from None
    return Placed(tuple(paths), tuple(cpus), tuple(tables))


def _ssdt(cpus: Sequence[Objects]) -> bytes:
    return ssdt({machine.PROCESSOR.format(n): each for n, each in enumerate(cpus) if each})
