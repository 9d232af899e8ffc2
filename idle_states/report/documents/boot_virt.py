"""boot of a virt machine."""

from typing import Annotated, Literal

from ...boot.registered import Counted, with_counts
from ...boot.virt.result import VirtResult
from ...forms import INLINE, Count, Form, Positive, derived
from .boot_counted import CountedState
from .boot_kernel import BootedKernel
from .boot_stage import Stage


class VirtVersions(Form[VirtResult]):
    qemu: Annotated[str, "As it calls itself."]
    kernel: Annotated[BootedKernel, INLINE] = derived(
        lambda result: (result.predicted, result.predicted.tables[0])
    )


class VirtState(Form[Counted]):
    counted: Annotated[CountedState, INLINE] = derived(lambda pair: pair)
    refused: Annotated[
        Count | None, "How often firmware refused it during the work; null: not known."
    ] = derived(lambda pair: pair[1] and pair[1].rejected)


class VirtCpu(Form[tuple[VirtResult, int]]):
    """A CPU of the guest."""

    cpu: Annotated[Count, "The kernel's number of it."] = derived(lambda pair: pair[1])
    node: Annotated[str | None, "Its node in the machine's tree; null: not known."] = derived(
        lambda pair: pair[0].predicted.cpus.get(pair[1])
    )
    states: Annotated[list[VirtState], "What it registered, as it shows them."] = derived(
        lambda pair: with_counts(pair[0].found, pair[0].counted, pair[1])
    )


class VirtDomain(Form[tuple[str, int, int]]):
    """A state of a power domain, as debugfs shows it."""

    domain: Annotated[str, "Name of the power domain."] = derived(lambda found: found[0])
    state: Annotated[Count, "Number of its state."] = derived(lambda found: found[1])
    entered: Annotated[Count, "How often during the work."] = derived(lambda found: found[2])


class BootedVirt(Form[VirtResult]):
    """With a machine that has no OPAL: CPUs that list the states of a device tree."""

    machine: Annotated[Literal["virt-arm64", "virt-riscv64"], "The machine."] = derived(
        lambda result: result.request.machine
    )
    cpus: Annotated[Positive, "How many CPUs it had."] = derived(lambda result: result.request.smp)
    table: Annotated[str, "File that the states are of."]
    places: Annotated[list[str], "Names of the file's CPUs whose states the machine's list."]
    workload: Annotated[str, "What went on between two looks at the counters."] = derived(
        lambda result: result.request.workload.name
    )
    governor: Annotated[str, "The guest's."]
    versions: Annotated[VirtVersions, "What was booted."] = derived(lambda result: result)
    agree: Annotated[bool, "No stage differs, and there is a model of the kernel."]
    stages: Annotated[list[Stage], "In the order a state goes through them."]
    found: Annotated[list[VirtCpu], "What the guest shows."] = derived(
        lambda result: [(result, cpu) for cpu in sorted({*result.predicted.cpus, *result.found})]
    )
    domains: Annotated[list[VirtDomain], "What the guest shows of its power domains."]
    unconfirmed: Annotated[list[str], "What this boot cannot tell."]
    logs: Annotated[str, "Directory with the console's log and the trees."] = derived(
        lambda result: result.directory.as_posix()
    )
