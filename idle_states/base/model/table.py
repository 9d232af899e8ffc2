"""The idle-state table: the one value that every stage, format and rule speaks about.

Everything here is frozen and free of I/O. Times are integers in nanoseconds (`latency_ns`,
`residency_ns`), registers are integers with a field view beside them (`Psscr`).

Source of the encodings: skiboot include/opal-api.h (OPAL_PM_*) and include/slw.h
(struct cpu_idle_states); Power ISA 3.0B, PSSCR.
"""

import enum
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Literal, Self, TypeAlias

from ..dataclass import dataclass, field
from .findings import Location
from .processors import Known, Processor

if TYPE_CHECKING:
    from .beyond_opal import AcpiIdle, BuiltIn, Held, IdleList
    from .verdicts import Judgement

U32_MAX = 0xFFFF_FFFF
U64_MAX = 0xFFFF_FFFF_FFFF_FFFF

NAME_BYTES = 16
"""Size of the name field in skiboot's struct and in Linux, terminating NUL included."""


class Flag(enum.IntFlag, boundary=enum.KEEP):
    """OPAL_PM_* and OPAL_USE_PMICR of skiboot's opal-api.h; unknown bits are kept."""

    DEC_STOP = 0x0000_0001
    TIMEBASE_STOP = 0x0000_0002
    LOSE_USER_CONTEXT = 0x0000_1000
    LOSE_HYP_CONTEXT = 0x0000_2000
    LOSE_FULL_CONTEXT = 0x0000_4000
    NAP_ENABLED = 0x0001_0000
    SLEEP_ENABLED = 0x0002_0000
    WINKLE_ENABLED = 0x0004_0000
    SLEEP_ENABLED_ER1 = 0x0008_0000
    STOP_INST_FAST = 0x0010_0000
    STOP_INST_DEEP = 0x0020_0000
    USE_PMICR = 0x0080_0000

    def __rand__(self, other: int) -> int:  # type: ignore[override]
        """int & Flag: a plain integer (enum's own operator is slow: it looks up its members)."""
        return int.__and__(self, other)


KNOWN_FLAGS = 0
for _flag in Flag:
    KNOWN_FLAGS |= int(_flag)

STOP_CLASSES = int(Flag.STOP_INST_FAST | Flag.STOP_INST_DEEP)


def flag_names(flags: int) -> list[str]:
    """Names of the set bits in ascending order; bits nobody defined appear as 0x... ."""
    names = [flag.name or hex(flag) for flag in Flag if flags & flag]
    unknown = flags & ~KNOWN_FLAGS
    if unknown:
        names.append(hex(unknown))
    return names


class Register(enum.StrEnum):
    """The control register that a table's states are requested through."""

    PSSCR = "psscr"
    PMICR = "pmicr"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Psscr:
    """Fields of the Processor Stop Status and Control Register.

    rl    requested level, bits 60:63        mtl  maximum transition level, 56:59
    tr    transition rate, 54:55             psll power-saving level limit, 44:47
    ec    exit criterion, 43                 esl  enable state loss, 42
    other every remaining bit, as it stands in the register
    """

    rl: int = 0
    mtl: int = 0
    tr: int = 0
    psll: int = 0
    ec: int = 0
    esl: int = 0
    other: int = 0

    FIELDS = MappingProxyType(
        # name -> (shift, width)
        {"rl": (0, 4), "mtl": (4, 4), "tr": (8, 2), "psll": (16, 4), "ec": (20, 1), "esl": (21, 1)}
    )

    @classmethod
    @lru_cache(maxsize=1024)
    def from_int(cls, value: int) -> Self:
        fields = {
            name: value >> shift & (1 << width) - 1 for name, (shift, width) in cls.FIELDS.items()
        }
        return cls(**fields, other=value & U64_MAX & ~PSSCR_FIELD_BITS)

    def __int__(self) -> int:
        value = self.other
        for name, (shift, _) in self.FIELDS.items():
            value |= getattr(self, name) << shift
        return value

    def __str__(self) -> str:
        parts = [f"{name.upper()}={getattr(self, name)}" for name in self.FIELDS]
        if self.other:
            parts.append(f"other={self.other:#x}")
        return " ".join(parts)


