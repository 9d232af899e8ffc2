"""boot."""

from typing import Annotated, Literal

from ...boot import predict
from ...boot.predict import SELECTED
from ...boot.result import BootPair, BootResult
from ...forms import INLINE, U32, Count, Form, Positive, derived
from ...reading.sysfs import SysfsState
from .boot_kernel import BootedKernel
from .boot_q35 import BootedQ35
from .boot_stage import Stage
from .boot_virt import BootedVirt


class Versions(Form[BootResult]):
    qemu: Annotated[str, "As it calls itself."]
    skiboot: Annotated[str, "As OPAL's log has it; empty where it does not show."] = derived(
        lambda result: result.predicted.firmware
    )
    kernel: Annotated[BootedKernel, INLINE] = derived(
        lambda result: (result.predicted, result.predicted.table)
    )


class Decisions(Form[BootResult]):
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


class RegisteredState(Form[tuple[BootResult, SysfsState]]):
    name: str = derived(lambda pair: pair[1].name)
    latency_us: Annotated[Count, "Exit latency."] = derived(lambda pair: pair[1].latency_us)
    residency_us: Annotated[Count, "Target residency."] = derived(lambda pair: pair[1].residency_us)
    entered: Annotated[
        Count | None, "How often CPUs entered it during the workload; null: not recorded."
    ] = derived(lambda pair: (pair[0].entered or {}).get(pair[1].name))


class BootedMachine(Form[BootResult]):
    machine: Annotated[Literal["powernv8", "powernv9", "powernv10"], "QEMU's machine."] = derived(
        lambda result: result.request.machine
    )
    cpus: Annotated[Positive, "How many CPUs it had."] = derived(lambda result: result.request.smp)
    table: Annotated[str, "The table in firmware."] = derived(
        lambda result: result.predicted.table.name
    )
    place: Annotated[str, "The revision whose place in firmware it had."]
    levels: Annotated[
        U32 | None, "Stop levels that firmware was told of instead of QEMU's; null: QEMU's."
    ] = derived(lambda result: result.request.levels)
    workload: Annotated[
        str | None, "What went on while decisions were recorded; null: none were."
    ] = derived(lambda result: result.request.workload and result.request.workload.name)
    governor: Annotated[str | None, "The governor recorded; null: none."] = derived(
        lambda result: result.replayed and result.replayed.governor
    )
    versions: Annotated[Versions, "What was booted."] = derived(lambda result: result)
    agree: Annotated[bool, "No stage differs, and with a workload some decisions were judged."]
    stages: Annotated[list[Stage], "In the order a state goes through them."]
    decisions: Annotated[Decisions, "The governor's decisions."] = derived(lambda result: result)
    found: Annotated[list[RegisteredState], "What CPU 0 registered, as it shows it."] = derived(
        lambda result: [(result, state) for state in result.found]
    )
    remarks: Annotated[list[str], "How firmware was built otherwise than its tree says."]
    unconfirmed: Annotated[list[str], "What this boot cannot tell."]
    logs: Annotated[str, "Directory with the console's log, the tree, the recording."] = derived(
        lambda result: result.directory.as_posix()
    )


class BootedTwice(Form[BootPair]):
    """With --patch: a tree before and after."""

    patches: Annotated[list[str], "Subjects of the patches that change the tree."] = derived(
        lambda pair: pair.subjects
    )
    remarks: Annotated[list[str], "On how the patches were read, and which were left out."]
    changes_table: Annotated[bool, "Whether the table that this machine uses changes."]
    agree: Annotated[bool, "Whether both boots came out as predicted."]
    before: BootedMachine
    after: BootedMachine
    logs: Annotated[str, "Directory with a directory for each boot."] = derived(
        lambda pair: pair.directory.as_posix()
    )


Boot = BootedMachine | BootedTwice | BootedVirt | BootedQ35


def _selected(result: BootResult) -> predict.Stage:
    return next(stage for stage in result.stages if stage.name == SELECTED)
