"""The one registry of processors: what firmware, kernels and other programs know each one by.

To add a processor, add an entry to PROCESSORS and a spec of its name to specs/. Nothing else names
a generation, a PVR or a chip. What an entry leaves out, no modelled release knows or has.

Sources: PVR values Linux arch/powerpc/include/asm/reg.h; chips skiboot include/chip.h; levels the
tables of skiboot hw/slw.c and hdata/test/op920.wsp.dts, p10-rainier.dts; where the timebase stops
skiboot 58913880c, and what POWER9's microcode says to a thread that wakes (open-power/hcode
import/chips/p9/procedures/ppe_closed/cme/stop_cme/p9_cme_stop_exit.c: levels 4 to 7
SOME_STATE_LOSS_BUT_NOT_TIMEBASE, from 8 on MOST_STATE_LOSS).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from ..dataclass import dataclass

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
    skiboot         first release that uses the processor's table for it; None: none modelled
    sleeps_from_ec  EC level below which skiboot offers no fast sleep, 0 where all have it
    """

    name: str
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
    table             packaged table that skiboot uses for these chips; "": the one of this name
    variants          (variant, packaged table that skiboot uses for it): "mambo" the simulator,
                      "dd1" the first silicon, "fused-core"
    grouped_levels    MTL names the last of four levels (3, 7, 11) instead of one level
    timebase_stops_from  first stop level at which timebase and decrementer stop; None: not known,
                      or no stop instruction
    fast_sleep        hostboot says whether its chips may sleep, and sleep needs the workaround for
                      erratum 1 (SLEEP_ENABLED_ER1)
    linux_restores    Linux has a driver for states that lose full context or stop the timebase
    boost_state       the state that op-test's test of boost frequencies needs, "" if none
    machine           QEMU's machine that boots its tables, "" if there is none
    kernels           (variant, "" for all others; Linux releases of its own time, which check takes
                      beside its usual ones): those that distributions first ran it with, where
                      check's usual ones are later
    """

    name: str
    isa: tuple[int, int]
    pvr: int
    versions: tuple[Version, ...]
    levels: tuple[int, ...] = ()
    table: str = ""
    variants: tuple[tuple[str, str], ...] = ()
    grouped_levels: bool = False
    timebase_stops_from: int | None = None
    fast_sleep: bool = False
    linux_restores: bool = False
    boost_state: str = ""
    machine: str = ""
    kernels: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def isa300(self) -> bool:
        """CPU_FTR_ARCH_300: it has the stop instruction and PSSCR; PMICR before."""
        return self.isa >= (3, 0)

    @property
    def chips(self) -> tuple[str, ...]:
        return tuple(chip.name for version in self.versions for chip in version.chips)

    @property
    def title(self) -> str:
        """What it is, in a line: the Power ISA, PVRs, chips and stop levels."""
        pvrs = ", ".join(f"{version.pvr:#06x}" for version in self.versions)
        levels = f"; stop levels {', '.join(map(str, self.levels))}" if self.levels else ""
        isa = ".".join(map(str, self.isa))
        return f"Power ISA {isa}; PVR {pvrs}; chips {', '.join(self.chips)}{levels}"

    @property
    def node(self) -> str:
        """Name of its CPUs in a device tree, without the unit address: PowerPC,POWER9."""
        return f"PowerPC,{self.name.upper()}"


PROCESSORS = (
    Processor(
        "power7",
        isa=(2, 6),
        pvr=0x003F,
        versions=(Version(0x003F, (Chip("P7"),)), Version(0x004A, (Chip("P7P"),))),
        table=NAP_ONLY,
    ),
    Processor(
        "power8",
        isa=(2, 7),
        pvr=0x004D,
        versions=(
            Version(
                0x004B,
                (Chip("P8_MURANO", ALWAYS, sleeps_from_ec=0x20),),
                testers=("fwts", "op-test"),
            ),
            Version(
                0x004D,
                (Chip("P8_VENICE", ALWAYS, sleeps_from_ec=0x20),),
                testers=("fwts", "op-test"),
            ),
            Version(0x004C, (Chip("P8_NAPLES", Known("5.1", "8f527a029")),), testers=("fwts",)),
        ),
        fast_sleep=True,
        machine="powernv8",
        # Ubuntu 16.04's
        kernels=(("", ("4.4",)),),
    ),
    Processor(
        "power9",
        isa=(3, 0),
        pvr=0x004E,
        versions=(
            Version(
                0x004E,
                (Chip("P9_NIMBUS", ALWAYS), Chip("P9_CUMULUS", ALWAYS)),
                linux=ALWAYS,
                testers=("fwts", "op-test"),
            ),
            Version(0x004F, (Chip("P9P", Known("6.6-rc1", "689f44696")),), testers=("op-test",)),
        ),
        levels=(0, 1, 2, 4, 5, 8, 11),
        variants=(
            ("mambo", "power9-mambo"),
            ("dd1", "power9-dd1"),
            ("fused-core", "power9-fused"),
        ),
        grouped_levels=True,
        timebase_stops_from=8,
        linux_restores=True,
        boost_state="stop5",
        machine="powernv9",
        # DD1 was brought up with 4.8 to 4.13, whose times are truncated; Ubuntu 18.04 had 4.15
        kernels=(("", ("4.15",)), ("dd1", ("4.11", "4.13"))),
    ),
    Processor(
        "power10",
        isa=(3, 1),
        pvr=0x0080,
        versions=(Version(0x0080, (Chip("P10", Known("7.0", "1cb7b37c9")),), linux=ALWAYS),),
        levels=(0, 2, 3, 11),
        machine="powernv10",
    ),
    Processor(
        "power11",
        isa=(3, 1),
        pvr=0x0082,
        versions=(
            Version(
                0x0082,
                (Chip("P11", Known("7.1.1", "8cd82f715")),),
                linux=Known("6.19", "fbe409d138b1"),
            ),
        ),
        levels=(0, 2, 3, 11),
        machine="powernv10",
    ),
)

NAMES = tuple(processor.name for processor in PROCESSORS)


Key = TypeVar("Key", str, int)
Value = TypeVar("Value")


class WrongRegistry(TypeError):
    """An entry of PROCESSORS with a name, chip or PVR that another one has."""


def _once(what: str, found: Iterable[tuple[Key, Value]]) -> Mapping[Key, Value]:
    """The pairs as a mapping. what: what the keys are. Raises WrongRegistry for a key that occurs
    twice: one of its values would never be found."""
    made: dict[Key, Value] = {}
    for key, value in found:
        if key in made:
            shown = f"{key:#06x}" if isinstance(key, int) else key
            raise WrongRegistry(f"expected each {what} once in PROCESSORS, found {shown} twice")
        made[key] = value
    return made


@dataclass(frozen=True, slots=True)
class Registry:
    """What entries are found by. Raises WrongRegistry where two of them share a key."""

    name2processor: Mapping[str, Processor]
    chip2processor: Mapping[str, Processor]
    pvr2processor: Mapping[int, Processor]
    chips: Mapping[str, Chip]
    versions: Mapping[int, Version]

    @classmethod
    def of(cls, entries: Sequence[Processor]) -> "Registry":
        versions = [(entry, version) for entry in entries for version in entry.versions]
        chips = [(entry, chip) for entry, version in versions for chip in version.chips]
        return cls(
            _once("name", ((entry.name, entry) for entry in entries)),
            _once("chip", ((chip.name, entry) for entry, chip in chips)),
            _once("PVR", ((version.pvr, entry) for entry, version in versions)),
            {chip.name: chip for _, chip in chips},
            {version.pvr: version for _, version in versions},
        )


_REGISTRY = Registry.of(PROCESSORS)
CHIPS, VERSIONS = _REGISTRY.chips, _REGISTRY.versions


def named(generation: str) -> Processor:
    """The processor of a generation, "power9". Raises UnknownProcessor."""
    found = _REGISTRY.name2processor.get(generation)
    if found is None:
        raise UnknownProcessor(f"expected one of {', '.join(NAMES)}, found {generation!r}")
    return found


def of_chip(chip: str) -> Processor | None:
    """The processor of a skiboot chip type; None if the chip is not in the registry."""
    return _REGISTRY.chip2processor.get(chip)


def of_pvr(pvr: int) -> Processor | None:
    """The processor of a version (upper half of the PVR); None if it is not in the registry."""
    return _REGISTRY.pvr2processor.get(pvr)


def assumed(isa300: bool) -> Processor:
    """The processor assumed for a table that names none: the first in the registry with its
    register. isa300: the register is PSSCR, else PMICR."""
    return named("power9" if isa300 else "power8")
