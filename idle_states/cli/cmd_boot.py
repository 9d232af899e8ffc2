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

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..boot.q35.request import Q35Request
    from ..boot.request import BootRequest
    from ..boot.virt.request import VirtRequest
    from .boot_failures import FailurePlace
    from .options import Output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .options import add_format

    parser.add_argument("table", metavar="TABLE", nargs="?", help="revision or file")
    firmware = parser.add_mutually_exclusive_group()
    firmware.add_argument("--lid", metavar="FILE", help="skiboot.lid to boot; only a copy changes")
    firmware.add_argument(
        "--tree",
        metavar="DIR",
        help="skiboot's source, built in a copy: this runs the tree's make, as you",
    )
    parser.add_argument(
        "--patch",
        metavar="SERIES",
        help="boot --tree before and after: descriptions as of patch, or patches as mailed",
    )
    parser.add_argument(
        "--machine",
        metavar="M",
        required=True,
        help="powernv8, powernv9, powernv10, virt-arm64, virt-riscv64 or q35",
    )
    parser.add_argument("--smp", metavar="N", type=int, help="CPUs (default: 1; of virt, q35: 2)")
    parser.add_argument(
        "--workload",
        metavar="W",
        help="storm, ping-pong, periodic, idle or mixed: what the guest does while it is watched",
    )
    parser.add_argument("--governor", metavar="G", help="default: the kernel's")
    parser.add_argument(
        "--levels", metavar="MASK", help="stop levels that firmware is told of: 0xec000000"
    )
    parser.add_argument("--cpu", metavar="MODEL", help="processors of q35, as of QEMU's -cpu")
    parser.add_argument(
        "--append",
        metavar="WORDS",
        help='more for the kernel\'s command line, of q35: "processor.max_cstate=2"',
    )
    parser.add_argument("--vmlinux", metavar="FILE", help="another kernel to boot")
    parser.add_argument(
        "--time-limit", metavar="S", type=float, default=240, help="seconds (default: 240)"
    )
    parser.add_argument(
        "--logs", metavar="DIR", help="where logs go (default: logs, beside what is built)"
    )
    add_format(parser)


def request(arguments: argparse.Namespace) -> "BootRequest | VirtRequest | Q35Request":
    """Raises UsageError."""
    from ..boot.q35 import machine as q35
    from ..boot.request import BootRequest
    from ..boot.virt.machines import VIRT
    from ..boot.workload import workload

    def path(text: str | None) -> Path | None:
        return None if text is None else Path(text)

    if arguments.machine == q35.NAME:
        return _of_q35(arguments, path(arguments.vmlinux))
    for option in ("cpu", "append"):
        if getattr(arguments, option) is not None:
            from ..findings import UsageError

            raise UsageError(
                f"expected --{option} with {q35.NAME}, found it with {arguments.machine}"
            )
    if arguments.machine in VIRT:
        return _of_virt(arguments, path(arguments.vmlinux))

    return BootRequest(
        machine=arguments.machine,
        table=arguments.table,
        lid=path(arguments.lid),
        tree=path(arguments.tree),
        patch=arguments.patch,
        kernel=path(arguments.vmlinux),
        smp=1 if arguments.smp is None else arguments.smp,
        governor=arguments.governor or "",
        workload=workload(arguments.workload) if arguments.workload else None,
        levels=None if arguments.levels is None else _mask(arguments.levels),
        time_limit_s=arguments.time_limit,
    )


def _of_virt(arguments: argparse.Namespace, kernel: Path | None) -> "VirtRequest":
    from ..boot.virt.request import VirtRequest
    from ..boot.workload import CPUS, EVERYTHING, workload

    _refuse_firmware(arguments)
    if arguments.table is None:
        from ..findings import UsageError

        raise UsageError(
            f"expected a TABLE with {arguments.machine}, found none: QEMU's tree lists no states"
        )
    return VirtRequest(
        machine=arguments.machine,
        table=arguments.table,
        kernel=kernel,
        smp=CPUS if arguments.smp is None else arguments.smp,
        governor=arguments.governor or "",
        workload=workload(arguments.workload) if arguments.workload else EVERYTHING,
        recorded=arguments.workload is not None,
        time_limit_s=arguments.time_limit,
    )


