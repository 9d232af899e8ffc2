"""A table through all stages: what firmware exports of it and what each kernel registers.

`Subject` computes each stage on demand, for rules; `journey` returns all stages as one frozen
value, which `show` prints.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..base.dataclass import dataclass, replace
from ..base.model.findings import Location, UsageError
from ..base.model.history import Since
from ..base.model.power_mgt import PowerMgt
from ..base.model.processors import Processor
from ..base.model.stages import Changed, Lost
from ..base.model.table import Cpu, IdleTable, Register
from .linux import grounds, register
from .linux.driver_table import DriverState, DriverTable
from .linux.grounds import INTEL_IDLE, driver_of
from .linux.platforms import firmware_of, subsystem_of, x86_of
from .linux.psci_firmware import PsciFirmware
from .linux.releases import Release
from .skiboot.platform import ALL_LEVELS, Platform
from .skiboot.releases import ExportCode
from .sources import Source, read_table
from .sources.source import with_processor_of
from .spec import registry
from .spec.library import find, packaged
from .spec.packaged import Revision

if TYPE_CHECKING:
    from .linux.governors.interface import State
    from .linux.intel_idle.platform import X86Platform
    from .linux.platforms import AnyPlatform
    from .linux.request_parts import GovernorRequest
    from .skiboot.export import Export


class Subject:
    """A table under check.

    table      the table
    node       the table's power-mgt node as raw bytes, if it was read from a device tree
    platform   the machine its export is computed for
    machine    the x86 machine that intel_idle starts on; None where that is not asked
    kernels    the releases asked for
    beside     the other tables of the tree it is from; None: the packaged ones stand for them
    code       the export code of that tree; None: that of the platform's release
    by_change  whether it is judged by what a change does to it, not by the packaged table
    earlier    specs' tables that the same check has before it
    timeless   results that depend on no time, by keys of those who have them
    thresholds values of rules' thresholds, by name: "IS209.percent"; others have their defaults
    """

    def __init__(
        self,
        table: IdleTable,
        kernels: Sequence[Release],
        platform: "AnyPlatform" = ALL_LEVELS,
        node: PowerMgt | None = None,
        *,
        beside: Sequence[IdleTable] | None = None,
        code: ExportCode | None = None,
        by_change: bool = False,
        thresholds: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self.table = table
        self.thresholds = thresholds
        self.earlier: Sequence[IdleTable] = ()
        self.beside = beside
        self.code = code
        self.by_change = by_change
        self.node = node
        self.machine = x86_of(platform, table)
        self.platform = firmware_of(platform).expect_chip(table.cpu)
        self.kernels = tuple(kernels)
        self.timeless: dict[object, Any] = {}
        self._alikes: dict[tuple[str, tuple[Since, ...]], object] = {}
        self._linux: dict[tuple[str, tuple[Since, ...]], DriverTable] = {}
        self._drivers: dict[Any, DriverTable] = {}

    @classmethod
    def of(
        cls,
        source: Source,
        kernels: Sequence[Release],
        platform: "AnyPlatform" = ALL_LEVELS,
        *,
        by_change: bool = False,
        thresholds: Mapping[str, int] = MappingProxyType({}),
    ) -> "Subject":
        """The table of a source, which must have one. The platform's specs know its processor,
        too."""
        source = with_processor_of(source, firmware_of(platform).specs)
        assert source.table is not None
        return cls(
            source.table,
            kernels,
            platform,
            source.node,
            beside=source.beside,
            code=source.code,
            by_change=by_change,
            thresholds=thresholds,
        )

    def retimed(self, table: IdleTable, node: PowerMgt) -> "Subject":
        """The same with a device tree's table that differs in times alone, and its node: what does
        not depend on times is not computed again."""
        again = object.__new__(Subject)
        again.__dict__.update(self.__dict__, table=table, node=node, _linux={}, _drivers={})
        return again

    @property
    def form(self) -> str:
        """Kind of source: spec, c, dt, sysfs, nodes, driver, acpi. Tables of a skiboot.lid count
        as c."""
        form = self.table.origin.form
        return "c" if form == "spec" and self.table.read_from.kind in ("c", "lid") else form

    @property
    def subsystem(self) -> str:
        """The subsystem, of linux.grounds, that registers its states."""
        return INTEL_IDLE if self.machine is not None else driver_of(self.table)

    @property
    def is_opal(self) -> bool:
        """False for tables that OPAL does not export: those of pseries, Arm, RISC-V, ACPI, sysfs
        and drivers' sources."""
        return self.table.register is not Register.NONE

    @property
    def is_stop(self) -> bool:
        """True for tables of ISA 3.0 processors, whose control register is PSSCR."""
        return self.table.register is Register.PSSCR

    @cached_property
    def cpu(self) -> Cpu:
        """The table's processor, guessed from its register where the source does not say; of one
        that no spec has, its PVR alone is known."""
        if self.table.cpu:
            return self.table.cpu
        origin = self.table.origin
        if origin.form == "dt" and origin.unknown:
            isa = (3, 0) if self.is_stop else (2, 7)
            return Cpu(Processor("unknown", isa, origin.pvr, ()), origin.pvr)
        processor = registry.assumed(self.is_stop)
        return Cpu(processor, processor.pvr)

    @cached_property
    def export(self) -> "Export | None":
        """The states that firmware exports; None for a tree (already exported) and for pseries."""
        if self.table.origin.form == "dt" or not self.is_opal:
            return None
        from .skiboot.export import export

        return export(self.table, self.platform, self.code)

    @cached_property
    def exported_indices(self) -> tuple[int, ...]:
        """Positions of the table's rows that firmware exports, in order."""
        if self.export is not None:
            return self.export.indices
        return tuple(range(len(self.table.states)))

    def alike(self, release: Release) -> object:
        """Returns a key that is equal for releases whose drivers register the table alike."""
        alike = self._alike(release)
        return (alike, release.features.snooze_polling) if self._is_powernv else alike

    @cached_property
    def _is_powernv(self) -> bool:
        origin = self.table.origin
        return origin.form in ("spec", "dt") and self.table.partition is None

    def _alike(self, release: Release) -> object:
        """Returns the key without whether powernv's snooze is a polling state."""
        key = release.name, release.lacks
        if key not in self._alikes:
            self._alikes[key] = self._read_by(release)
        return self._alikes[key]

    def _read_by(self, release: Release) -> object:
        by_acpi = None
        if self.table.origin.form == "acpi":
            from .linux.acpi_idle.features import features as acpi_features

            by_acpi = acpi_features(release)
        if self.machine is not None:
            from .linux.intel_idle.features import features as intel_features
            from .linux.intel_idle.figures import tree_of

            return by_acpi, intel_features(release), release.source or tree_of(release)
        if by_acpi is not None:
            return by_acpi
        if self.table.origin.form == "nodes":
            return release
        if not self._is_powernv:
            return id(release.features)
        from .linux.powernv import read_by

        return read_by(self.cpu, release)

    @cached_property
    def alikes(self) -> tuple[tuple[int, ...], ...]:
        """The kernels whose drivers register the table alike but for whether snooze polls, which
        says nothing about the table: as `grouped` returns them."""
        return self.grouped(self._alike)

    def grouped(self, key: Callable[[Release], object]) -> tuple[tuple[int, ...], ...]:
        """The kernels by their numbers, in groups of equal keys."""
        groups: dict[object, list[int]] = {}
        for number, release in enumerate(self.kernels):
            groups.setdefault(key(release), []).append(number)
        return tuple(map(tuple, groups.values()))

    def runs(self, governor: str) -> bool:
        """Tells whether a governor decides, as far as is known: a dump may name another."""
        held = self.table.origin
        return held.form != "sysfs" or held.governor in ("", governor)

    def linux(self, release: Release) -> DriverTable:
        """Returns the driver table of `release`; `source` of its states indexes exported rows."""
        key = release.name, release.lacks
        if key not in self._linux:
            driver = self.driver(release)
            own = driver.kernel == release.name
            self._linux[key] = driver if own else replace(driver, kernel=release.name)
        return self._linux[key]

    def driver(self, release: Release) -> DriverTable:
        """Returns what `release` registers, under the name of the first kernel whose driver
        registers the table alike."""
        alike = self.alike(release)
        if alike not in self._drivers:
            self._drivers[alike] = self._register(release)
        return self._drivers[alike]

    def _register(self, release: Release) -> DriverTable:
        if self._is_powernv and self._drivers:
            from .linux.powernv import as_of

            read_by = self._alike(release)
            for (other, _), driver in self._drivers.items():
                if other == read_by:
                    return as_of(driver, release)
        return register(
            self.node or (self.export.node if self.export else None),
            self.cpu,
            release,
            self.table,
            stop_api=self.platform.stop_api,
            firmware=psci_firmware(self.platform),
            machine=self.machine,
        )

    def row(self, source: int) -> int:
        """Position in the table of an exported row, given its position among the exported rows (as
        DriverState.source and Lost.index count)."""
        return self.exported_indices[source]

    def at(self, index: int | None, field: str = "state") -> Location:
        """Place of a field of a row ("latency", "flags", "control.mtl", ...), or of the nearest
        thing around it whose place is known. index: None for a field of the table itself."""
        where = self.table.where if index is None else self.table.states[index].where
        if index is None:
            return where.get(field) or where.get("table") or Location(path=self.table.name)
        while field:
            if field in where:
                return where[field]
            field = field.rpartition(".")[0]
        return where.get("state") or Location(path=self.table.path(index))

    @cached_property
    def reference(self) -> IdleTable | None:
        """The packaged table this table claims to be, by its name or that of its C array.

        None if there is none, and for a packaged spec itself.
        """
        own = self.table
        array = own.name if own.read_from.kind == "c" else own.firmware.array
        if own.read_from.kind == "spec":
            for table in packaged(lambda revision: revision.name == own.name):
                if table.read_from.sha256 == own.read_from.sha256:
                    return None

        def wanted(revision: Revision) -> bool:
            return not revision.historical and (revision.name == own.name or array != "")

        candidates = list(packaged(wanted))
        by_name = [table for table in candidates if table.name == own.name]
        by_array = [table for table in candidates if table.firmware.array == array != ""]
        return next(iter(by_name + by_array), None)

    @cached_property
    def others(self) -> tuple[IdleTable, ...]:
        """The tables that its siblings are among: those of its tree, else the packaged ones that
        skiboot has today."""
        if self.beside is not None:
            return tuple(self.beside)
        return tuple(packaged(lambda revision: not revision.historical))

    def packaged(self, name: str) -> IdleTable:
        """A packaged table, for comparisons with siblings. KeyError if there is none."""
        return find(name)


