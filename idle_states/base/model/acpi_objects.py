"""The ACPI description of idle states: _CST and _LPI as AML has them, and their entries.

Sources: ACPI specification 6.5, 6.4.3.7 (generic register descriptor), 8.4.1.1 (_CST) and 8.4.3.3
(_LPI).
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Self, TypeAlias, TypeVar

from ..dataclass import dataclass
from .forms import HIDDEN, U32, Count

PROCESSOR_HID, CONTAINER_HID = "ACPI0007", "ACPI0010"
"""_HID of processors, and of containers of processors."""
FIXED_HARDWARE, SYSTEM_IO, SYSTEM_MEMORY = 0x7F, 1, 0
"""Address spaces of registers: FFixedHW, SystemIO and SystemMemory of ASL."""
SPACES = {
    SYSTEM_MEMORY: "SystemMemory",
    SYSTEM_IO: "SystemIO",
    2: "PCI_Config",
    3: "EmbeddedControl",
    4: "SMBus",
    0x0A: "PCC",
    FIXED_HARDWARE: "FFixedHW",
}
"""Address space -> its name in ASL."""
_REGISTER = bytes((0x82, 12, 0))
_REGISTER_BYTES = 15
LPI_ELEMENTS = 10
"""Elements of a state of _LPI."""
_T = TypeVar("_T")


class Malformed(ValueError):
    """An object that is not what ACPI defines: "expected X, found Y"."""


@dataclass(frozen=True, slots=True)
class AcpiReference:
    """An element that names something other than a value: a device, a method, ..."""

    path: str


if TYPE_CHECKING:
    AcpiObject: TypeAlias = int | str | bytes | AcpiReference | tuple["AcpiObject", ...] | None
else:
    AcpiObject = int | str | bytes | AcpiReference | tuple[object, ...] | None
"""An evaluated object: an integer, a string, a buffer, a package, a reference; None for an element
of a package that was never given a value."""


@dataclass(frozen=True, slots=True)
class AcpiRegister:
    """A register, as ResourceTemplate () {Register (...)} makes a buffer of it.

    space        see SPACES
    width        in bits; of FFixedHW on Intel its vendor: 1
    offset       in bits; of FFixedHW on Intel its class: 2 for MWAIT
    access_size  of FFixedHW on Intel bit 0: hardware coordinates the state, bit 1: avoids BM_STS
    address      of FFixedHW on Intel the hint for MWAIT
    """

    space: int
    width: int
    offset: int
    access_size: int
    address: int

    @classmethod
    def mwait(cls, hint: int) -> Self:
        """The register of a state that MWAIT enters; C1's leaves BM_STS alone."""
        return cls(FIXED_HARDWARE, 1, 2, 3 if hint >= 0x10 else 1, hint)

    @classmethod
    def port(cls, port: int) -> Self:
        """The register of a state that reading a port enters."""
        return cls(SYSTEM_IO, 8, 0, 0, port)

    @classmethod
    def of(cls, found: AcpiObject) -> Self:
        """The register of a buffer, which may have an end tag behind it. Raises Malformed."""
        if not isinstance(found, bytes):
            raise Malformed(f"expected a register as a buffer, found {kind(found)}")
        if len(found) < _REGISTER_BYTES or not found.startswith(_REGISTER):
            shown = found[:_REGISTER_BYTES].hex(" ")
            message = f"expected {_REGISTER_BYTES} bytes from 82 0c 00 on, found {len(found)}"
            raise Malformed(f"{message}: {shown}" if found else message)
        space, width, offset, access_size = found[3:7]
        return cls(space, width, offset, access_size, int.from_bytes(found[7:15], "little"))

    def __bytes__(self) -> bytes:
        fields = bytes((self.space, self.width, self.offset, self.access_size))
        return _REGISTER + fields + self.address.to_bytes(8, "little") + b"\x79\x00"

    def __str__(self) -> str:
        space = SPACES.get(self.space, f"{self.space:#04x}")
        fields = f"{self.width}, {self.offset}, {self.address:#x}, {self.access_size}"
        return f"Register ({space}, {fields})"


LPI_BESIDE = "The rows are those of _CST; _LPI is kept beside them."
"""The note of a table that has both objects."""
HALT = AcpiRegister(FIXED_HARDWARE, 0, 0, 0, 0)
"""The register of a C1 that HLT enters."""


@dataclass(frozen=True, slots=True)
class CstEntry:
    """A C-state of _CST. kind: its type, 1 for C1; latency_us: worst case; power_mw: on average."""

    register: AcpiRegister
    kind: int
    latency_us: int
    power_mw: int

    @classmethod
    def of(cls, found: AcpiObject) -> Self:
        """The C-state of an element of _CST. Raises Malformed."""
        elements = _package(found, 4, "a C-state")
        register, *numbers = elements
        kind_, latency, power = (
            _integer(number, name)
            for number, name in zip(numbers[:3], ("type", "latency", "power"), strict=True)
        )
        return cls(AcpiRegister.of(register), kind_, latency, power)


