"""Random machines and parameters for acpi_idle, and how its oracle is told of them."""

import random
from collections.abc import Sequence

from idle_states.base.model.acpi_objects import (
    FIXED_HARDWARE,
    SYSTEM_IO,
    AcpiObject,
    AcpiProcessor,
    AcpiReference,
    AcpiRegister,
    Fadt,
    LpiLevel,
)
from idle_states.base.model.beyond_opal import AcpiIdle
from idle_states.tables.linux.acpi_idle.cst import type_number
from idle_states.tables.linux.acpi_idle.machine import AcpiIdleParameters, AcpiMachine
from idle_states.tables.linux.acpi_idle.slots import LIMITED_BOARDS
from idle_states.tables.linux.suspend_parameter import PsciFirmware

from .acpi_idle import Arch

PATH = "\\_SB.PR00"
"""The processor as the oracle names it."""
WRONG: tuple[AcpiObject, ...] = (None, 0, 7, "C1", b"", (), (1, 2), AcpiReference("\\_SB.PR00"))
HINTS = (0x00, 0x01, 0x10, 0x20, 0x21, 0x31, 0x33, 0x40, 0x51, 0x60, 0x70, 0xE0, 0xF0, 0x161, 0x614)
IDLE = {"": 0, "halt": 1, "nomwait": 2, "poll": 3}


def machine(rng: random.Random, arch: Arch) -> AcpiMachine:
    x86 = arch == "x86"
    has_lpi = not x86 or rng.random() < 0.2
    acpi = AcpiIdle(
        (AcpiProcessor(PATH, 0, rng.choice((0, 0x410, 0x1810)), 6),),
        _cst(rng) if x86 and rng.random() < 0.85 else None,
        tuple(_levels(rng, arch)) if has_lpi else (),
        _fadt(rng) if rng.random() < 0.9 else None,
        arch,
    )
    vendor = rng.choice((0, 0, 0, 2, 2, 5, 9, 10, 7))
    family, model = rng.choice(((6, 0x8E), (6, 14), (6, 15), (15, 4), (15, 6), (23, 1), (7, 27)))
    return AcpiMachine(
        acpi,
        rng.choice((1, 2, 4)),
        vendor,
        family,
        model,
        rng.choice((0, 9, 10, 13, 14)),
        rng.choice((1, 5, 22, 22, 22)),
        rng.choice((3, 3, 3, 3, 0, 1, 2)),
        rng.choice((0x11111111, 0x11111111, rng.getrandbits(32) & rng.getrandbits(32) | 0x20)),
        arat=rng.random() < 0.5,
        nonstop_tsc=rng.random() < 0.6,
        apic_c1e=rng.random() < 0.05,
        bm_control=rng.random() < 0.7,
        piix4_fdma=rng.random() < 0.05,
        dmi=rng.choice(tuple(LIMITED_BOARDS)) if rng.random() < 0.05 else "",
        claims=rng.random() < 0.9,
        osc_lpi=rng.random() < 0.9,
        psci_suspends=rng.random() < 0.95,
        psci=PsciFirmware(extended=rng.random() < 0.5),
        sbi_hsm=rng.random() < 0.95,
    )


def parameters(rng: random.Random) -> AcpiIdleParameters:
    return AcpiIdleParameters(
        8 if rng.random() < 0.6 else rng.choice((0, 1, 2, 3, 4, 6, 7, 9, 10)),
        rng.random() < 0.1,
        rng.random() < 0.1,
        2 if rng.random() < 0.7 else rng.choice((0, 1, 3, 10, 2**31)),
        rng.choice(("halt", "nomwait", "nomwait", "poll")) if rng.random() < 0.1 else "",
        rng.random() < 0.1,
    )


def _fadt(rng: random.Random) -> Fadt:
    return Fadt(
        rng.choice((0, 1, 99, 100, 101, 65535)),
        rng.choice((1, 999, 1000, 1001, 65535)),
        rng.getrandbits(4),
        0xB2,
        rng.choice((0, 0x85)),
    )


