"""acpi_idle on processors whose objects differ.

The driver has one table for all processors: the first whose objects can be used makes it. Every
processor with usable objects shows and is led to the driver's states, but enters its own, by their
order. Where it has fewer, the kernel follows a null pointer (acpi_idle_enter(), whose acpi_cstate[]
is filled by acpi_processor_setup_cpuidle_cx()).
"""

from collections.abc import Iterator, Mapping, Sequence

from ....base.dataclass import dataclass, replace
from ....base.model.stages import Message
from ....base.reading.acpi.repair import Evaluation, again, evaluated
from ....base.wording import plural
from ..cpuidle_flags import POLLING, TIMER_STOP
from ..driver_table import DriverState, DriverTable
from .features import AcpiIdleFeatures
from .machine import AcpiIdleParameters, AcpiMachine
from .start import AcpiIdleStart, AcpiIdleState, start

REPAIRS, ENTERS = "acpi_ns_repair_CST", "acpi_idle_enter"
"""Functions in which kernels crash."""


@dataclass(frozen=True, slots=True)
class SeveralStarted:
    """The outcome of the driver's start on all processors.

    registered  it is the kernel's cpuidle driver
    states      of the driver
    devices     numbers of the processors that use it, and show its states in sysfs
    fatal       the function in which the kernel crashes, and the processors on one of which it
                does; None if it does not: when a _CST is repaired, or when a processor that has
                fewer states of its own than the driver is led to one beyond
    messages    from info on, in order
    kernel      name of the release
    """

    registered: bool
    states: tuple[AcpiIdleState, ...]
    devices: tuple[int, ...]
    fatal: tuple[str, tuple[int, ...]] | None
    messages: tuple[Message, ...]
    kernel: str

    @property
    def number2driver(self) -> Mapping[int, DriverTable]:
        """The number of a processor that has states -> what it registered."""
        states = tuple(
            DriverState(
                index,
                state.name,
                state.exit_latency_us,
                state.target_residency_us,
                state.method,
                polling=bool(state.flags & POLLING),
                timer_stop=bool(state.flags & TIMER_STOP),
            )
            for index, state in enumerate(self.states)
        )
        return dict.fromkeys(self.devices, DriverTable(self.kernel, states))


def start_all(
    machines: Sequence[AcpiMachine],
    parameters: AcpiIdleParameters,
    features: AcpiIdleFeatures,
    kernel: str,
) -> SeveralStarted:
    """Returns what the driver registers. machines: each processor of one machine, in their order,
    as if it were alone in having its objects."""
    returned = [evaluated(machine.acpi.cst) for machine in machines]
    machines = [
        replace(machine, acpi=replace(machine.acpi, cst=each.cst))
        for machine, each in zip(machines, returned, strict=True)
    ]
    limits = start(_without_objects(machines[0]), parameters, features).messages
    own: list[AcpiIdleStart] = []
    reads: list[tuple[Message, ...]] = []
    once = replace(features, registers_first=False, needs_driver=False)
    for machine in machines:
        found = start(machine, parameters, features)
        own.append(found)
        reads.append(start(machine, parameters, once).messages[len(limits) :])
        if found.registered:
            # set once the driver is there: acpi_processor_setup_cstates()
            parameters = replace(parameters, max_cstate=found.max_cstate)
    first = next((at for at, found in enumerate(own) if found.registered), None)
    order = list(_reads(features, first, len(own)))
    messages = list(limits)
    reading = not parameters.nocst and parameters.idle not in ("halt", "poll")
    for number, is_again in order if reading else ():
        evaluation = again(returned[number]) if is_again else returned[number]
        messages += _warned(machines[number], evaluation)
        if evaluation.fatal:
            every = tuple(range(len(machines)))
            return SeveralStarted(False, (), (), (REPAIRS, every), tuple(messages), kernel)
        messages += reads[number]
    if first is None:
        return SeveralStarted(False, (), (), None, tuple(messages), kernel)
    states = own[first].states
    devices = tuple(at for at, found in enumerate(own) if found.has_device)
    short = tuple(at for at in devices if len(own[at].states) < len(states))
    fatal = (ENTERS, short) if short else None
    return SeveralStarted(True, states, devices, fatal, tuple(messages), kernel)


def _reads(features: AcpiIdleFeatures, first: int | None, count: int) -> Iterator[tuple[int, bool]]:
    """The processors whose objects are evaluated, in this order, and whether they were before.
    first: the one that makes the driver's states."""
    looked = 0
    if features.registers_first:
        looked = count if first is None else first + 1
        yield from ((number, False) for number in range(looked))
    if first is not None or not features.needs_driver:
        yield from ((number, number < looked) for number in range(count))


def _warned(machine: AcpiMachine, found: Evaluation) -> list[Message]:
    """Returns the warnings of ACPICA, which writes paths without padding."""
    path = machine.acpi.processors[0].path
    return [Message("warning", f"ACPI Warning: {path}._CST: {text}") for text in found.warnings]


def _without_objects(machine: AcpiMachine) -> AcpiMachine:
    return replace(machine, acpi=replace(machine.acpi, cst=None, lpi=()))


@dataclass(frozen=True, slots=True)
class Together:
    """The outcome of acpi_idle's start on all processors of a machine.

    states    the driver's, which each processor shows; () where it crashes before it has any
    leader    path of the processor whose _CST they are; "" for none
    fatal     why the kernel crashes, from the function on in which it does; None if it does not
    crashing  paths of the processors whose _CST is the reason
    """

    states: tuple[AcpiIdleState, ...] = ()
    leader: str = ""
    fatal: str | None = None
    crashing: tuple[str, ...] = ()


def together(
    machine: AcpiMachine, parameters: AcpiIdleParameters, features: AcpiIdleFeatures, kernel: str
) -> Together | None:
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
    started = start_all(machines, parameters, features, kernel)
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
