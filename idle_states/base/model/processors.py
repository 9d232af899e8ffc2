"""The kinds of values that say what a processor is, and who knows it.

The packaged specs say the processors that there are (`tables/spec/registry.py`).
"""

from collections.abc import Mapping

from ..dataclass import dataclass, field
from .findings import Location

UNKNOWN_CHIP = "UNKNOWN"
"""skiboot's name for a chip of unknown type (PROC_CHIP_UNKNOWN)."""
NAP_ONLY = "power8-nap-only"
"""The table that skiboot uses for a chip for which it has no other."""


class UnknownProcessor(ValueError):
    """A processor that is not in the registry; the message says what was expected."""


@dataclass(frozen=True, slots=True)
class Known:
    """The first release of skiboot or Linux that supports something.

    release  "": every release that is modelled
    commit   which added the support, "" if not known
    """

    release: str
    commit: str = ""


ALWAYS = Known("")


@dataclass(frozen=True, slots=True)
class Chip:
    """A type of chip.

    name            as skiboot names it: "P9_NIMBUS" for PROC_CHIP_P9_NIMBUS
    cfam_id         low byte of its CFAM chip id, by which skiboot tells types of chips; None: not
                    known
    skiboot         first release that uses the processor's table for it; None: none modelled
    sleeps_from_ec  EC level below which skiboot offers no fast sleep, 0 where all have it
    """

    name: str
    cfam_id: int | None = None
    skiboot: Known | None = None
    sleeps_from_ec: int = 0


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a processor.

    pvr      upper half of the Processor Version Register
    linux    first release whose stop driver accepts this PVR, among those that check it (5.10 on);
             None: none modelled, or the processor has no stop instruction
    testers  other programs that know it: "fwts", "op-test"
    """

    pvr: int
    chips: tuple[Chip, ...]
    linux: Known | None = None
    testers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Processor:
    """A generation of processors.

    name              "power9": also the name of its packaged table
    isa               version of the Power ISA, e.g. (3, 0)
    pvr               PVR of the usual version, assumed for a table or tree that names none
    versions          all versions
    levels            stop levels the hardware implements; () without a stop instruction
    grouped_levels    MTL names the last of four levels (3, 7, 11) instead of one level
    timebase_stops_from  first stop level at which timebase and decrementer stop; None: not known,
                      or no stop instruction
    fast_sleep        hostboot says whether its chips may sleep, and sleep needs the workaround for
                      erratum 1 (SLEEP_ENABLED_ER1)
    linux_restores    Linux has a driver for states that lose full context or stop the timebase
    boost_state       the state that op-test's test of boost frequencies needs, "" if none
    machine           QEMU's machine that boots its tables, "" if there is none
    kernels           Linux releases of its own time, which check takes beside its usual ones: those
                      that distributions first ran it with, where check's usual ones are later
    where             place of each of the values in the spec that says them: by its field,
                      "pvr 0x0080", "chip P10"; not part of equality
    """

    name: str
    isa: tuple[int, int]
    pvr: int
    versions: tuple[Version, ...]
    levels: tuple[int, ...] = ()
    grouped_levels: bool = False
    timebase_stops_from: int | None = None
    fast_sleep: bool = False
    linux_restores: bool = False
    boost_state: str = ""
    machine: str = ""
    kernels: tuple[str, ...] = ()
    where: Mapping[str, Location] = field(default_factory=dict, compare=False, repr=False)

    @property
    def isa300(self) -> bool:
        """CPU_FTR_ARCH_300: it has the stop instruction and PSSCR; PMICR before."""
        return self.isa >= (3, 0)

    @property
    def chips(self) -> tuple[str, ...]:
        return tuple(chip.name for version in self.versions for chip in version.chips)

    @property
    def table(self) -> str:
        """Name of the table that skiboot uses for it: its own, or the nap-only table for a
        processor of before POWER9 no chip of which any modelled skiboot knows."""
        chips = [chip for version in self.versions for chip in version.chips]
        known = self.isa300 or any(chip.skiboot for chip in chips)
        return self.name if known else NAP_ONLY

    def version(self, pvr: int) -> Version | None:
        """Its version of that PVR; None if it has none."""
        return next((version for version in self.versions if version.pvr == pvr), None)

    def chip(self, name: str) -> Chip | None:
        """Its chip of that name; None if it has none."""
        chips = (chip for version in self.versions for chip in version.chips)
        return next((chip for chip in chips if chip.name == name), None)

    @property
    def title(self) -> str:
        """The one-line description: the Power ISA, PVRs, chips and stop levels."""
        pvrs = ", ".join(f"{version.pvr:#06x}" for version in self.versions)
        levels = f"; stop levels {', '.join(map(str, self.levels))}" if self.levels else ""
        isa = ".".join(map(str, self.isa))
        return f"Power ISA {isa}; PVR {pvrs}; chips {', '.join(self.chips)}{levels}"

    @property
    def node(self) -> str:
        """Name of its CPUs in a device tree, without the unit address: PowerPC,POWER9."""
        return f"PowerPC,{self.name.upper()}"