def _spoilt(rng: random.Random, value: AcpiObject, share: float) -> AcpiObject:
    return rng.choice(WRONG) if rng.random() < share else value


def _cst(rng: random.Random) -> AcpiObject:
    """Mostly states that grow deeper, some in any order, some wrong."""
    count = rng.choice((1, 2, 3, 3, 3, 4, 5, 7, 8, 9))
    share = rng.choice((0, 0, 0, 0.02, 0.1))
    ordered = rng.random() < 0.5
    entries: list[AcpiObject] = []
    latency = 0
    for number in range(count):
        latency += rng.choice((0, 1, 40, 300))
        kind = min(number + 1, 3) if rng.random() < 0.7 else rng.choice((0, 1, 2, 2, 3, 3, 4, 258))
        given = (
            latency if ordered else rng.choice((0, 1, 1, 50, 100, 1000, 5000, 2**32 + 7, 2**33 - 1))
        )
        entry = [
            _spoilt(rng, _register(rng), share),
            _spoilt(rng, kind, share),
            _spoilt(rng, given, share),
            _spoilt(rng, rng.choice((0, 1000)), share),
        ]
        if rng.random() < share:
            entry = entry[:3] if rng.random() < 0.5 else [*entry, 0]
        entries.append(_spoilt(rng, tuple(entry), share))
    said = count if rng.random() < 0.95 else rng.choice((0, count + 1, 2**32 + count, 2**64 - 1))
    return _spoilt(rng, (_spoilt(rng, said, share / 2), *entries), share / 4)


def _register(rng: random.Random) -> bytes:
    space = rng.choice((FIXED_HARDWARE, FIXED_HARDWARE, SYSTEM_IO, SYSTEM_IO))
    if rng.random() < 0.05:
        space = rng.choice((0, 2, 3, 0x0A, 0xFF))
    found = AcpiRegister(
        space,
        rng.choice((0, 1, 8)),
        rng.choice((2, 2, 2, 2, 2, 0, 1)),
        rng.choice((0, 1, 2, 3)),
        rng.choice((*HINTS, 0, 2**32, rng.getrandbits(64))),
    )
    whole = bytes(found)
    return whole[: rng.choice((3, 4, 8, 14))] if rng.random() < 0.02 else whole


def _levels(rng: random.Random, arch: Arch) -> list[LpiLevel]:
    share = rng.choice((0, 0, 0.01, 0.05))
    levels = [LpiLevel(PATH, _lpi(rng, arch, 0, share) if rng.random() < 0.97 else None)]
    for number in range(1, rng.choice((1, 2, 2, 3, 4))):
        lpi = _lpi(rng, arch, number, share) if rng.random() < 0.9 else None
        levels.append(LpiLevel(f"\\_SB.CLU{number}", lpi))
    return levels


def _lpi(rng: random.Random, arch: Arch, level: int, share: float) -> AcpiObject:
    count = rng.choice((1, 2, 2, 3, 3, 4)) if rng.random() < 0.97 else rng.choice((8, 9, 12))
    states = tuple(_spoilt(rng, _state(rng, arch, level, at, share), share) for at in range(count))
    said = count if rng.random() < 0.97 else rng.choice((0, count + 1, 2**32 + count))
    return _spoilt(rng, (0, 1, _spoilt(rng, said, share / 2), *states), share / 4)


