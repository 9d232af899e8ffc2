"""ACPI objects made of tables that ACPI did not give: what firmware would say of the same states.

Of a table of intel_idle, or of an x86 kernel's sysfs, each state needs its hint for MWAIT (or the
port it reads); of an Arm or RISC-V machine, what its firmware is asked with.

Sources: Arm Functional Fixed Hardware 1.2 (DEN0048), 3.1; RISC-V Functional Fixed Hardware 1.0, 4;
Linux drivers/acpi/arm64/cpuidle.c and drivers/acpi/riscv/cpuidle.c, which read it.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from ...base.model.acpi_objects import (
    FIXED_HARDWARE,
    HALT,
    AcpiObject,
    AcpiProcessor,
    AcpiRegister,
    CstEntry,
    LpiLevel,
)
from ...base.model.architectures import ARM
from ...base.model.beyond_opal import AcpiIdle, BuiltInState
from ...base.model.findings import CannotGenerate, Finding, Location, cannot_generate
from ...base.model.idle_tree import IdleTree, TreeCpu, TreeDomain, TreeState
from ...base.model.table import IdleTable

_HINT = re.compile(r"MWAIT (0x[0-9a-fA-F]{1,8})$")
_PORT = re.compile(r"IOPORT (0x[0-9a-fA-F]{1,4})$")
_HALT = "ACPI HLT"
TLB_FLUSHED = "CPUIDLE_FLAG_TLB_FLUSHED"
_WFI = AcpiRegister(FIXED_HARDWARE, 32, 0, 3, 0xFFFF_FFFF)
"""The register of Arm's WFI."""
_SBI = 1 << 60
_CORE_CONTEXT = 1
"""Arm's flag for a state in which the core's context is lost; from it Linux takes that the timer
stops."""
_ENABLED = ("", "okay", "ok")
PROCESSORS = "\\_SB"