@dataclass(frozen=True, slots=True)
class Arrival:
    """The states that one kernel registers of the exported tree. Rows are positions in the table.

    subsystem   the driver's, of linux.grounds
    registered  row -> the state registered for it
    lost        (row, why Linux does not register it)
    changed     (row, a value that Linux changes)
    """

    release: Release
    driver: DriverTable
    subsystem: str
    registered: dict[int, DriverState]
    lost: tuple[tuple[int, Lost], ...]
    changed: tuple[tuple[int, Changed], ...]


@dataclass(frozen=True, slots=True)
class Journey:
    """A table through all stages.

    platform  whose firmware exports
    machine   the x86 machine that intel_idle starts on, or None
    export    what firmware exports; None where the table does not go through OPAL's export: a
              device tree, which has, or pseries, which has no OPAL
    arrivals  one for each kernel asked for
    """

    source: Source
    table: IdleTable
    platform: Platform
    machine: "X86Platform | None"
    export: "Export | None"
    arrivals: tuple[Arrival, ...]


def psci_firmware(platform: "AnyPlatform") -> PsciFirmware:
    """Returns the features of PSCI's firmware on a platform."""
    return PsciFirmware(osi=firmware_of(platform).psci_mode == "osi")


def journey(source: Source, platform: "AnyPlatform", kernels: Sequence[Release]) -> Journey:
    """Computes every stage for the table of a source, which must have one. Of a table that each
    release has its own figures for, the rows are the first kernel's."""
    assert source.table is not None
    if kernels and source.table.origin.form == "driver":
        from .linux.intel_idle.packaged import as_of

        source = replace(source, table=as_of(source.table, kernels[0]))
    subject = Subject.of(source, kernels, platform)
    source = replace(source, table=subject.table)
    return Journey(
        source,
        subject.table,
        subject.platform,
        subject.machine,
        subject.export,
        tuple(_arrival(subject, release) for release in subject.kernels),
    )


