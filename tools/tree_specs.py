"""Every distinct table of a tree of sources through the spec and back: imported, written as YAML,
read again, generated as source, compiled by dtc and read, and still the same table.

python -m tools.tree_specs TREE [-v]       # TREE: of Linux, U-Boot or Zephyr, or a folder in it

Prints how many boards and tables there were, what could not be imported and why, and where a table
came back as another. Exits 1 for the latter.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

from idle_states.base.model.beyond_opal import IdleList
from idle_states.base.model.findings import CannotGenerate, Unreadable
from idle_states.base.reading.opening import Found
from idle_states.tables.audit.answer import boards_of
from idle_states.tables.devicetree import dts, idle_nodes, idle_source
from idle_states.tables.sources import File, Source, read_file
from idle_states.tables.sources.format_spec import sources as sources_of_spec
from idle_states.tables.sources.imported import imported_machine
from idle_states.tables.sources.machines import is_machine, machine_behind
from idle_states.tables.spec.library import load
from idle_states.tables.spec.write_tree import write_tree
from tests.support.machines import plain


def comparable(listed: IdleList | None) -> object:
    """Returns what two lists are equal by: not by power domains that have nothing to do with idle
    states, and Linux looks at power-domain-names as such on RISC-V only."""
    assert listed is not None
    return plain(
        replace(
            listed,
            names_domains=listed.riscv and listed.names_domains,
            first_domain=listed.first_domain if listed.own_domain or listed.domains else "",
        )
    )


def listed(source: Source) -> object:
    origin = source.table.origin if source.table else None
    return comparable(origin if origin and origin.form == "nodes" else None)


def distinct(tree: str) -> Iterator[tuple[str, list[Source]]]:
    """The boards with idle states that no earlier one had, with their tables."""
    named = boards_of(tree)
    seen: set[str] = set()
    for board in named.boards.files():
        if not named.boards.has_idle_states(board):
            continue
        found = Found(named.folder, PurePosixPath(board).relative_to(named.inner).as_posix())
        try:
            sources = read_file(File.open(found))
        except Unreadable as error:
            print(f"{board}: {error}", file=sys.stderr)
            continue
        if is_machine(sources):
            key = repr([listed(source) for source in sources])
            if key not in seen:
                seen.add(key)
                yield board, sources


def differences(sources: list[Source]) -> Iterator[str]:
    """Yields what is not as before on the way through the spec. Raises CannotGenerate."""
    before = [listed(source) for source in sources]
    machine = imported_machine(machine_behind(sources[0]), sources)
    text = write_tree(machine)
    loaded = load(Path("machine.yaml"), "machine.yaml", text.encode())
    if loaded.machine != machine:
        yield "the spec is read as another machine"
        return
    again = sources_of_spec(loaded, "machine")
    if [listed(source) for source in again] != before:
        yield "the spec gives other tables"
    root = dts.read(idle_source.render(machine, idle_source.WHOLE, ()), "machine.dts")
    lists = [one for one in idle_nodes.lists_of(root, "machine.dts") if one.nodes() or one.domains]
    if [comparable(one) for one in lists] != before:
        yield "the generated source gives other tables"


def main() -> int:
    parser = argparse.ArgumentParser("python -m tools.tree_specs", description=__doc__)
    parser.add_argument("tree")
    parser.add_argument("-v", action="store_true", dest="verbose")
    arguments = parser.parse_args()
    counts: Counter[str] = Counter()
    for board, sources in distinct(arguments.tree):
        counts["machines"] += 1
        counts["tables"] += len(sources)
        try:
            found = list(differences(sources))
        except CannotGenerate as error:
            counts["not imported"] += 1
            for finding in error.findings:
                print(f"{board}: {finding.message}")
            continue
        counts["as before" if not found else "not as before"] += 1
        for difference in found:
            print(f"{board}: {difference}")
        if arguments.verbose:
            print(board)
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return int(counts["not as before"] > 0)


if __name__ == "__main__":
    sys.exit(main())
