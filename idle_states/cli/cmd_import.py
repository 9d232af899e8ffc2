"""Writes a table that was read from any file as a spec: flat, each value with the file and the
place it was read from. Of an Arm or RISC-V tree, or a spec of one, that is the whole machine: all
states, power domains and CPUs. What a spec cannot say is refused, with all reasons, and nothing is
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
    from ..tables.sources import one_table, read_sources
    from ..tables.sources.imported import imported, imported_machine
    from ..tables.sources.machines import is_machine, machine_behind
    from ..tables.spec.write import write
    from ..tables.spec.write_tree import write_tree

    sources = read_sources(given.table)
    if is_machine(sources):
        machine = machine_behind(sources[0])
        text = write_tree(imported_machine(machine, sources, given.name))
    else:
        text = write(imported(one_table(sources, given.table), given.name))
    given.out.document(text)
    return 0
