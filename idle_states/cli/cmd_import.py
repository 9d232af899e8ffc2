"""Writes the table of any readable file as a spec: flat, each value with the file and place it was
read from. For an Arm or RISC-V tree, or a spec of one, the spec is the whole machine: all states,
power domains and CPUs. ACPI's _CST, intel_idle's tables and an x86 kernel's sysfs become a spec of
x86. sysfs of POWER shows names and times only; the rest comes from the nearest packaged table,
which the note names. If a spec cannot express the table, all reasons are listed and nothing is
written."""

from ..base.dataclass import dataclass
from ..base.options import Annotated, Argument, Option
from .output import FILE_ALONE, USUAL, Output


@dataclass(frozen=True, slots=True)
class ImportCommand:
    """Options of `import`. name: the spec's, None for one made of the file's."""

    table: Annotated[str, Argument("FILE[:NAME]", "any file the tool can read", is_table=True)]
    name: Annotated[
        str | None,
        Option("--name", "the spec's name (default: made from the file's)", metavar="NAME"),
    ] = None
    out: Annotated[Output, FILE_ALONE] = USUAL


def run(given: ImportCommand) -> int:
    from ..tables.sources import read_sources
    from ..tables.sources.imported import spec_of

    given.out.document(spec_of(read_sources(given.table), given.table, given.name))
    return 0
