"""The basis for judging a recording: the options given, and for the rest its head."""

from collections.abc import Iterator, Sequence

from ...base.dataclass import dataclass, replace
from ...base.model.beyond_opal import Dump
from ...base.model.findings import UsageError, unreadable
from ...tables.linux.driver_table import DriverTable
from ...tables.linux.governors import Governor, State
from ...tables.linux.releases import NEWEST, Release, UnknownRelease, release
from ...tables.linux.request_parts import (
    ASSUMED_HZ,
    ONE_OF_TWO,
    GovernorRequest,
    NamedGovernor,
    hz_of,
)
from ..traces.head import RecordingHead
from .machine import CpuTable, TracedMachine, from_driver, from_sysfs
from .tables import of_given

MENU = "menu"
"""Taken where neither the user nor the recording says the governor."""
NO_HZ = "the recording does not name its HZ: {} is assumed"
_NO_HEAD = RecordingHead()


@dataclass(frozen=True, slots=True)
class Basis:
    """The basis on which decisions are judged.

    machine  each CPU's states
    skip     decisions of each CPU that are not judged
    unlike   sentences: where this is not what the recording says of itself
    guessed  sentences: what neither the user nor the recording says
    """

    governor: str
    release: Release
    hz: int
    machine: TracedMachine
    skip: int = 0
    unlike: tuple[str, ...] = ()
    guessed: tuple[str, ...] = ()

    def model(self, states: Sequence[State]) -> Governor:
        """A CPU's governor from boot on. Raises UnknownGovernor."""
        return Governor.for_kernel(self.governor, self.release, states, self.hz)


def kernel_of(head: RecordingHead, name: str) -> Release | None:
    """The kernel that a head says; None if it says none. Raises Unreadable for one that is not
    modelled. name: the recording's."""
    try:
        return head.kernel()
    except UnknownRelease as error:
        raise unreadable(name, f"{error}; or name another with --kernel", 1) from None


def machine_of(
    head: RecordingHead, name: str, kernel: Release, disabled: frozenset[int] | None = None
) -> TracedMachine:
    """The machine that a head says. disabled: numbers of disabled states; None: as it says."""
    cpus = head.states
    if disabled is not None:
        cpus = {
            cpu: tuple(replace(each, disabled=at in disabled) for at, each in enumerate(states))
            for cpu, states in cpus.items()
        }
    return TracedMachine(name, None, from_sysfs(Dump(name, cpus), kernel.features.snooze_polling))


def basis(
    name: str,
    head: RecordingHead | None,
    of: GovernorRequest | NamedGovernor,
    named: Release | None = None,
    disabled: frozenset[int] | None = None,
    skip: int | None = None,
) -> Basis:
    """Completes what was named by what the recording's head says.

    name   the recording's
    head   None if it has none
    named  the kernel; this and the others are None where they were not named
    Raises UsageError, UnknownGovernor, Unreadable and the errors of reading a table.
    """
    head = head or _NO_HEAD
    kernel = named or kernel_of(head, name) or release(NEWEST)
    governor = of.governor or head.governor or MENU
    hz = of.hz or head.hz or hz_of(ASSUMED_HZ, (kernel,), of.table, of.platform)
    if of.table is None and of.states is None:
        if not head.states:
            raise UsageError(f"{ONE_OF_TWO}: the recording does not name its states")
        machine = machine_of(head, name, kernel, disabled)
    else:
        complete = GovernorRequest(governor, hz, of.table, of.states, of.platform)
        machine = _named(complete, kernel, _all_off(head) if disabled is None else disabled)
    found = Basis(governor, kernel, hz, machine, head.skip if skip is None else skip)
    unlike_in = [*unlike(head, kernel, governor, hz)]
    if head.states:
        unlike_in += unlike_states(machine_of(head, name, kernel), machine)
    guessed = (
        (NO_HZ.format(hz),) if head is not _NO_HEAD and of.hz is None and head.hz is None else ()
    )
    return replace(found, unlike=tuple(unlike_in), guessed=guessed)


def _named(of: GovernorRequest, kernel: Release, disabled: frozenset[int]) -> TracedMachine:
    if of.states is not None:
        table = of_given(of.states, disabled).states
        return TracedMachine(of.states.text, table, {})
    from ...tables.pipeline import held_by

    held = held_by(kernel, of)
    assert of.table is not None
    assert isinstance(held, DriverTable)
    return TracedMachine(of.table, from_driver(held, disabled), {})


def _all_off(head: RecordingHead) -> frozenset[int]:
    """States that were switched off on any of the recording's CPUs."""
    return frozenset(
        number
        for states in head.states.values()
        for number, state in enumerate(states)
        if state.disabled
    )


def unlike(head: RecordingHead, kernel: Release, governor: str, hz: int) -> Iterator[str]:
    """Sentences: where these are not what a recording's head says. governor: "" if none decides."""
    if governor and head.governor not in ("", governor):
        yield f"the recording is of {head.governor}, but is compared with {governor}"
    try:
        own = head.kernel()
    except UnknownRelease:
        yield f"the recording is of Linux {head.release!r:.60}, which is not modelled"
    else:
        if own is not None and own.name != kernel.name:
            yield f"the recording is of Linux {own.name}, but is compared with {kernel.name}"
    if governor and head.hz not in (None, hz):
        yield f"the recording is of HZ {head.hz}, but is compared with {hz}"


def unlike_states(recorded: TracedMachine, judged: TracedMachine) -> Iterator[str]:
    """Sentences: the first CPU whose states are not what the recording's head says, and the first
    that has others switched off."""
    for what, of in (("states of ", _shown), ("switched off: ", _off)):
        for cpu, own in recorded.own.items():
            table = judged.table(cpu)
            there, here = of(own), "no table" if table is None else of(table)
            if there != here:
                yield f"the recording's CPU {cpu} has {what}{there}, but is compared with {here}"
                break


def _shown(table: CpuTable) -> str:
    times = (f"{each.exit_ns // 1000}/{each.residency_ns // 1000}" for each in table.states)
    return f"{', '.join(times)} us"


def _off(table: CpuTable) -> str:
    return ", ".join(map(str, sorted(table.disabled))) or "none"
