"""Generates skiboot's C array, the device-tree node, an ACPI table, a Markdown page or a flat spec.

C drops into hw/slw.c or hw/slw-p8.c as it is. The tree is what skiboot would export on the
platform. Of an Arm or RISC-V machine it has the nodes of the idle states, of the power domains and
of the CPUs: as a small tree, as a file for a board's source to include, or as an overlay. ASL is an
SSDT with _CST or _LPI, for iasl: of ACPI tables again, of tables of intel_idle and of x86 kernels'
states, whose hints it takes, and of Arm and RISC-V machines.
Of a table of intel_idle, C is the driver's own array, and cmdline intel_idle.table=, which gives
the states of the release's own table these times: only what differs, checked by the driver's rules.
With --keep or --latency-limit, cmdline is the parameter that leaves the states of that limit, tried
on the driver: intel_idle.max_cstate= or states_off=, processor.max_cstate=. Where none leaves just
these, as on OPAL, pseries, Arm and RISC-V, it names what else does.
Everything that cannot be expressed is reported first, and then nothing is written."""

from pathlib import Path

from ..base.dataclass import dataclass
from ..base.options import Annotated, Option
from ..tables.generate.request import GenerateRequest
from .output import FILE_ALONE, USUAL, Output


@dataclass(frozen=True, slots=True)
class GenerateCommand:
    """Options of `generate`. check: compare with out.file instead of writing it."""

    request: GenerateRequest
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
    from ..tables.generate.answer import generate
    from .values import say

    out = given.out
    if given.check and not out.file:
        raise UsageError("expected -o FILE with --check")
    generated = generate(given.request, say)
    if given.check and out.file:
        return _stale(Path(out.file), generated, given.request.table or "")
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
