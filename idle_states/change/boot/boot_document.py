"""boot."""

from typing import Annotated, Literal

from ...base.model.beyond_opal import SysfsState
from ...base.model.forms import GIVEN, INLINE, U32, Count, Form, Positive, With, derived
from ...tables.linux.grounds import driver_of, ground
from . import stage as boot_stage
from .powernv.boot import PowernvResult
from .powernv.twice import BootPair
from .q35.boot import Q35Result
from .q35.machine import CPU
from .registered import Counted, with_counts
from .result import BootResult, GuestResult
from .stage import SELECTED, PredictedKernel
from .virt.boot import VirtResult


class Stage(Form[boot_stage.Stage]):
    """One stage's prediction held against reality."""

    stage: Annotated[
        Literal[
            "export",
            "opal-messages",
            "firmware",
            "tree",
            "tables",
            "survives",
            "registered",
            "linux-messages",
            "selected",
            "usage",
            "domains",
            "domain-usage",
        ],
        "The stage.",
    ] = derived("name")
    agree: Annotated[bool | None, "null: nothing could be judged; note says why."]
    judged: Annotated[Count, "Properties, lines, states, decisions or counters compared."]
    undetermined: Annotated[Count, "Decisions that could not be judged for want of inputs."]
    note: Annotated[str, "Why something was not judged; may be empty."]
    differences: Annotated[list[boot_stage.Mismatch], "Differences from the prediction."]


_LOGS = derived(lambda booted: booted.directory.as_posix())


class BootedKernel(Form[PredictedKernel]):
    linux: Annotated[str, "Name, release and version."] = derived("kernel")
    modelled_as: Annotated[
        str | None, "The kernel whose models predicted; null: there is none."
    ] = derived(lambda found: found.release and found.release.name)
    ground: Annotated[str | None, "How well its driver is known; null: there is no model."] = (
        derived(lambda found: found.release and str(ground(found.release, driver_of(found.table))))
    )


class CountedState(Form[Counted]):
    name: str = derived(lambda pair: pair[0].name)
    description: str = derived(lambda pair: pair[0].description)
    latency_us: Annotated[Count, "Exit latency."] = derived(lambda pair: pair[0].latency_us)
    residency_us: Annotated[Count, "Target residency."] = derived(lambda pair: pair[0].residency_us)
    entered: Annotated[Count | None, "How often during the work; null: not known."] = derived(
        lambda pair: pair[1] and pair[1].usage
    )


class Versions(Form[PowernvResult]):
    qemu: Annotated[str, "The version that it reports."]
    skiboot: Annotated[str, "The version in OPAL's log; empty where it does not show."] = derived(
        "predicted.firmware"
    )
    kernel: Annotated[BootedKernel, INLINE] = derived("predicted")


class Decisions(Form[PowernvResult]):
    judged: Annotated[Count, "Made again by the model."] = derived(
        lambda result: _selected(result).judged
    )
    agree: Annotated[Count, "Made alike."] = derived(
        lambda result: (
            _selected(result).judged - len(result.replayed.disagreements) if result.replayed else 0
        )
    )
    undetermined: Annotated[Count, "Not judged: inputs or history are not all known."] = derived(
        lambda result: _selected(result).undetermined
    )


class RegisteredState(Form[SysfsState]):
    name: str
    latency_us: Annotated[Count, "Exit latency."]
    residency_us: Annotated[Count, "Target residency."]
    entered: Annotated[
        Count | None, "How often CPUs entered it during the workload; null: not recorded."
    ] = GIVEN


class BootedMachine(Form[PowernvResult]):
    machine: Annotated[Literal["powernv8", "powernv9", "powernv10"], "QEMU's machine."] = derived(
        "request.machine"
    )
    cpus: Annotated[Positive, "How many CPUs it had."] = derived("request.cpus")
    table: Annotated[str, "The table in firmware."] = derived("predicted.table.name")
    place: Annotated[
        str, "The revision whose place in firmware it had, or the array of no packaged revision."
    ]
    levels: Annotated[
        U32 | None, "Stop levels that firmware was told of instead of QEMU's; null: QEMU's."
    ] = derived("request.levels")
    workload: Annotated[str | None, "The load while decisions were recorded; null: none were."] = (
        derived(lambda result: result.request.workload and result.request.workload.name)
    )
    governor: Annotated[str | None, "The governor recorded; null: none."] = derived(
        lambda result: result.replayed and result.replayed.governor
    )
    versions: Annotated[Versions, "The programs booted."] = derived(lambda result: result)
    agree: Annotated[bool, "No stage differs, and with a workload some decisions were judged."]
    stages: Annotated[list[Stage], "In the order a state goes through them."]
    decisions: Annotated[Decisions, "The governor's decisions."] = derived(lambda result: result)
    found: Annotated[list[RegisteredState], "The states that CPU 0 shows in sysfs."] = derived(
        lambda result: [
            With(state, entered=(result.entered or {}).get(state.name))
            for state in result.registered
        ]
    )
    remarks: Annotated[
        list[str],
        "How firmware was built otherwise than its tree says, and an image's arrays of no spec.",
    ]
    unconfirmed: Annotated[list[str], "Predictions that this boot cannot confirm."]
    logs: Annotated[str, "Directory with the console's log, the tree, the recording."] = _LOGS


