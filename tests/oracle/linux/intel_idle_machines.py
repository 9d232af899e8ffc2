"""Random machines and parameters for intel_idle, and how its oracle is told of them."""

import random
from collections.abc import Sequence

from idle_states.base.model.beyond_opal import MatchedCpu
from idle_states.tables.linux.intel_idle.machine import AcpiState, IntelIdleParameters, X86Machine
from idle_states.tables.linux.intel_idle.states import StartedState

HINTS = (0x00, 0x01, 0x10, 0x20, 0x21, 0x22, 0x23, 0x30, 0x33, 0x40, 0x51, 0x52, 0x60, 0x80, 0xF0)


def machine(rng: random.Random, cpus: Sequence[MatchedCpu], hints: Sequence[int]) -> X86Machine:
    """hints: of the processor's table, which its ACPI objects name in part."""
    cpu = rng.choice(cpus)
    family, model, vendor = cpu.family, cpu.model, cpu.vendor
    if rng.random() < 0.1:
        family, model, vendor = (
            rng.choice((6, 6, 15, 19)),
            rng.randrange(256),
            rng.choice((0, 0, 2)),
        )
    full = rng.random() < 0.4
    return X86Machine(
        model,
        family,
        vendor,
        mwait=rng.random() < 0.95,
        arat=rng.random() < 0.6,
        nonstop_tsc=rng.random() < 0.6,
        kernel_ibrs=rng.random() < 0.4,
        monitor_ecx=rng.choice((3, 3, 3, 3, 3, 3, 3, 0, 1, 2)),
        substates=0x11111111 if full else rng.getrandbits(32) & rng.getrandbits(32) | 0x20,
        pkg_cst=rng.choice((0, 1, 2, 3, 7, 8, 8, 0x18, rng.getrandbits(32))),
        sgx=rng.random() < 0.5,
        sgx_on=rng.random() < 0.5,
        irtl=(_irtl(rng), _irtl(rng), _irtl(rng), _irtl(rng), _irtl(rng)),
        packages=rng.choice((1, 1, 2, 3, 4, 5, 8)),
        cst=_acpi(rng, hints) if rng.random() < 0.8 else None,
        lpi=_acpi(rng, hints) if rng.random() < 0.4 else None,
        claims=rng.random() < 0.9,
    )


def _irtl(rng: random.Random) -> int:
    return rng.choice((0, rng.getrandbits(13), rng.getrandbits(13) | 1 << 15))


def _acpi(rng: random.Random, hints: Sequence[int]) -> tuple[AcpiState, ...]:
    count = rng.randrange(1, 8)
    bad = rng.randrange(20)
    return tuple(
        AcpiState(
            f"ACPI FFH MWAIT {at:#x}",
            rng.choice((*hints, rng.choice(HINTS), rng.choice(HINTS) | rng.choice((0, 0x100)))),
            rng.choice((0, 1, 2, 50, 127, 1048, 5000, 2**31)),
            1 if at == 0 else rng.randrange(1, 4),
            at != bad,
            rng.choice((0, 1, 100, 3000)),
        )
        for at in range(count)
    )


def parameters(rng: random.Random) -> IntelIdleParameters:
    def often(value: int, *others: int) -> int:
        return value if rng.random() < 0.6 else rng.choice(others)

    return IntelIdleParameters(
        max_cstate=often(9, 0, 1, 2, 3, 4, 7, 8, 20),
        states_off=often(0, 1, 2, 4, 6, 0xFF, rng.getrandbits(32)),
        use_acpi=rng.random() < 0.2,
        no_acpi=rng.random() < 0.1,
        no_native=rng.random() < 0.2,
        preferred_cstates=often(0, 2, 4, 6, 3),
        force_irq_on=rng.random() < 0.1,
        ibrs_off=rng.random() < 0.3,
        idle=rng.random() < 0.02,
    )


def line(machine: X86Machine, parameters: IntelIdleParameters, known: frozenset[str]) -> str:
    """The case as the oracle reads it. known: the parameters that the driver has."""
    given = {
        "max_cstate": parameters.max_cstate,
        "states_off": parameters.states_off,
        "use_acpi": int(parameters.use_acpi),
        "no_acpi": int(parameters.no_acpi),
        "no_native": int(parameters.no_native),
        "preferred_cstates": parameters.preferred_cstates,
        "force_irq_on": int(parameters.force_irq_on),
        "ibrs_off": int(parameters.ibrs_off),
    }
    words = [
        f"vendor={machine.vendor} family={machine.family} model={machine.model} cpuid_level=13",
        f"mwait={machine.mwait:d} arat={machine.arat:d} nonstop_tsc={machine.nonstop_tsc:d}",
        f"kernel_ibrs={machine.kernel_ibrs:d} leaf5_ecx={machine.monitor_ecx}",
        f"leaf5_edx={machine.substates} leaf7_ebx={machine.sgx << 2} pkg_cst={machine.pkg_cst}",
        f"feat_ctl={machine.sgx_on << 18} packages={machine.packages} claims={machine.claims:d}",
        *(f"irtl{6 + at}={limit}" for at, limit in enumerate(machine.irtl)),
        f"idle_override={parameters.idle:d} cst={_listed(machine.cst)} lpi={_listed(machine.lpi)}",
        *(f"param.{name}={value}" for name, value in given.items() if name in known),
    ]
    if parameters.table and "table" in known:
        words.append(f"param.table={parameters.table.hex()}")
    return " ".join(words)


def _listed(states: tuple[AcpiState, ...] | None) -> str:
    if states is None:
        return "x"
    return ",".join(
        f"{each.cstate}:{each.is_ffh:d}:{each.address}:{each.latency_us}:{each.residency_us}:"
        f"{each.description.encode().hex()}"
        for each in states
    )


def hints_of(rows: Sequence[StartedState]) -> list[int]:
    return [row.hint for row in rows] or list(HINTS)