def _of_q35(arguments: argparse.Namespace, kernel: Path | None) -> "Q35Request":
    from ..boot.q35 import machine
    from ..boot.q35.request import Q35Request
    from ..boot.workload import CPUS, EVERYTHING, workload

    _refuse_firmware(arguments)
    if arguments.table is None:
        from ..findings import UsageError

        raise UsageError(
            f"expected a TABLE with {machine.NAME}, found none: QEMU's tables have no _CST"
        )
    return Q35Request(
        table=arguments.table,
        kernel=kernel,
        smp=CPUS if arguments.smp is None else arguments.smp,
        cpu=machine.CPU if arguments.cpu is None else arguments.cpu,
        arguments=tuple((arguments.append or "").split()),
        governor=arguments.governor or "",
        workload=workload(arguments.workload) if arguments.workload else EVERYTHING,
        time_limit_s=arguments.time_limit,
    )


def _refuse_firmware(arguments: argparse.Namespace) -> None:
    """Raises UsageError for options about skiboot."""
    for option in ("lid", "tree", "patch", "levels"):
        if getattr(arguments, option) is not None:
            from ..findings import UsageError

            raise UsageError(
                f"expected --{option} with a powernv machine, found it with {arguments.machine}: "
                "it has no skiboot"
            )


def run(arguments: argparse.Namespace) -> int:
    from .boot_failures import FailurePlace
    from .options import output, say

    asked = request(arguments)
    place = FailurePlace(None if arguments.logs is None else Path(arguments.logs))
    if arguments.tree is not None:
        say(f"boot: {arguments.tree}: runs this tree's make, and so whatever the tree says")
    try:
        return _boot(asked, output(arguments), place)
    except BaseException as error:
        return place.told(error)


def _boot(
    asked: "BootRequest | VirtRequest | Q35Request", out: "Output", place: "FailurePlace"
) -> int:
    from ..boot import run as boot
    from ..boot.q35 import run as boot_q35
    from ..boot.q35.request import Q35Request
    from ..boot.virt import run as boot_virt
    from ..boot.virt.request import VirtRequest
    from ..files import naming
    from ..report import boot_output, boot_pair_output, boot_q35_output, boot_virt_output, printer
    from ..report.documents.boot import BootedMachine, BootedTwice
    from ..report.documents.boot_q35 import BootedQ35
    from ..report.documents.boot_virt import BootedVirt
    from ..report.json_output import envelope
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
        if isinstance(asked, Q35Request):
            seen = boot_q35.run(asked, around)
            document = envelope("boot", BootedQ35, seen, seen.inputs)
            text = boot_q35_output.text(seen, out.style)
            agree = seen.agree
        elif isinstance(asked, VirtRequest):
            found = boot_virt.run(asked, around)
            document = envelope("boot", BootedVirt, found, found.inputs)
            text = boot_virt_output.text(found, out.style)
            agree = found.agree
        elif asked.patch is None:
            result = boot.run(asked, around)
            document = envelope("boot", BootedMachine, result, result.inputs)
            text = boot_output.text(result, out.style)
            agree = result.agree
        else:
            pair = boot.run_before_and_after(asked, around)
            document = envelope("boot", BootedTwice, pair, pair.inputs)
            text = boot_pair_output.text(pair, out.style)
            agree = pair.agree
    place.stage = "writing the result"
    with naming(out.file or "standard output"):
        if out.format == "json":
            out.document(document)
        else:
            out.text(text)
        printer.flush()
    return int(not agree)


def _mask(text: str) -> int:
    """Of 32 bits. Raises UsageError."""
    from ..table import U32_MAX

    try:
        value = int(text, 0)
    except ValueError:
        value = -1
    if not 0 <= value <= U32_MAX:
        from ..findings import UsageError

        raise UsageError(f"expected a mask of 32 bits such as 0xec000000, found {text!r}")
    return value
