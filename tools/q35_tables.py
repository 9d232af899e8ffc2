"""Objects of ACPI that the nightly boots give to the processors of QEMU's q35: some as firmware
writes them, most meant to break a kernel's reading of them.

    python -m tools.q35_tables DIR    writes them all as DIR/NAME.aml
"""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from idle_states.base.model.acpi_objects import (
    FIXED_HARDWARE,
    HALT,
    SYSTEM_IO,
    SYSTEM_MEMORY,
    AcpiObject,
    AcpiRegister,
)
from idle_states.change.boot.q35 import machine
from idle_states.change.boot.q35.aml import ssdt
from tools.command_line import parsed

Objects = Mapping[str, AcpiObject]
"""Name -> object of a processor: _CST, _LPI."""
_PORT = 0x614
"""P_LVL2 of q35's power management; those after it are P_LVL3 and unused ones."""

_PARAMETERS = ("max_cstate=2", "max_cstate=0", "nocst=1", "latency_factor=3", "bm_check_disable=1")


@dataclass(frozen=True, slots=True)
class Q35Table:
    """A table to boot.

    why        what it tries
    cpus       the objects of each processor
    model      the processors, as QEMU's -cpu has them
    arguments  more words for the kernel's command line
    """

    name: str
    why: str
    cpus: tuple[Objects, ...]
    model: str = machine.CPU
    arguments: tuple[str, ...] = ()

    @property
    def ssdt(self) -> bytes:
        return ssdt({machine.PROCESSOR.format(n): each for n, each in enumerate(self.cpus) if each})


def tables() -> Iterator[Q35Table]:
    fixed = _mwait(1, 0), _mwait(2, 16)
    usual = _cst(_c1(), _io(2, 40), _io(3, 90))
    yield _table("io", "entries of SystemIO, as firmware writes them", usual)
    yield _table("one", "C1 alone", _cst(_c1()))
    yield _table("ffh", "entries of fixed hardware", _cst(*fixed, _mwait(3, 32)))
    yield _table("mixed", "fixed hardware, then SystemIO", _cst(*fixed, _io(3, 90)))
    yield _table("first-c2", "the first entry is not C1", _cst(_io(2, 40), _io(3, 90)))
    yield _table("c1-last", "C1 after deeper ones", _cst(_io(2, 40), _io(3, 90), _c1()))
    yield _table("c1-io", "C1 entered by SystemIO", _cst(_io(1, 1), _io(2, 40)))
    yield _table("type-4", "an entry of type 4", _cst(_c1(), _io(2, 40), _io(4, 90)))
    yield _table("type-0", "an entry of type 0", _cst(_c1(), _io(0, 40), _io(2, 90)))
    falling = _cst(_c1(), _io(2, 300), _io(3, 90))
    yield _table("out-of-order", "a deeper state of less latency", falling)
    tumbled = _cst(_c1(700), _io(2, 300), _io(2, 500), _io(3, 90))
    yield _table("tumbled", "four latencies in no order", tumbled)
    deep_first = _cst(_c1(), _io(3, 90), _io(2, 300))
    yield _table("c3-before-c2", "C3 before C2, by latency in order", deep_first)
    tied = _cst(_c1(), _io(2, 40), _io(2, 40), _io(3, 40))
    yield _table("tied", "equal latencies", tied)
    eight = _cst(_c1(), *(_io(2, 10 * n) for n in range(1, 8)))
    yield _table("eight", "more entries than there is room for", eight)
    yield _table("too-few", "a count beyond the entries", _cst(_c1(), _io(2, 40), count=3))
    yield _table("too-many", "a count short of the entries", _cst(_c1(), _io(2, 40), count=1))
    yield _table("count-0", "no entries", _cst(count=0))
    yield _table("count-string", "a count that is a string", ("2", _c1(), _io(2, 40)))
    yield _table("integer", "_CST is an integer", 3)
    wrong = (1, 2, 3, 4), (bytes(_io_register(2)), "2", 40, 0), (b"", 2, 40, 0), _io(3, 90)[:3]
    yield _table("wrong-kinds", "entries of wrong kinds", _cst(_c1(), *wrong, _io(2, 50)))
    yield _table("all-wrong", "nothing but entries of wrong kinds", _cst(*wrong))
    yield _table("empty", "an empty package", ())
    typeless = (bytes(HALT),)
    yield _table("typeless", "an entry of a register alone", _cst(_c1(), typeless))
    five = (*_io(2, 40), 0)
    yield _table("five-elements", "an entry of five elements", _cst(_c1(), five, _io(3, 90)))
    memory = bytes(AcpiRegister(SYSTEM_MEMORY, 8, 0, 1, 0xFED0_0000)), 2, 40, 0
    yield _table("memory", "a register in memory", _cst(_c1(), memory, _io(3, 90)))
    nowhere = bytes(AcpiRegister(SYSTEM_IO, 8, 0, 1, 0)), 2, 40, 0
    yield _table("port-0", "a port of 0", _cst(_c1(), nowhere, _io(3, 90)))
    yield _table(
        "slow", "a C3 of 5000 us, a C2 of 2000 us", _cst(_c1(), _io(2, 2000), _io(3, 5000))
    )
    yield _table("zero", "latencies of 0", _cst(_c1(0), _io(2, 0)))
    huge = _cst(_c1(), _io(2, 0x8000_0000), _io(3, 0xFFFF_FFFF))
    yield _table("huge", "latencies at the end of 32 bits", huge)
    beyond = _cst(_c1(), _io(2, 0x1_0000_0028), _io(0x1_0000_0003, 90))
    yield _table("beyond", "a latency and a type beyond 32 bits", beyond)
    for name in _PARAMETERS:
        word = f"processor.{name}"
        yield _table(name.replace("_", "-").replace("=", "-"), word, usual, arguments=(word,))
    word = "intel_idle.max_cstate=0"
    yield _table("no-intel-idle", word, usual, arguments=(word,))
    yield _table("idle-nomwait", "idle=nomwait", usual, arguments=("idle=nomwait",))
    yield _table("idle-halt", "idle=halt", usual, arguments=("idle=halt",))
    yield _table("amd", "an old AMD processor: C3 without bm_check", usual, model="qemu64")
    yield _table("zen", "a processor of Zen", usual, model="EPYC")
    yield Q35Table("up", "a single processor", ({"_CST": usual},))
    yield Q35Table("up-amd", "a single old AMD processor", ({"_CST": usual},), model="qemu64")
    alone = {"_CST": usual}
    yield Q35Table("second-none", "the second processor has no _CST", (alone, {}))
    yield Q35Table("first-none", "the first processor has no _CST", ({}, alone))
    other = {"_CST": _cst(_c1(2), _io(2, 70), _io(3, 700))}
    yield Q35Table("two-latencies", "processors with other latencies", (alone, other))
    short = {"_CST": _cst(_c1(), _io(2, 40))}
    yield Q35Table("second-short", "the second processor has fewer entries", (alone, short))
    yield Q35Table("first-short", "the first processor has fewer entries", (short, alone))
    bad = {"_CST": _cst(_c1(), count=2)}
    yield Q35Table("second-bad", "the second processor's _CST is refused", (alone, bad))
    lpi = {"_LPI": _lpi((1, 1), (200, 50), (2000, 500))}
    yield Q35Table("lpi", "_LPI alone, which Linux does not use on x86", (lpi, lpi))
    both = {**alone, **lpi}
    yield Q35Table("lpi-and-cst", "_LPI beside _CST", (both, both))


