"""Generates skiboot's C array, the device-tree node, an ACPI table, a Markdown page or a flat spec.

C drops into hw/slw.c or hw/slw-p8.c as it is. The tree is what skiboot would export on the
platform. Of an Arm or RISC-V machine it has the nodes of the idle states, of the power domains and
of the CPUs: as a small tree, as a file for a board's source to include, or as an overlay. ASL is an
SSDT with _CST or _LPI, for iasl: of ACPI tables again, of tables of intel_idle and of x86 kernels'
states, whose hints it takes, and of Arm and RISC-V machines.
Everything that cannot be expressed is reported first, and then nothing is written."""

import argparse
from pathlib import Path

SUMMARY = "generate C, DTS, DTB, ASL, Markdown or YAML"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .options import add_output, add_platform

    parser.add_argument("table", metavar="TABLE", help="revision or file")
    parser.add_argument("--to", choices=("c", "dts", "dtb", "md", "yaml", "asl"), required=True)
    add_platform(parser)
    parser.add_argument(
        "--versioned",
        action="store_true",
        help="dts, dtb: one node per state with a versioned compatible, as proposed in 2018",
    )
    parser.add_argument(
        "--as",
        dest="part",
        choices=("tree", "include", "overlay"),
        default="tree",
        help="dts of an Arm or RISC-V machine: a whole small tree (default), a file for a board's "
        "source to include, or an overlay",
    )
    parser.add_argument(
        "--self-test",
        action="store_true",
        help="c: add a main() behind an #ifdef that checks the values when compiled on the host",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; exit 1 if the file given by -o is not what would be written",
    )
    add_output(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..findings import UsageError
    from ..report.generated import Generated
    from ..sources import read_table
    from ..sources.machines import machine_named
    from .options import opal_platform, output

    wanted, out = (
        Generated(arguments.to, arguments.self_test, arguments.versioned, arguments.part),
        output(arguments),
    )
    if arguments.check and not out.file:
        raise UsageError("expected -o FILE with --check")
    machine = machine_named(arguments.table)
    if machine is not None:
        generated = wanted.of_machine(machine[0])
    else:
        generated = wanted.of(read_table(arguments.table), opal_platform(arguments))
    if arguments.check:
        return _stale(Path(arguments.output), generated, arguments.table)
    out.document(generated)
    return 0


def _stale(path: Path, generated: str | bytes, table: str) -> int:
    """1 with the difference if the file is not up to date. Raises OSError."""
    from ..report import printer
    from ..report.escapes.text import printable

    wanted = generated.encode() if isinstance(generated, str) else generated
    found = path.read_bytes() if path.exists() else None
    if found == wanted:
        return 0
    if found is None:
        printer.text(printable(f"{path}: is missing; {table} generates it") + "\n")
    elif b"\0" in found + wanted:
        printer.text(printable(f"{path}: is not what {table} generates") + "\n")
    else:
        import difflib

        old, new = (text.decode("utf-8", "replace").splitlines(True) for text in (found, wanted))
        shown = printable(path.as_posix())
        becomes = printable(f"{path.as_posix()} as {table} generates it")
        printer.verbatim("".join(difflib.unified_diff(old, new, shown, becomes)))
    return 1