class BootedTwice(Form[BootPair]):
    """With --patch: a tree before and after."""

    patches: Annotated[list[str], "Subjects of the patches that change the tree."] = derived(
        "subjects"
    )
    remarks: Annotated[list[str], "On how the patches were read, and which were left out."]
    changes_table: Annotated[bool, "True if the table that this machine uses changes."]
    agree: Annotated[bool, "True if both boots came out as predicted."]
    before: BootedMachine
    after: BootedMachine
    logs: Annotated[str, "Directory with a directory for each boot."] = _LOGS


class GuestVersions(Form[GuestResult]):
    qemu: Annotated[str, "The version that it reports."]
    kernel: Annotated[BootedKernel, INLINE] = derived("predicted")


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
    states: Annotated[list[VirtState], "The states that it shows in sysfs."] = derived(
        lambda pair: with_counts(pair[0].found, pair[0].counted, pair[1])
    )


class VirtDomain(Form[tuple[str, int, int]]):
    """A state of a power domain, as debugfs shows it."""

    domain: Annotated[str, "Name of the power domain."]
    state: Annotated[Count, "Number of its state."]
    entered: Annotated[Count, "How often during the work."]


class BootedVirt(Form[VirtResult]):
    """With a machine that has no OPAL: CPUs that list the states of a device tree."""

    machine: Annotated[Literal["virt-arm64", "virt-riscv64"], "The machine."] = derived(
        "request.machine"
    )
    cpus: Annotated[Positive, "How many CPUs it had."] = derived("request.cpus")
    table: Annotated[str, "File that the states are of."]
    places: Annotated[list[str], "Names of the file's CPUs whose states the machine's list."]
    workload: Annotated[str, "The load between two readings of the counters."] = derived(
        "request.work.name"
    )
    governor: Annotated[str, "The guest's."]
    versions: Annotated[GuestVersions, "The programs booted."] = derived(lambda result: result)
    agree: Annotated[bool, "No stage differs, and there is a model of the kernel."]
    stages: Annotated[list[Stage], "In the order a state goes through them."]
    found: Annotated[list[VirtCpu], "The guest's CPUs, as it shows them."] = derived(
        lambda result: [(result, cpu) for cpu in sorted({*result.predicted.cpus, *result.found})]
    )
    domains: Annotated[list[VirtDomain], "The guest's power domains, as it shows them."]
    unconfirmed: Annotated[list[str], "Predictions that this boot cannot confirm."]
    logs: Annotated[str, "Directory with the console's log and the trees."] = _LOGS


class Q35Cpu(Form[tuple[Q35Result, int]]):
    """A processor of the guest."""

    cpu: Annotated[Count, "The kernel's number of it."] = derived(lambda pair: pair[1])
    objects_of: Annotated[str, "Path of the processor whose objects it has."] = derived(
        lambda pair: pair[0].places[pair[1]]
    )
    states: Annotated[list[CountedState], "The states that it shows in sysfs."] = derived(
        lambda pair: with_counts(pair[0].found, pair[0].counted, pair[1])
    )


class BootedQ35(Form[Q35Result]):
    """With q35: x86 processors that have the _CST and _LPI of ACPI tables."""

    machine: Annotated[Literal["q35"], "The machine."] = derived(lambda result: "q35")
    cpus: Annotated[Positive, "How many processors it had."] = derived("request.cpus")
    model: Annotated[str, "The processors, as QEMU's -cpu has them."] = derived(
        lambda result: result.request.cpu or CPU
    )
    arguments: Annotated[list[str], "Further words of the kernel's command line."] = derived(
        lambda result: list(result.request.arguments)
    )
    table: Annotated[str, "File that the objects are of."]
    workload: Annotated[str, "The load between two readings of the counters."] = derived(
        "request.work.name"
    )
    governor: Annotated[str, "The guest's; empty if its kernel crashed."]
    driver: Annotated[str, "The guest's; none if no driver has the processors."]
    versions: Annotated[GuestVersions, "The programs booted."] = derived(lambda result: result)
    agree: Annotated[bool, "No stage differs, and there is a model of the kernel."]
    stages: Annotated[list[Stage], "In the order a state goes through them."]
    crash: Annotated[str, "The function in which the kernel crashed; empty if it did not."]
    found: Annotated[list[Q35Cpu], "The guest's CPUs, as it shows them."] = derived(
        lambda result: [(result, cpu) for cpu in range(result.request.cpus)]
    )
    messages: Annotated[list[str], "The kernel's messages on C-states."]
    unconfirmed: Annotated[list[str], "Predictions that this boot cannot confirm."]
    logs: Annotated[str, "Directory with the console's log and the tables."] = _LOGS


Boot = BootedMachine | BootedTwice | BootedVirt | BootedQ35
_FORMS = {
    PowernvResult: BootedMachine,
    BootPair: BootedTwice,
    VirtResult: BootedVirt,
    Q35Result: BootedQ35,
}


def form_of(result: BootResult | BootPair) -> type:
    """Returns the form of a result of its kind."""
    return _FORMS[type(result)]


def _selected(result: PowernvResult) -> boot_stage.Stage:
    return next(stage for stage in result.stages if stage.name == SELECTED)