def _table(
    name: str, why: str, cst: AcpiObject, model: str = machine.CPU, arguments: tuple[str, ...] = ()
) -> Q35Table:
    """Returns a table of two processors with the same _CST."""
    return Q35Table(name, why, ({"_CST": cst},) * 2, model, arguments)


def _cst(*entries: AcpiObject, count: int | None = None) -> AcpiObject:
    return (len(entries) if count is None else count, *entries)


def _c1(latency_us: int = 1) -> tuple[AcpiObject, ...]:
    return bytes(HALT), 1, latency_us, 1000


def _mwait(kind: int, hint: int) -> tuple[AcpiObject, ...]:
    return bytes(AcpiRegister(FIXED_HARDWARE, 1, 2, 1, hint)), kind, 1 + 10 * hint, 500


def _io(kind: int, latency_us: int) -> tuple[AcpiObject, ...]:
    return bytes(_io_register(kind)), kind, latency_us, 500


def _io_register(kind: int) -> AcpiRegister:
    return AcpiRegister(SYSTEM_IO, 8, 0, 1, _PORT + (kind & 0xF) - 2)


def _lpi(*times_us: tuple[int, int]) -> AcpiObject:
    """States with the first hints of MWAIT; each (residency, latency)."""
    states = (
        (*times, 1, 0, 0, 0, bytes(AcpiRegister(FIXED_HARDWARE, 1, 2, 1, 16 * n)), 0, 0, f"L{n}")
        for n, times in enumerate(times_us)
    )
    return (0, 1, len(times_us), *states)


def main(words: list[str]) -> int:
    directory = parsed(__doc__, "DIR", words=words).dir
    for table in tables():
        Path(directory, f"{table.name}.aml").write_bytes(table.ssdt)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
