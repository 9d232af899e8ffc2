"""Boots real skiboot and a real Linux under QEMU, and prints prediction beside reality.

Firmware is QEMU's own image, --lid, or built from a copy of --tree; with TABLE, a copy has that
table in the machine's place. Stage by stage, what the models predict is held against what the guest
shows: the exported properties, OPAL's lines, the registered states, the kernel's lines; with
--workload also the governor's decisions, each made again from its recorded inputs, and the usage
counters. Any difference is a failure (exit 1); decisions whose inputs are not all known are counted
as undetermined.

QEMU enables stop levels 0 and 1 only. --levels changes that in the tree that firmware is handed,
before the first instruction; what a boot still cannot confirm is listed.

What it needs besides QEMU is fetched from Debian's archive once, see make boot-deps."""

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from ..boot.run import Request

SUMMARY = "boot firmware and Linux under QEMU, prediction beside reality"


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
        "--machine", metavar="M", required=True, help="powernv8, powernv9 or powernv10"
    )
    parser.add_argument("--smp", metavar="N", type=int, default=1, help="CPUs (default: 1)")
    parser.add_argument(
        "--workload",
        metavar="W",
        help="record decisions during storm, ping-pong, periodic, idle or mixed",
    )
    parser.add_argument("--governor", metavar="G", help="menu or ladder (default: the kernel's)")
    parser.add_argument(
        "--levels", metavar="MASK", help="stop levels that firmware is told of: 0xec000000"
    )
    parser.add_argument("--vmlinux", metavar="FILE", help="another kernel to boot")
    parser.add_argument(
        "--time-limit", metavar="S", type=float, default=240, help="seconds (default: 240)"
    )
    parser.add_argument(
        "--logs", metavar="DIR", default="build/boot", help="logs and parts (default: build/boot)"
    )
    add_format(parser)


@dataclass(slots=True)
class _Place:
    """How far a boot is. logs: its directory, once it is to stay."""

    stage: str = "reading"
    logs: "Path | None" = None

    def show(self, message: str) -> None:
        where = f"; logs: {self.logs.as_posix()}" if self.logs else ""
        _complain(f"{self.stage}: {message}{where}")


def run(arguments: argparse.Namespace) -> int:
    import signal

    from ..boot.boot import BootFailure
    from ..boot.build import BuildFailure
    from ..boot.debian import Unavailable
    from ..files import standard_output_fails
    from ..findings import Faulty, Unreadable
    from ..signals import Ended

    request = _request(arguments)
    place = _Place()
    if arguments.tree:
        _complain(f"{arguments.tree}: runs this tree's make, and so whatever the tree says")
    try:
        return _run(arguments, request, place)
    except BootFailure as failure:
        _complain(f"{failure.stage}: {failure}; log: {failure.log.as_posix()}")
    except BuildFailure as failure:
        _complain(f"build: {failure}")
    except Unavailable as reason:
        _complain(str(reason))
    except Faulty as faulty:
        # status 1 is kept for a boot that came out otherwise than predicted
        raise Unreadable(faulty.findings, faulty.texts) from None
    except BrokenPipeError:
        raise
    except OSError as error:
        # a full disk, say; some writes do not know their file
        where = error.filename or f"a file below {arguments.logs}"
        place.show(f"{where}: {error.strerror or error}")
        standard_output_fails()
    except KeyboardInterrupt:
        place.show("interrupted")
        return 128 + signal.SIGINT
    except Ended as ended:
        place.show(f"ended by {ended.name}")
        return 128 + ended.number
    return 3


def _complain(message: str) -> None:
    from .options import say

    say(f"boot: {message}")


def _request(arguments: argparse.Namespace) -> "Request":
    """Raises UsageError."""
    from ..boot.qemu import CPUS_MAX, MACHINES
    from ..boot.run import Request
    from ..boot.workload import workload
    from ..record.script import GOVERNORS
    from .options import UsageError

    if arguments.machine not in MACHINES:
        known = ", ".join(MACHINES)
        raise UsageError(f"expected a machine of {known}, found {arguments.machine!r}")
    most = CPUS_MAX[arguments.machine]
    if not 1 <= arguments.smp <= most:
        raise UsageError(
            f"expected 1 to {most} CPUs with {arguments.machine}, found {arguments.smp}"
        )
    if arguments.governor is not None and arguments.governor not in GOVERNORS:
        known = ", ".join(GOVERNORS)
        raise UsageError(f"expected a governor of {known}, found {arguments.governor!r}")
    if not arguments.time_limit > 0:
        raise UsageError(f"expected a time limit above 0 s, found {arguments.time_limit:g}")
    try:
        chosen = workload(arguments.workload) if arguments.workload else None
    except ValueError as error:
        raise UsageError(str(error)) from None
    return Request(
        arguments.machine,
        arguments.table,
        _path(arguments.lid),
        _path(arguments.tree),
        _path(arguments.vmlinux),
        arguments.smp,
        arguments.governor or "",
        chosen,
        _levels(arguments),
        arguments.time_limit,
    )


def _levels(arguments: argparse.Namespace) -> int | None:
    from ..table import U32_MAX
    from .options import UsageError

    text = arguments.levels
    if text is None:
        return None
    if arguments.machine == "powernv8":
        raise UsageError(
            "expected --levels with powernv9 or powernv10: powernv8 has no stop levels"
        )
    try:
        value = int(text, 0)
    except ValueError:
        value = -1
    if not 0 <= value <= U32_MAX:
        raise UsageError(f"expected a mask of 32 bits such as 0xec000000, found {text!r}")
    return value


def _path(text: str | None) -> "Path | None":
    from pathlib import Path

    return None if text is None else Path(text)


def _run(arguments: argparse.Namespace, request: "Request", place: _Place) -> int:
    from pathlib import Path

    from ..boot.run import run as boot
    from ..files import naming
    from ..report import boot_output, printer
    from ..report.documents.boot import Boot
    from ..report.json_output import envelope
    from ..report.style import Style
    from .options import emit, emit_text
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
        result = boot(
            request,
            logs=Path(arguments.logs),
            progress=progress,
            say=preparing,
            kept=kept,
        )
    place.stage = "writing the result"
    with naming(arguments.output or "standard output"):
        if arguments.format == "json":
            emit(arguments, envelope("boot", Boot, result, result.inputs))
        else:
            style = Style(False) if arguments.output else Style.of()
            emit_text(arguments, boot_output.text(result, style))
        printer.flush()
    return int(not result.agree)
