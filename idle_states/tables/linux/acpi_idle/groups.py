"""Processors whose _CST differ, in groups of equal ones: whose states acpi_idle has for all of
them, and which of them crash the kernel."""

from ....base.dataclass import dataclass, replace
from ....base.reading.acpi.repair import evaluated
from ....base.wording import plural
from .features import AcpiIdleFeatures
from .machine import AcpiIdleParameters, AcpiMachine
from .several import REPAIRS, start_all
from .start import AcpiIdleState


@dataclass(frozen=True, slots=True)
class Together:
    """What acpi_idle does on all processors of a machine.

    states    the driver's, which each processor shows; () where it crashes before it has any
    leader    path of the processor whose _CST they are; "" for none
    fatal     why the kernel crashes, from the function on in which it does; None if it does not
    crashing  paths of the processors whose _CST is the reason
    """

    states: tuple[AcpiIdleState, ...] = ()
    leader: str = ""
    fatal: str | None = None
    crashing: tuple[str, ...] = ()


def together(machine: AcpiMachine, features: AcpiIdleFeatures, kernel: str) -> Together | None:
    """Returns what the driver does on all processors of the machine that some of them, `machine`,
    are from. None where they are alike and do not crash it, and where the driver takes _LPI.

    CPUs are taken to be numbered in the order of the name space.
    """
    groups = machine.acpi.machine or (machine.acpi,)
    if not machine.is_x86 or any(group.lpi for group in groups):
        return None
    returned = [evaluated(group.cst) for group in groups]
    if len(groups) == 1 and not returned[0].fatal:
        return None
    arch = machine.acpi.arch
    machines = [replace(machine, acpi=replace(group, arch=arch)) for group in groups]
    started = start_all(machines, AcpiIdleParameters(), features, kernel)
    paths = [[processor.path for processor in group.processors] for group in groups]
    if started.fatal and started.fatal[0] == REPAIRS:
        bad = [number for number, each in enumerate(returned) if each.fatal]
        some = tuple(path for number in bad for path in paths[number])
        why = f"{REPAIRS}() evaluates {_of(some)}: {returned[bad[0]].fatal}"
        return Together(fatal=why, crashing=some)
    if not started.registered:
        return None
    leader = paths[started.devices[0]][0]
    if started.fatal is None:
        return Together(started.states, leader)
    place, numbers = started.fatal
    some = tuple(path for number in numbers for path in paths[number])
    why = (
        f"{place}() follows a null pointer as soon as a processor is led to a state that its "
        f"_CST lacks: {_of(some)} has fewer than {leader}._CST, whose "
        f"{plural(len(started.states) - 1, 'C-state')} all processors show"
    )
    return Together(started.states, leader, why, some)


def _of(paths: tuple[str, ...]) -> str:
    more = f" (and that of {plural(len(paths) - 1, 'other processor')})" if paths[1:] else ""
    return f"{paths[0]}._CST{more}"
