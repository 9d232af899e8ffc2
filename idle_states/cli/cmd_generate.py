"""Generates skiboot's C array, the device-tree node, an ACPI table, a Markdown page or a flat spec.

C drops into hw/slw.c or hw/slw-p8.c as it is. The tree is what skiboot would export on the
platform. Of an Arm or RISC-V machine it has the nodes of the idle states, of the power domains and
of the CPUs: as a small tree, as a file for a board's source to include, or as an overlay. ASL is an
SSDT with _CST or _LPI, for iasl: of ACPI tables again, of tables of intel_idle and of x86 kernels'
states, whose hints it takes, and of Arm and RISC-V machines.
Of a table of intel_idle, C is the driver's own array, and cmdline intel_idle.table=, which gives
the states of the release's own table these times: only what differs, checked by the driver's rules.
Everything that cannot be expressed is reported first, and then nothing is written."""

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .options import TABLE_HELP, add_output, add_platform

    parser.add_argument("table", metavar="TABLE", nargs="?", help=TABLE_HELP)
    parser.add_argument(
        "--to", choices=("c", "dts", "dtb", "md", "yaml", "asl", "cmdline"), required=True
    )
    add_platform(parser)
    parser.add_argument(
        "--kernel", metavar="K", help="cmdline: Linux release (default: the newest)"
    )
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
    from ..sources import one_table, read_sources
    from ..sources.machines import is_machine, machine_behind
    from .options import kernel, output, platform, say, table_or_machine

    wanted, out = (
        Generated(arguments.to, arguments.self_test, arguments.versioned, arguments.part),
        output(arguments),
    )
    if arguments.check and not out.file:
        raise UsageError("expected -o FILE with --check")
    table = table_or_machine(arguments)
    sources = read_sources(table)
    if is_machine(sources):
        generated = wanted.of_machine(machine_behind(sources[0]))
    else:
        source = one_table(sources, table)
        generated = wanted.of(source, platform(arguments), kernel(arguments), say)
    if arguments.check:
        return _stale(Path(arguments.output), generated, table)
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