def acpi_of(table: IdleTable) -> AcpiIdle:
    """The ACPI objects of a table: its own, or a _CST and a _LPI that say the same states.

    A _CST has no residency; its types are C1 for hints below 0x10, C3 where the TLB is flushed, C2
    for others. Raises CannotGenerate (IS933) for states whose hint is not known.
    """
    if table.origin.form == "acpi":
        return table.origin
    problems: list[Finding] = []
    rows: list[CstEntry] = []
    for index, state in enumerate(table.states):
        found = entered(table, index)
        if found is None:
            message = "expected a state that is entered by MWAIT or by reading a port, as those of "
            message += "intel_idle, of an x86 kernel's sysfs or of ACPI"
            where = state.where.get("state") or Location(path=table.path(index))
            problems.append(cannot_generate(message, where, table.name))
            continue
        rows.append(CstEntry(*found, state.latency_ns // 1000, 0))
    if problems:
        raise CannotGenerate(problems)
    processor = AcpiProcessor(f"{PROCESSORS}.C000", 0, is_device=True)
    residencies_us = [(state.residency_ns or 0) // 1000 for state in table.states]
    names = [state.name for state in table.states]
    return AcpiIdle.of_states([processor], rows, names, residencies_us)


def entered(table: IdleTable, index: int) -> tuple[AcpiRegister, int] | None:
    """A row's register and its type in _CST; None if the table does not tell how it is entered."""
    if table.origin.form == "driver":
        stored = table.origin.of_row(index)
        if stored.mwait_hint is None:
            return None
        return AcpiRegister.mwait(stored.mwait_hint), _type(stored)
    if table.origin.form != "sysfs":
        return None
    description = table.origin.of_row(index).description
    if match := _HINT.search(description):
        hint = int(match[1], 16)
        return AcpiRegister.mwait(hint), 1 if hint < 0x10 else 3 if index > 1 else 2
    if match := _PORT.search(description):
        return AcpiRegister.port(int(match[1], 16)), 3 if index > 1 else 2
    return (HALT, 1) if description == _HALT else None


def _type(state: BuiltInState) -> int:
    if (state.mwait_hint or 0) < 0x10:
        return 1
    return 3 if TLB_FLUSHED in state.flag_names else 2


def acpi_of_machine(machine: IdleTree) -> list[AcpiIdle]:
    """The _LPI of an Arm or RISC-V machine: a level for each CPU, one for each power domain of
    several. CPUs with equal objects come together. Raises CannotGenerate (IS933) for states without
    what firmware is asked with."""
    problems = [
        cannot_generate(
            f"expected what firmware is asked with for {state.name}, found no suspend parameter",
            state.where.get("name") or Location(path=state.path),
            machine.name,
        )
        for state in machine.states
        if state.parameter is None and state.status in _ENABLED
    ]
    if problems:
        raise CannotGenerate(problems)
    return [*_of_cpus(machine)]


def _of_cpus(machine: IdleTree) -> Iterator[AcpiIdle]:
    path2domain = {domain.path: domain for domain in machine.domains}
    path2name = {domain.path: f"L{n:03X}" for n, domain in enumerate(machine.domains)}
    members = {
        path: sum(cpu.domain == path for cpu in machine.cpus)
        + sum(domain.parent == path for domain in machine.domains)
        for path in path2domain
    }
    for number, cpu in enumerate(machine.cpus):
        own, above = _chain(cpu, path2domain, members)
        names = [path2name[domain.path] for domain in reversed(above)]
        path = ".".join([PROCESSORS, *names, f"C{number:03X}"])
        around = len(above[0].states) if above else 0
        levels = [LpiLevel(path, _lpi(machine, own, around, leaf=True))]
        for position, domain in enumerate(above):
            path = path.rpartition(".")[0]
            more = len(above[position + 1].states) if position + 1 < len(above) else 0
            levels.append(LpiLevel(path, _lpi(machine, domain.states, more, leaf=False)))
        processor = AcpiProcessor(levels[0].path, number, is_device=True)
        arch = "arm64" if machine.architecture == ARM else "riscv64"
        yield AcpiIdle((processor,), lpi=tuple(levels), arch=arch)


def _chain(
    cpu: TreeCpu, path2domain: dict[str, TreeDomain], members: dict[str, int]
) -> tuple[tuple[str, ...], list[TreeDomain]]:
    """Names of a CPU's own states, and the domains of several around it, the innermost first. A
    domain of one CPU is the CPU's own level."""
    own: tuple[str, ...] = cpu.states
    above: list[TreeDomain] = []
    seen: set[str] = set()
    path = cpu.domain
    while path in path2domain and path not in seen:
        seen.add(path)
        domain = path2domain[path]
        if members[path] == 1 and not above:
            own += tuple(name for name in domain.states if name not in own)
        else:
            above.append(domain)
        path = domain.parent
    return own, above


def _lpi(machine: IdleTree, names: Sequence[str], above: int, *, leaf: bool) -> AcpiObject:
    """The _LPI of a level. above: states of the level around it, all of which its deepest state
    allows."""
    known = machine.name2state
    arm = machine.architecture == ARM
    states: list[AcpiObject] = []
    if leaf:
        wait = _WFI if arm else AcpiRegister(FIXED_HARDWARE, 64, 0, 4, 0)
        states.append((1, 1, 1, 0, 0, 0, bytes(wait), 0, 0, "WFI"))
    for name in names:
        state = known[name]
        states.append(_lpi_state(state, above if name == names[-1] else 0, _register(arm)))
    return (0, 0 if leaf else 1, len(states), *states)


def _register(arm: bool) -> Callable[[int], AcpiRegister]:
    if arm:
        return lambda parameter: AcpiRegister(FIXED_HARDWARE, 32, 0, 3, parameter)
    return lambda parameter: AcpiRegister(FIXED_HARDWARE, 64, 0, 4, _SBI | parameter)


def _lpi_state(
    state: TreeState, above: int, register: Callable[[int], AcpiRegister]
) -> tuple[AcpiObject, ...]:
    wake_us = state.entry_us + state.exit_us if state.wakeup_us is None else state.wakeup_us
    enabled = int(state.status in _ENABLED)
    flags = _CORE_CONTEXT if state.timer_stop else 0
    entry = bytes(register(state.parameter or 0))
    name = state.description or state.name
    return (state.residency_us, wake_us, enabled, flags, 0, above, entry, 0, 0, name)