def field_mask(names: Iterable[str]) -> int:
    """Mask that covers the named PSSCR fields: field_mask(["rl"]) == 0xf."""
    mask = 0
    for name in names:
        shift, width = Psscr.FIELDS[name]
        mask |= (1 << width) - 1 << shift
    return mask


PSSCR_FIELD_BITS = field_mask(Psscr.FIELDS)
PSSCR_MASK = field_mask(["rl", "mtl", "tr", "ec", "esl"])
"""OPAL_PM_PSSCR_MASK, 0x3003ff: what skiboot hands to Linux as psscr-mask."""
RL_MASK = field_mask(["rl"])
PMICR_VALUES = {
    # skiboot include/opal-api.h, OPAL_PM_*_PMICR
    "none": 0,
    "fastsleep": 0x20_0000_0000,
    "deepsleep": 0x30_0000_0000,
    "fastwinkle": 0x20_0000,
    "deepwinkle": 0x30_0000,
}
PMICR_MASKS = {"none": 0, "sleep": 0x30_0000_0000, "winkle": 0x30_0000}


@dataclass(frozen=True, slots=True)
class Provenance:
    """The origin of a value.

    kind        "commit", "measured", "estimate", "architecture" or "file" (imported)
    source      commit, message id, document or file
    confidence  "high", "medium" or "low"
    """

    kind: str
    source: str
    confidence: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Replaced:
    """A value that a spec's `override` replaced.

    text        as it is written
    where       its place in the spec that said it
    provenance  where it came from; None: not said
    """

    text: str
    where: Location
    provenance: Provenance | None = None


@dataclass(frozen=True, slots=True)
class Measurement:
    """A wake-up latency somebody measured, e.g. kind "ipi", 3670 ns.

    base_ns          what the measuring takes by itself, contained in latency_ns; None: not known,
                     or subtracted already
    statistic        of the values measured: "p99.99", "max", "mean"; "" where it is not said
    n                number of values
    low_ns, high_ns  interval in which the statistic lies with a probability of `confidence`
                     percent, base_ns subtracted; None: no bound on that side
    machine, kernel  what it was measured on, "" where it is not said
    """

    kind: str
    latency_ns: int
    source: str
    base_ns: int | None = None
    statistic: str = ""
    n: int | None = None
    low_ns: int | None = None
    high_ns: int | None = None
    confidence: str = ""
    machine: str = ""
    kernel: str = ""

    @property
    def net_ns(self) -> int:
        """The latency without what the measuring takes by itself, as far as that is known."""
        return max(0, self.latency_ns - (self.base_ns or 0))

    def against(self, advertised_ns: int) -> "Judgement":
        """Returns the judgement of an advertised exit latency by this measurement."""
        from .verdicts import judge

        return judge(advertised_ns, self.net_ns, self.low_ns, self.high_ns, self.statistic)


