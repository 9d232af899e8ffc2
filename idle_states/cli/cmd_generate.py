"""Generates skiboot's C array, the device-tree node, a Markdown page or a flat spec from a table.

C drops into hw/slw.c or hw/slw-p8.c as it is. The tree is what skiboot would export on the
platform. Everything that cannot be expressed is reported first, and then nothing is written."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..skiboot.platform import Platform
    from ..sources import Source

SUMMARY = "generate C, DTS, DTB, Markdown or YAML"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from .options import add_output, add_platform

    parser.add_argument("table", metavar="TABLE", help="revision or file")
    parser.add_argument("--to", choices=("c", "dts", "dtb", "md", "yaml"), required=True)
    add_platform(parser)
    parser.add_argument(
        "--versioned",
        action="store_true",
        help="dts, dtb: one node per state with a versioned compatible, as proposed in 2018",
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
    import sys

    from ..sources import read_table
    from .options import UsageError, emit, platform

    if arguments.self_test and arguments.to != "c":
        raise UsageError("expected --self-test with --to c only")
    if arguments.versioned and arguments.to not in ("dts", "dtb"):
        raise UsageError("expected --versioned with --to dts or dtb only")
    if arguments.to == "dtb" and not arguments.output and sys.stdout.isatty():
        raise UsageError("expected -o FILE for a dtb; a terminal cannot show it")
    if arguments.check and not arguments.output:
        raise UsageError("expected -o FILE with --check")
    source = read_table(arguments.table)
    generated = _generated(arguments, source, platform(arguments))
    if arguments.check:
        return _stale(Path(arguments.output), generated, arguments.table)
    emit(arguments, generated)
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
        printer.text("".join(difflib.unified_diff(old, new, shown, becomes)))
    return 1


def _generated(arguments: argparse.Namespace, source: "Source", machine: "Platform") -> str | bytes:
    table = source.table
    assert table is not None
    if arguments.to == "c":
        from ..skiboot import c_table

        return c_table.write([table], self_test=arguments.self_test)
    if arguments.to == "md":
        from ..report import markdown

        return markdown.render(table)
    if arguments.to == "yaml":
        from ..spec.write import write

        return write(table)
    from ..devicetree import dts, fdt, generate

    tree = generate.tree_of(table, machine, source.node, versioned=arguments.versioned)
    if arguments.to == "dtb":
        return fdt.write(tree)
    return dts.write(tree, [f"{table.name} as exported on {machine.name}"])
