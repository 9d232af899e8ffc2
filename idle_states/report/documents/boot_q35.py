"""boot of q35."""

from typing import Annotated, Literal

from ...boot.q35.result import Q35Result
from ...boot.registered import with_counts
from ...forms import INLINE, Count, Form, Positive, derived
from .boot_counted import CountedState
from .boot_kernel import BootedKernel
from .boot_stage import Stage


class Q35Versions(Form[Q35Result]):
    qemu: Annotated[str, "As it calls itself."]
    kernel: Annotated[BootedKernel, INLINE] = derived(
        lambda result: (result.predicted, result.predicted.placed.tables[0])
    )


class Q35Cpu(Form[tuple[Q35Result, int]]):
    """A processor of the guest."""

    cpu: Annotated[Count, "The kernel's number of it."] = derived(lambda pair: pair[1])
    objects_of: Annotated[str, "Path of the processor whose objects it has."] = derived(
        lambda pair: pair[0].places[pair[1]]
    )
    states: Annotated[list[CountedState], "What it registered, as it shows them."] = derived(
        lambda pair: with_counts(pair[0].found, pair[0].counted, pair[1])
    )


class BootedQ35(Form[Q35Result]):
    """With q35: x86 processors that have the _CST and _LPI of ACPI tables."""

    machine: Annotated[Literal["q35"], "The machine."] = derived(lambda result: "q35")
    cpus: Annotated[Positive, "How many processors it had."] = derived(
        lambda result: result.request.smp
    )
    model: Annotated[str, "The processors, as QEMU's -cpu has them."] = derived(
        lambda result: result.request.cpu
    )
    arguments: Annotated[list[str], "What else was on the kernel's command line."] = derived(
        lambda result: list(result.request.arguments)
    )
    table: Annotated[str, "File that the objects are of."]
    workload: Annotated[str, "What went on between two looks at the counters."] = derived(
        lambda result: result.request.workload.name
    )
    governor: Annotated[str, "The guest's; empty if its kernel crashed."]
    driver: Annotated[str, "The guest's; none if no driver has the processors."]
    versions: Annotated[Q35Versions, "What was booted."] = derived(lambda result: result)
    agree: Annotated[bool, "No stage differs, and there is a model of the kernel."]
    stages: Annotated[list[Stage], "In the order a state goes through them."]
    crash: Annotated[str, "Where the kernel crashed; empty if it did not."]
    found: Annotated[list[Q35Cpu], "What the guest shows."] = derived(
        lambda result: [(result, cpu) for cpu in range(result.request.smp)]
    )
    messages: Annotated[list[str], "What the kernel says of C-states."]
    unconfirmed: Annotated[list[str], "What this boot cannot tell."]
    logs: Annotated[str, "Directory with the console's log and the tables."] = derived(
        lambda result: result.directory.as_posix()
    )