@dataclass(frozen=True, slots=True)
class LpiState:
    """A local power state of _LPI.

    min_residency_us   time from which on entering it pays
    wake_latency_us    worst case
    flags              bit 0: the state is enabled
    arch_flags         which context is lost, as the architecture defines it
    counter_frequency  of the counter of time spent in it, Hz; 0 for that of the TSC or the like
    enable_parent      deepest state, from 1 on, that the container may be in with it; 0 for none
    entry              a register, or an integer that is added to the entry of the level below
    residency_counter, usage_counter   registers, 0 where there are none
    """

    min_residency_us: int
    wake_latency_us: int
    flags: int
    arch_flags: int
    counter_frequency: int
    enable_parent: int
    entry: AcpiRegister | int
    residency_counter: AcpiRegister | int = 0
    usage_counter: AcpiRegister | int = 0
    name: str = ""

    @property
    def enabled(self) -> bool:
        return bool(self.flags & 1)

    @classmethod
    def of(cls, found: AcpiObject) -> Self:
        """The state of an element of _LPI. Raises Malformed."""
        elements = _package(found, LPI_ELEMENTS, "a state")
        name = elements[9]
        # firmware that has no name for a state says 0
        if name not in (0, None) and not isinstance(name, str):
            raise Malformed(f"expected a name as a string, found {kind(name)}")
        entry, residency_counter, usage_counter = (
            element if isinstance(element, int) else AcpiRegister.of(element)
            for element in elements[6:9]
        )
        return cls(
            _integer(elements[0], "minimum residency"),
            _integer(elements[1], "wake latency"),
            _integer(elements[2], "flags"),
            _integer(elements[3], "architectural flags"),
            _integer(elements[4], "counter frequency"),
            _integer(elements[5], "deepest parent state"),
            entry,
            residency_counter,
            usage_counter,
            name if isinstance(name, str) else "",
        )


@dataclass(frozen=True, slots=True)
class AcpiProcessor:
    """A processor of the name space.

    path          \\_SB.CPU0, or \\_PR.CPU0
    uid           by which other tables mean it: of _UID, or of Processor (); None if it is computed
    block         I/O port of its registers P_CNT, P_LVL2, P_LVL3 (P_BLK); 0 for a Device
    block_bytes   how many there are: 6 with P_LVL2 and P_LVL3
    is_device     Device () with _HID ACPI0007, not Processor ()
    """

    path: str
    uid: int | str | None = None
    block: int = 0
    block_bytes: int = 0
    is_device: bool = False


@dataclass(frozen=True, slots=True)
class LpiLevel:
    """A processor, or a container of processors (_HID ACPI0010), with its _LPI; None without."""

    path: str
    lpi: AcpiObject = None


@dataclass(frozen=True, slots=True)
class Fadt:
    """The fields of the Fixed ACPI Description Table that concern C-states.

    flags        bit 0 WBINVD, bit 2 PROC_C1, bit 3 P_LVL2_UP
    smi_command  port to which the kernel writes cst_control to say that it handles _CST
    """

    c2_latency_us: Annotated[U32, "P_LVL2_LAT; above 100 there is no C2 by P_LVL2."]
    c3_latency_us: Annotated[U32, "P_LVL3_LAT; above 1000 there is no C3 by P_LVL3."]
    flags: U32
    smi_command: Annotated[int, HIDDEN] = 0
    cst_control: Annotated[Count, "What firmware is told to hand _CST over; 0: nothing."] = 0


def cst_entries(cst: AcpiObject) -> tuple[CstEntry | Malformed, ...]:
    """The C-states of a _CST, each as it is or what is wrong with it. Raises Malformed if _CST as a
    whole is not what it should be."""
    if not isinstance(cst, tuple):
        raise Malformed(f"expected a package, found {kind(cst)}")
    count = _integer(cst[0] if cst else None, "number of C-states")
    if count < 1 or count != len(cst) - 1:
        raise Malformed(f"expected {len(cst) - 1} as the number of C-states, found {count}")
    return tuple(_tried(CstEntry.of, element) for element in cst[1:])


def lpi_states(lpi: AcpiObject) -> tuple[LpiState | Malformed, ...]:
    """The states of a _LPI, each as it is or what is wrong with it. Raises Malformed if _LPI as a
    whole is not what it should be."""
    if not isinstance(lpi, tuple) or len(lpi) < 3:
        raise Malformed(f"expected a package of at least 3 elements, found {kind(lpi)}")
    _integer(lpi[0], "revision")
    _integer(lpi[1], "level")
    count = _integer(lpi[2], "number of states")
    if count != len(lpi) - 3:
        raise Malformed(f"expected {len(lpi) - 3} as the number of states, found {count}")
    return tuple(_tried(LpiState.of, element) for element in lpi[3:])


def kind(found: AcpiObject) -> str:
    """Returns an object's type and size, in words."""
    if found is None:
        return "nothing"
    if isinstance(found, int):
        return f"the integer {found:#x}"
    if isinstance(found, str):
        return f"the string {found[:40]!r}"
    if isinstance(found, AcpiReference):
        return f"a reference to {found.path}"
    what = "a buffer", "bytes"
    if isinstance(found, tuple):
        what = "a package", "elements"
    return f"{what[0]} of {len(found)} {what[1]}"


def _tried(read: Callable[[AcpiObject], _T], found: AcpiObject) -> _T | Malformed:
    try:
        return read(found)
    except Malformed as error:
        return error


def _package(found: AcpiObject, count: int, what: str) -> tuple[AcpiObject, ...]:
    if not isinstance(found, tuple) or len(found) < count:
        raise Malformed(f"expected {what} of {count} elements, found {kind(found)}")
    return found


def _integer(found: AcpiObject, name: str) -> int:
    if not isinstance(found, int):
        raise Malformed(f"expected the {name} as an integer, found {kind(found)}")
    return found