def _state(rng: random.Random, arch: Arch, level: int, at: int, share: float) -> AcpiObject:
    entry: AcpiObject
    if (level and rng.random() < 0.5) or rng.random() < 0.03:
        entry = rng.choice((0, 1, 0x1000000, 2**64 - 5))
    else:
        space = FIXED_HARDWARE if rng.random() < 0.93 else rng.choice((SYSTEM_IO, 0, 0x0A))
        entry = bytes(AcpiRegister(space, 32, 0, 3, _address(rng, arch)))
        if rng.random() < share:
            entry = entry[: rng.choice((2, 6, 12))]
    elements: list[AcpiObject] = [
        at * 100 + rng.choice((0, 1, 700, 2**32 + 1)),
        at * 50 + rng.choice((0, 1, 300, 2**32 - 1)),
        rng.choice((1, 1, 1, 1, 1, 0, 3)),
        rng.choice((0, 0, 1, 2, 3, 8)),
        rng.choice((0, 1000)),
        rng.choice((0, 1, 2, 3, 5)),
        entry,
        0,
        0,
        f"{'Cluster' * rng.choice((0, 1, 1, 3))}-{level}.{at}",
    ]
    elements = [_spoilt(rng, element, share) for element in elements]
    if rng.random() < share:
        elements = elements[: rng.choice((5, 6, 7, 9))]
    return tuple(elements)


def _address(rng: random.Random, arch: Arch) -> int:
    if arch == "riscv64":
        plain = rng.choice((0, 0x10000000, 0x10000007, 0x80000000, 0x90000001))
        return 1 << 60 | plain if rng.random() < 0.95 else rng.choice((plain, 1 << 60 | 1, 3 << 58))
    plain = rng.choice((0x10001, 0x10002, 0x1010003, 0x1))
    return plain if rng.random() < 0.95 else rng.choice((0x40000001, 0x80000000, 2**32 + 1))


def line(machine: AcpiMachine, parameters: AcpiIdleParameters) -> str:
    """The case as the oracle reads it."""
    acpi, fadt = machine.acpi, machine.acpi.fadt or Fadt(0, 0, 0)
    words = [
        f"vendor={machine.vendor} family={machine.family} model={machine.model}",
        f"stepping={machine.stepping} cpuid_level={machine.cpuid_level} cpus={machine.cpus}",
        f"leaf5_ecx={machine.monitor_ecx} leaf5_edx={machine.substates}",
        f"arat={machine.arat:d} nonstop_tsc={machine.nonstop_tsc:d}",
        f"apic_c1e={machine.apic_c1e:d} bm_control={machine.bm_control:d}",
        f"fdma={machine.piix4_fdma:d} claims={machine.claims:d} osc_lpi={machine.osc_lpi:d}",
        f"suspends={machine.psci_suspends:d} extended={bool(machine.psci.extended):d}",
        f"hsm={machine.sbi_hsm:d} pblk={machine.block} fadt_flags={fadt.flags}",
        f"c2_latency={fadt.c2_latency_us} c3_latency={fadt.c3_latency_us}",
        f"cst_control={fadt.cst_control} idle={IDLE[parameters.idle]}",
        f"timer_c2_ok={parameters.lapic_timer_c2_ok:d} dmi={machine.dmi.encode().hex()}",
        f"param.max_cstate={parameters.max_cstate} param.nocst={parameters.nocst:d}",
        f"param.bm_check_disable={parameters.bm_check_disable:d}",
        f"param.latency_factor={parameters.latency_factor}",
        *(f"lpi={written(level.lpi) if level.lpi is not None else 'x'}" for level in acpi.lpi),
    ]
    if acpi.cst is not None:
        words.append(f"cst={written(acpi.cst)}")
    return " ".join(words)


def written(found: AcpiObject) -> str:
    if isinstance(found, int):
        return f"i{found:x}/"
    if isinstance(found, bytes):
        return f"b{found.hex()}/"
    if isinstance(found, str):
        return f"s{found.encode().hex()}/"
    if isinstance(found, tuple):
        return f"p{len(found):x}/" + "".join(map(written, found))
    return f"t{type_number(found):x}/"


def cases(
    rng: random.Random, arch: Arch, count: int
) -> Sequence[tuple[AcpiMachine, AcpiIdleParameters]]:
    return [(machine(rng, arch), parameters(rng)) for _ in range(count)]
