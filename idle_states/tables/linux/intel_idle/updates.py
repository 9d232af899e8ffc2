"""The changes that intel_idle makes to its tables for the machine at hand."""

from collections.abc import Iterator, Sequence

from ....base.dataclass import replace
from ....base.model.beyond_opal import MatchedCpu
from ..cpuidle_flags import PARTIAL, UNUSABLE
from .features import IntelIdleFeatures
from .machine import IntelIdleParameters, X86Machine
from .states import IntelIdleData, StartedState

PC6_OFF = "package C6 is disabled"
_IRTL_NS = (1, 32, 1024, 32768, 1048576, 33554432, 0, 0)

# models of family 6
IVT, _SKYLAKE, _SKX = 0x3E, 0x5E, 0x55
GOLDMONT = (0x5C, 0x7A)
_SPR = (0x8F, 0xCF)
ALDER_LAKE = (0x97, 0x9A, 0xBE)
_SEVERAL_C6 = (0xAD, 0xAE, 0xAF, 0xDD)
WITH_PC6 = (_SKX, *_SPR, *_SEVERAL_C6)
"""Whose table depends on whether package C6 is enabled."""


def array_of(cpu: MatchedCpu, machine: X86Machine) -> str:
    """The array that the driver takes for a processor: on big Ivy Towns not the listed one."""
    if machine.model == IVT and machine.packages > 2:
        return "ivt_cstates_8s" if machine.packages > 4 else "ivt_cstates_4s"
    return cpu.table


def unusable_because(row: StartedState, machine: X86Machine, dropped: str) -> str:
    """Returns the reason for CPUIDLE_FLAG_UNUSABLE on an updated row. dropped: see `updated`."""
    if row.name == dropped:
        return f"it differs from the state before by package C6 alone, and {PC6_OFF}"
    if machine.model == _SKYLAKE:
        return "package C10 is enabled, and SGX is not"
    return "CPUIDLE_FLAG_UNUSABLE is set: another C1 stands for it"


def least_rows(machine: X86Machine) -> int:
    """Returns the least number of rows in which `updated` finds all those that it changes."""
    if machine.model in GOLDMONT or machine.model == _SKYLAKE:
        return 7
    return 3 if machine.model in (_SKX, *_SPR) else 2


def changed_because(machine: X86Machine) -> str:
    """Returns the reason why `updated` changes the times of a row."""
    if machine.model == IVT:
        return f"the machine has {machine.packages} sockets"
    if machine.model in GOLDMONT:
        return "the processor's interrupt response limits say so"
    return PC6_OFF


def updated(
    data: IntelIdleData,
    cpu: MatchedCpu,
    machine: X86Machine,
    parameters: IntelIdleParameters,
    features: IntelIdleFeatures,
) -> tuple[list[StartedState], str]:
    """Returns the table of a processor as it is for a machine, and the name of a row that was
    dropped because package C6 is disabled; "" for none."""
    dropped = ""
    rows = list(data.arrays[array_of(cpu, machine)])
    has_pc6 = machine.pkg_cst & 7 >= 2
    preferred = parameters.preferred_cstates & 0b110
    if machine.model in GOLDMONT:
        rows[2:7] = _limited(rows[2:7], machine)
    elif machine.model == _SKYLAKE:
        if features.skylake_c8 and _drops_c8(machine, parameters):
            rows[5:7] = (replace(row, flags=row.flags | UNUSABLE) for row in rows[5:7])
    elif machine.model == _SKX and features.skx_pc6 and not has_pc6:
        rows[2] = replace(rows[2], exit_latency_us=92, target_residency_us=276)
    elif machine.model in _SPR and features.spr_pc6:
        if features.prefers_c1e and preferred == 0b100:
            _exchange(rows, 0, 1)
        if not has_pc6:
            rows[2] = replace(rows[2], exit_latency_us=190, target_residency_us=600)
    elif machine.model in ALDER_LAKE and features.prefers_c1 and preferred == 0b010:
        _exchange(rows, 1, 0)
    elif machine.model in _SEVERAL_C6 and features.drops_pc6 and not has_pc6:
        dropped = _drop_last(rows)
    return rows, dropped


def _drop_last(rows: list[StartedState]) -> str:
    """Takes away the last of several C6, which differs by package C6 alone. Returns its name."""
    last = rows[-1]
    if len(rows) < 2 or not last.flags & PARTIAL:
        return ""
    rows[-1] = replace(last, flags=last.flags | UNUSABLE)
    return last.name


def _limited(rows: Sequence[StartedState], machine: X86Machine) -> Iterator[StartedState]:
    """Rows with the interrupt response limits of their MSRs, where these say something."""
    for row, limit in zip(rows, machine.irtl, strict=True):
        time = (limit & 0x3FF) * _IRTL_NS[limit >> 10 & 7] // 1000
        yield replace(row, exit_latency_us=time, target_residency_us=time) if time else row


def _drops_c8(machine: X86Machine, parameters: IntelIdleParameters) -> bool:
    """Tells whether C8 and C9 of Skylake-H go: C10 is enabled, and SGX is not."""
    deep = parameters.max_cstate > 7 and machine.substates >> 28 & 0xF
    return bool(deep) and machine.pkg_cst & 0xF == 8 and not (machine.sgx and machine.sgx_on)


def _exchange(rows: list[StartedState], usable: int, wanted: int) -> None:
    """Makes one row unusable and another usable."""
    rows[usable] = replace(rows[usable], flags=rows[usable].flags | UNUSABLE)
    rows[wanted] = replace(rows[wanted], flags=rows[wanted].flags & ~UNUSABLE)