@dataclass(frozen=True, slots=True)
class Power:
    """The power that a state draws, between two bounds.

    unit        "relative": millionths of what an awake CPU draws; "watts": microwatts
    of          whose power it is a share of, or is: core, core and L2, chiplet, ...
    confidence  "high", "medium" or "low"
    """

    low: int
    high: int
    unit: str
    source: str
    confidence: str
    of: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class IdleState:
    """One row of a table.

    name           as in firmware; Linux and skiboot keep at most 15 bytes of it
    latency_ns     exit latency, u32
    residency_ns   target residency, u32; None where firmware of that time had no such field
    flags          OPAL_PM_* bits, u32; see `Flag`
    control, mask  PSSCR or PMICR value and mask, u64
    scope          what the state acts on: thread, core, pair, quad or chip
    cpuidle        False where the state is meant for CPU offlining only; `reason` says why
    where          field name -> Location; not part of equality
    macro          in C, the macro that makes the row or some of its members; not part of equality
    replaced       of a spec, field -> the values that overrides replaced, the last one first; not
                   part of equality
    """

    name: str
    latency_ns: int
    residency_ns: int | None
    flags: int
    control: int = 0
    mask: int = 0
    scope: str | None = None
    cpuidle: bool = True
    reason: str = ""
    note: str = ""
    measured: tuple[Measurement, ...] = ()
    power: Power | None = None
    provenance: Mapping[str, Provenance] = field(default_factory=dict, compare=False, repr=False)
    where: Mapping[str, Location] = field(default_factory=dict, compare=False, repr=False)
    macro: str = field(default="", compare=False, repr=False)
    replaced: Mapping[str, tuple[Replaced, ...]] = field(
        default_factory=dict, compare=False, repr=False
    )

    @property
    def psscr(self) -> Psscr:
        return Psscr.from_int(self.control)

    @property
    def level(self) -> int:
        """Requested level (RL), the only PSSCR field that skiboot's export looks at."""
        return self.control & RL_MASK

    def has(self, flag: Flag) -> bool:
        return bool(self.flags & flag.value)

    @property
    def is_stop(self) -> bool:
        return bool(self.flags & STOP_CLASSES)

    @property
    def unsourced(self) -> list[str]:
        """The fields whose values overrides give without a source. Measurements name their own."""
        return [key for key in self.replaced if key not in (*self.provenance, "measured")]

    def misfits(self) -> Iterator[tuple[str, int, int]]:
        """(field, value, greatest value) of each value too large for its field in the C struct."""
        for name, value, most in (
            ("latency", self.latency_ns, U32_MAX),
            ("residency", self.residency_ns or 0, U32_MAX),
            ("flags", self.flags, U32_MAX),
            ("control", self.control, U64_MAX),
            ("mask", self.mask, U64_MAX),
        ):
            if not 0 <= value <= most:
                yield name, value, most

    def values(self) -> tuple[str, int, int | None, int, int, int]:
        """Returns the values that firmware and kernel see: the six fields of the C struct."""
        return (self.name, self.latency_ns, self.residency_ns, self.flags, self.control, self.mask)


@dataclass(frozen=True, slots=True)
class Cpu:
    """The processor a table is for.

    processor  what is known of its generation
    pvr        upper half of the Processor Version Register, 0 where unknown
    chips      skiboot's chip types that take this table
    levels     stop levels the hardware implements; empty where not applicable
    kernels    Linux releases of the table's own time, see `Processor`
    """

    processor: Processor
    pvr: int = 0
    chips: tuple[str, ...] = ()
    levels: tuple[int, ...] = ()
    supported: bool = True
    kernels: tuple[str, ...] = ()

    @classmethod
    def of(cls, processor: Processor, pvr: int = 0) -> Self:
        """A processor as its usual table has it. pvr: of a version; 0 for the usual one."""
        version = processor.version(pvr)
        chips = tuple(chip.name for chip in version.chips) if version else processor.chips
        pvr = pvr or processor.pvr
        return cls(processor, pvr, chips, processor.levels, kernels=processor.kernels)

    @property
    def generation(self) -> str:
        """The processor's name: "power9"."""
        return self.processor.name

    @property
    def isa300(self) -> bool:
        """CPU_FTR_ARCH_300: the stop instruction and PSSCR exist."""
        return self.processor.isa300

    @property
    def version(self) -> str:
        """The PVR, for messages."""
        return f"PVR {self.pvr:#06x}" if self.pvr else "an unknown PVR"


@dataclass(frozen=True, slots=True)
class Firmware:
    """The place of the table in skiboot, and the machines that it is taken for.

    array       name of the C array; "": none is given, and it is made of the table's name
    file        source file of the array
    ec          least and greatest EC level of the chips that take the table; None: any
    quirk       platform quirk of the machines that take the table, "" for none
    fused_core  the table is for machines with fused cores
    copy_of     the table that this one is declared to be a copy of, in an array of its own
    shares      the table whose array this one is declared to be; "" where it has its own
    skiboot     first release that has the table; None: none modelled
    """

    array: str = ""
    file: str = ""
    quirk: str = ""
    fused_core: bool = False
    copy_of: str = ""
    ec: tuple[int, int] | None = None
    shares: str = ""
    skiboot: Known | None = None

    @property
    def is_special(self) -> bool:
        """Tells whether firmware takes the table for only some machines of its chips."""
        return bool(self.quirk or self.fused_core or self.ec)

    def overlaps(self, other: "Firmware") -> bool:
        """Tells whether some machine could be meant by both tables."""
        if (self.quirk, self.fused_core) != (other.quirk, other.fused_core):
            return False
        if self.ec is None or other.ec is None:
            return self.ec is other.ec
        return self.ec[0] <= other.ec[1] and other.ec[0] <= self.ec[1]


