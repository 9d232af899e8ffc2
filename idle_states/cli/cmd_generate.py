"""Generates skiboot's C array, the device-tree node, an ACPI table, a Markdown page or a flat spec.

C fits into hw/slw.c or hw/slw-p8.c without changes. The tree is what skiboot would export on the
platform; for an Arm or RISC-V machine it has the nodes of idle states, power domains and CPUs, as a
small tree, a file for a board's source to include, or an overlay. ASL is an SSDT with _CST or _LPI
for iasl, made from ACPI tables, intel_idle tables, states of x86 kernels (with their hints), or Arm
and RISC-V machines. For an intel_idle table, C is the driver's own array, and cmdline is
intel_idle.table=, which gives the states of the release's own table these times: only what differs,
checked by the driver's rules. With --keep or --latency-limit, cmdline is the parameter that keeps
only the states within that limit, tried on the driver: intel_idle.max_cstate= or states_off=,
processor.max_cstate=. Where no parameter does, as on OPAL, pseries, Arm and RISC-V, other ways are
named. If something cannot be expressed, everything is reported and nothing is written."""

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
            "write nothing; exit 1 if the file given by -o differs from what would be written",
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
