"""Generates skiboot's C array, the device-tree node, an ACPI table, a Markdown page or a flat spec.

C drops into hw/slw.c or hw/slw-p8.c as it is. The tree is what skiboot would export on the
platform. Of an Arm or RISC-V machine it has the nodes of the idle states, of the power domains and
of the CPUs: as a small tree, as a file for a board's source to include, or as an overlay. ASL is an
SSDT with _CST or _LPI, for iasl: of ACPI tables again, of tables of intel_idle and of x86 kernels'
states, whose hints it takes, and of Arm and RISC-V machines.
Of a table of intel_idle, C is the driver's own array, and cmdline intel_idle.table=, which gives
the states of the release's own table these times: only what differs, checked by the driver's rules.
Everything that cannot be expressed is reported first, and then nothing is written."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..base.dataclass import dataclass
from ..base.options import Annotated, Option
from ..tables.linux.asked import PLATFORM, TABLE_OF_MACHINE, table_or_machine
from .output import FILE_ALONE, USUAL, Output

if TYPE_CHECKING:
    from ..tables.linux.platforms import AnyPlatform
    from ..tables.linux.releases import Release


@dataclass(frozen=True, slots=True)
class GenerateCommand:
    """Options of `generate`.

    table  None for that of the platform, an x86 machine
    check  compare with out.file instead of writing it
    to, self_test, versioned, part  as of Generated
    """

    to: Annotated[
        Literal["c", "dts", "dtb", "md", "yaml", "asl", "cmdline"], Option("--to", required=True)
    ]
    platform: Annotated["AnyPlatform", PLATFORM]
    release: Annotated[
        "Release",
        Option(
            "--kernel",
            "cmdline: Linux release (default: the newest)",
            metavar="K",
            default="newest",
        ),
    ]
    table: Annotated[str | None, TABLE_OF_MACHINE] = None
    versioned: Annotated[
        bool,
        Option(
            "--versioned",
            "dts, dtb: one node per state with a versioned compatible, as proposed in 2018",
        ),
    ] = False
    part: Annotated[
        Literal["tree", "include", "overlay"],
        Option(
            "--as",
            "dts of an Arm or RISC-V machine: a whole small tree (default), a file for a board's "
            "source to include, or an overlay",
        ),
    ] = "tree"
    self_test: Annotated[
        bool,
        Option(
            "--self-test",
            "c: add a main() behind an #ifdef that checks the values when compiled on the host",
        ),
    ] = False
    check: Annotated[
        bool,
        Option(
            "--check",
            "write nothing; exit 1 if the file given by -o is not what would be written",
        ),
    ] = False
    out: Annotated[Output, FILE_ALONE] = USUAL


def run(given: GenerateCommand) -> int:
    from ..base.model.findings import UsageError
    from ..tables.generate.generated import Generated
    from ..tables.sources import one_table, read_sources
    from ..tables.sources.machines import is_machine, machine_behind
    from .values import say

    wanted, out = Generated(given.to, given.self_test, given.versioned, given.part), given.out
    if given.check and not out.file:
        raise UsageError("expected -o FILE with --check")
    table = table_or_machine(given.table, given.platform)
    sources = read_sources(table)
    if is_machine(sources):
        generated = wanted.of_machine(machine_behind(sources[0]))
    else:
        source = one_table(sources, table)
        generated = wanted.of(source, given.platform, given.release, say)
    if given.check and out.file:
        return _stale(Path(out.file), generated, table)
    out.document(generated)
    return 0


def _stale(path: Path, generated: str | bytes, table: str) -> int:
    """1 with the difference if the file is not up to date. Raises OSError."""
    from ..base.report import printer
    from ..base.report.escapes.text import printable

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
