"""Boots real firmware and a real Linux under QEMU, and compares them with the prediction.

On OPAL (--machine powernv9), firmware is QEMU's own skiboot, --lid, or built from a copy of --tree;
with TABLE, a copy has that table in place of the machine's. With --patch the tree is built without
and with the patches; both are booted and shown side by side.

On Arm and RISC-V (--machine virt-arm64), TABLE is a device tree, or a spec of one. The states and
power domains of its CPUs are put into QEMU's own tree, for as many CPUs as --smp says; every list
gets one CPU before any gets a second.

On x86 (--machine q35), TABLE is ACPI tables, or an input of `generate --to asl`: the machine's
processors get the _CST and _LPI of the table's, as ACPICA hands them to a kernel. A kernel that
crashes on them, as some do, is a result too.

Stage by stage, the prediction of the models is compared with what the guest shows. On OPAL: the
exported properties, OPAL's lines, the registered states, the kernel's lines; with --workload also
the governor's decisions, each made again from its recorded inputs, and the usage counters. On Arm
and RISC-V: the nodes that reach the kernel, the registered states, the kernel's lines, the power
domains, and during the workload which states are entered or refused; on Arm, --workload also
repeats the governor's decisions. On x86: the table that reaches the kernel, whether the kernel
survives it, the registered states, the kernel's lines, and which states are entered. Any difference
is a failure (exit 1); decisions whose inputs are not all known are counted as undetermined.

QEMU's powernv machines enable stop levels 0 and 1 only. --levels changes that in firmware's tree
before the first instruction. What a boot still cannot confirm is listed, and what the kernel's
configuration lacks.

Everything needed besides QEMU is fetched once from Debian's archive (see make boot-deps). Downloads
and builds are kept in $XDG_CACHE_HOME/idle-states/boot, else below ~/.cache."""

from pathlib import Path
from typing import TYPE_CHECKING

from ..base.dataclass import dataclass
from ..base.options import Annotated, Option
from ..change.boot.request import BootRequest
from .output import USUAL, Output

if TYPE_CHECKING:
    from .boot_failures import FailurePlace


@dataclass(frozen=True, slots=True)
class BootCommand:
    """Options of `boot`: what is booted, and where logs go."""

    request: BootRequest
    logs: Annotated[
        "Path | None",
        Option("--logs", "where logs go (default: logs, beside what is built)", metavar="DIR"),
    ] = None
    out: Output = USUAL


def run(given: BootCommand) -> int:
    from .boot_failures import FailurePlace
    from .values import say

    request, place = given.request, FailurePlace(given.logs)
    if request.tree is not None:
        say(f"boot: {request.tree}: runs this tree's make as you: build only a tree that you trust")
    try:
        return _boot(request, given.out, place)
    except BaseException as error:
        return place.report(error)


def _boot(request: BootRequest, out: "Output", place: "FailurePlace") -> int:
    from ..base.files import naming
    from ..base.report import printer
    from ..change.boot import run as boot
    from ..change.boot.boot_document import form_of
    from ..change.boot.powernv.twice import run_before_and_after
    from ..change.boot.sheet import sheet
    from ..tables.documents.json_output import envelope
    from .progress import Line

    def kept(directory: Path) -> None:
        place.stage, place.logs = "QEMU", directory

    def preparing(what: str) -> None:
        place.stage = what
        line.show(what)

    def progress(stage: str, elapsed_s: float) -> None:
        place.stage = stage
        line.show(f"{stage}, {elapsed_s:.0f} s")

    with Line() as line:
        around = boot.Surroundings(place.below, None, progress, preparing, kept)
        result = (
            boot.run_boot(request, around)
            if request.patch is None
            else run_before_and_after(request, around)
        )
    document = envelope("boot", form_of(result), result, result.inputs)
    page = sheet(result)
    place.stage = "writing the result"
    with naming(out.file or "standard output"):
        if out.html:
            out.page("boot", page, result.inputs)
        if out.format == "json":
            out.document(document)
        else:
            out.print_sheet(page)
        printer.flush()
    return int(not result.agree)
