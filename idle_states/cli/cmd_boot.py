"""Boots real firmware and a real Linux under QEMU, and prints prediction beside reality.

On OPAL (--machine powernv9), firmware is QEMU's own skiboot, --lid, or built from a copy of --tree;
with TABLE, a copy has that table in the machine's place. With --patch the tree is built as it is
and with the patches, both are booted, and shown side by side.

On Arm and RISC-V (--machine virt-arm64), TABLE is a device tree, or a spec of one. The states that
its CPUs list, and their power domains, are put into QEMU's own tree: of as many CPUs as --smp says,
of each list one first.

On x86 (--machine q35), TABLE is ACPI tables, or what `generate --to asl` makes them of: the
machine's processors have the _CST and _LPI of its processors, as ACPICA hands them to a kernel. A
kernel that crashes on them, as some do, is an outcome like another.

Stage by stage, what the models predict is held against what the guest shows. On OPAL: the exported
properties, OPAL's lines, the registered states, the kernel's lines; with --workload also the
governor's decisions, each made again from its recorded inputs, and the usage counters. On Arm and
RISC-V: the nodes that reach the kernel, the registered states, the kernel's lines, the power
domains, and during the workload which states are entered or refused; on Arm, --workload also has
the governor's decisions made again. On x86: the table that reaches the kernel, whether the kernel
survives it, the registered states, the kernel's lines, and which states are entered. Any difference
is a failure (exit 1); decisions whose inputs are not all known are counted as undetermined.

QEMU's powernv machines enable stop levels 0 and 1 only. --levels changes that in the tree that
firmware is handed, before the first instruction; what a boot still cannot confirm is listed, with
what the kernel is not configured with.

What it needs besides QEMU is fetched from Debian's archive once, see make boot-deps. That, and what
is built, is kept in $XDG_CACHE_HOME/idle-states/boot, else below ~/.cache."""

from pathlib import Path
from typing import TYPE_CHECKING

from ..base.dataclass import dataclass
from ..base.options import Annotated, Option
from ..tables.linux.asked import TABLE
from .output import NO_PAGE, USUAL, Output

if TYPE_CHECKING:
    from ..change.boot.request import BootRequest
    from ..change.boot.workload import GuestWorkload
    from .boot_failures import FailurePlace


@dataclass(frozen=True, slots=True)
class BootCommand:
    """Options of `boot`: those of BootRequest, and where logs go."""

    machine: Annotated[
        str,
        Option(
            "--machine",
            "powernv8, powernv9, powernv10, virt-arm64, virt-riscv64 or q35",
            metavar="M",
            required=True,
            after="--patch",
        ),
    ]
    table: Annotated[str | None, TABLE] = None
    lid: Annotated[
        "Path | None",
        Option(
            "--lid", "skiboot.lid to boot; only a copy changes", metavar="FILE", only="firmware"
        ),
    ] = None
    tree: Annotated[
        "Path | None",
        Option(
            "--tree",
            "skiboot's source, built in a copy: this runs the tree's make, as you",
            metavar="DIR",
            only="firmware",
        ),
    ] = None
    patch: Annotated[
        str | None,
        Option(
            "--patch",
            "boot --tree before and after: descriptions as of patch, or patches as mailed",
            metavar="SERIES",
        ),
    ] = None
    smp: Annotated[
        int | None, Option("--smp", "CPUs (default: 1; of virt, q35: 2)", metavar="N")
    ] = None
    workload: Annotated[
        "GuestWorkload | None",
        Option(
            "--workload",
            "storm, ping-pong, periodic, idle or mixed: what the guest does while it is watched",
            metavar="W",
            reads="change.boot.workload.workload",
        ),
    ] = None
    governor: Annotated[str, Option("--governor", "default: the kernel's", metavar="G")] = ""
    levels: Annotated[
        int | None,
        Option(
            "--levels",
            "stop levels that firmware is told of: 0xec000000",
            metavar="MASK",
            reads="base.model.table.mask_of",
        ),
    ] = None
    cpu: Annotated[
        str | None, Option("--cpu", "processors of q35, as of QEMU's -cpu", metavar="MODEL")
    ] = None
    append: Annotated[
        str | None,
        Option(
            "--append",
            'more for the kernel\'s command line, of q35: "processor.max_cstate=2"',
            metavar="WORDS",
        ),
    ] = None
    vmlinux: Annotated[
        "Path | None", Option("--vmlinux", "another kernel to boot", metavar="FILE")
    ] = None
    time_limit_s: Annotated[
        float,
        Option(
            "--time-limit",
            "for the guest to end (default: 240s)",
            metavar="TIME",
            reads="base.model.units.fractional_s",
        ),
    ] = 240
    logs: Annotated[
        "Path | None",
        Option("--logs", "where logs go (default: logs, beside what is built)", metavar="DIR"),
    ] = None
    out: Annotated[Output, NO_PAGE] = USUAL

    def request(self) -> "BootRequest":
        """Returns the request of the room. Raises UsageError."""
        from ..change.boot.request import BootRequest

        return BootRequest(
            machine=self.machine,
            table=self.table,
            lid=self.lid,
            tree=self.tree,
            patch=self.patch,
            levels=self.levels,
            kernel=self.vmlinux,
            cpu=self.cpu,
            append=self.append,
            smp=self.smp,
            governor=self.governor,
            workload=self.workload,
            time_limit_s=self.time_limit_s,
        )


def run(given: BootCommand) -> int:
    from .boot_failures import FailurePlace
    from .values import say

    asked, place = given.request(), FailurePlace(given.logs)
    if given.tree is not None:
        say(f"boot: {given.tree}: runs this tree's make, and so whatever the tree says")
    try:
        return _boot(asked, given.out, place)
    except BaseException as error:
        return place.told(error)


def _boot(asked: "BootRequest", out: "Output", place: "FailurePlace") -> int:
    from ..base.files import naming
    from ..base.report import printer
    from ..change.boot import run as boot
    from ..change.boot.boot_document import form_of
    from ..change.boot.powernv.twice import run_before_and_after
    from ..change.boot.said import sheet
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
            boot.run_boot(asked, around)
            if asked.patch is None
            else run_before_and_after(asked, around)
        )
    document = envelope("boot", form_of(result), result, result.inputs)
    said = sheet(result)
    place.stage = "writing the result"
    with naming(out.file or "standard output"):
        if out.format == "json":
            out.document(document)
        else:
            out.said(said)
        printer.flush()
    return int(not result.agree)