def followed(
    table: IdleTable,
    platform: "AnyPlatform",
    kernels: Sequence[Release],
    say: Callable[[str], None] = lambda message: None,
) -> tuple[Release, ...]:
    """Returns the releases that the table is followed to. say: told of those that are left out.
    Raises UsageError for a platform that cannot be meant."""
    driver = subsystem_of(table, platform)
    known, unknown = grounds.followed(kernels, driver)
    if note := grounds.left_out(unknown, driver):
        say(note)
    return tuple(known)


def registered_of(source: Source, text: str, platform: "AnyPlatform", release: Release) -> Arrival:
    """Returns the states that a kernel registers of a source's table, named by a text for people.
    Raises UsageError if it registers no state."""
    arrival = journey(source, platform, [release]).arrivals[0]
    if not arrival.driver.states:
        raise UsageError(
            f"expected Linux {release.name} to register states of {text}, found none: "
            f"{arrival.driver.fatal or 'all are lost; see idle-states show'}"
        )
    return arrival


def crashes(registered: "Iterable[DriverTable | list[State]]") -> Iterator[str]:
    """Notes for the user on kernels that register states and crash over the machine all the same, a
    line for those that do so alike."""
    fatal2kernels: dict[str, list[str]] = {}
    for driver in registered:
        if isinstance(driver, DriverTable) and driver.fatal is not None:
            fatal2kernels.setdefault(driver.fatal, []).append(driver.kernel)
    for fatal, names in fatal2kernels.items():
        yield f"Linux {', '.join(names)} crashes ({fatal}); shown is what it does before"


def held_by(
    release: Release, request: "GovernorRequest", source: Source | None = None
) -> "DriverTable | list[State]":
    """The states a governor selects from. source: the TABLE, if it has been read.

    Raises UsageError if a kernel registers nothing, and what reading a table raises.
    """
    if request.states is not None:
        return request.states.states
    assert request.table is not None
    source = source or read_table(request.table)
    return registered_of(source, request.table, request.platform, release).driver


def _arrival(subject: Subject, release: Release) -> Arrival:
    driver = subject.linux(release)
    rows = subject.exported_indices

    def row(source: int) -> int:
        return rows[source] if source < len(rows) else source

    return Arrival(
        release,
        driver,
        subject.subsystem,
        {row(state.source): state for state in driver.states if state.source is not None},
        tuple((row(lost.index), lost) for lost in driver.lost),
        tuple((row(changed.index), changed) for changed in driver.changed),
    )