@dataclass(frozen=True, slots=True)
class CedeRecord:
    """One extended-cede record a POWER hypervisor advertises (RTAS token 45).

    latency_ticks  latency in ticks of the timebase
    """

    hint: int
    latency_ticks: int
    wake_on_irq: bool


@dataclass(frozen=True, slots=True)
class Partition:
    """The hypervisor's data for a pseries kernel, in place of OPAL's states.

    shared         processor mode: shared, or dedicated
    extended_cede  records of the hypervisor
    """

    shared: bool
    timebase_hz: int = 512_000_000
    extended_cede: tuple[CedeRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadFrom:
    """The input a table was read from. kind: the name of its format in `table_formats`."""

    kind: str
    file: str = ""
    sha256: str = ""
    where: Location | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class BeforeExport:
    """A table as skiboot has it: of a spec, of its source or of its image."""

    form: ClassVar[Literal["spec"]] = "spec"


@dataclass(frozen=True, slots=True)
class Exported:
    """A table as skiboot exported it to a device tree: states it left out are not in it.

    unknown  the processor that the tree names where no spec has it: "PVR 0x00f00100" or
             "PowerPC,POWER99"; "" where one has, or the tree names none
    pvr      that PVR's upper half, 0 where the tree gives a name alone
    """

    unknown: str = ""
    pvr: int = 0
    form: ClassVar[Literal["dt"]] = "dt"


Origin: TypeAlias = "BeforeExport | Exported | Held | IdleList | BuiltIn | AcpiIdle"
"""The way that a table's rows came, and what is known by it alone. `form` tells them apart."""


@dataclass(frozen=True, slots=True)
class IdleTable:
    """A table of idle states, from whichever source.

    name       revision, C array or node path: what findings and reports call it
    register   PSSCR, PMICR or none (pseries)
    cpu        the processor; None where the source does not say
    origin     the way that the rows came, and what is known by it alone
    historical a table skiboot once had, checked only when named
    """

    name: str
    states: tuple[IdleState, ...]
    register: Register
    cpu: Cpu | None = None
    firmware: Firmware = Firmware()
    partition: Partition | None = None
    origin: Origin = BeforeExport()
    title: str = ""
    note: str = ""
    historical: bool = False
    read_from: ReadFrom = field(default=ReadFrom("spec"), compare=False)
    where: Mapping[str, Location] = field(default_factory=dict, compare=False, repr=False)

    def state(self, name: str) -> IdleState | None:
        """The first state of that name, None if there is none."""
        return next((state for state in self.states if state.name == name), None)

    def path(self, index: int | None = None, leaf: str = "") -> str:
        """Logical path in the notation of the table's source: power10:states[3].psscr.mtl, or
        power10_cpu_idle_states[3].pm_ctrl_reg_val."""
        if index is None:
            return self.name + (f":{leaf}" if leaf else "")
        if self.read_from.kind == "c":
            return f"{self.name}[{index}]" + (f".{leaf}" if leaf else "")
        return f"{self.name}:states[{index}]" + (f".{leaf}" if leaf else "")

    def same_values(self, other: "IdleTable") -> bool:
        """True if firmware would export the same rows, whatever is noted beside them."""
        return [state.values() for state in self.states] == [
            state.values() for state in other.states
        ]


def mask_of(text: str) -> int:
    """Returns the mask of 32 bits that a text is. Raises UsageError."""
    from .findings import UsageError

    try:
        value = int(text, 0)
    except ValueError:
        value = -1
    if not 0 <= value <= U32_MAX:
        raise UsageError(f"expected a mask of 32 bits such as 0xec000000, found {text!r}")
    return value
