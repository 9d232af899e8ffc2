"""Machines: the idle states of an Arm or RISC-V tree or spec as a whole, of which each list of its
CPUs is one table."""

import re
from collections.abc import Sequence
from pathlib import PurePath

from ...base.dataclass import replace
from ...base.model.findings import CannotGenerate
from ...base.model.idle_tree import IdleTree
from ..devicetree.idle_import import read_machine
from ..devicetree.tree import Node
from .source import Source


def is_machine(sources: Sequence[Source]) -> bool:
    """Tells whether these are the tables of one machine of Arm or RISC-V."""
    return bool(sources) and all(
        source.table is not None and source.table.origin.form == "nodes" for source in sources
    )


def is_whole_machine(sources: Sequence[Source]) -> bool:
    """Tells whether these are all the tables of one machine of Arm or RISC-V."""
    table = sources[0].table if is_machine(sources) else None
    if table is None or table.origin.form != "nodes":
        return False
    listing = [one for one in table.origin.of_tree if one.nodes() or one.domains or one.broken]
    return len(sources) == len(listing)


def machine_behind(source: Source, name: str | None = None) -> IdleTree:
    """Returns the Arm or RISC-V machine a table was read from. name: None: derived from the file's.

    Raises CannotGenerate (IS933) with all that a spec cannot say of a tree.
    """
    found = source.machine
    if found is None:
        assert source.table is not None
        assert source.table.origin.form == "nodes"
        lists = source.table.origin.siblings
        try:
            found = read_machine(
                source.tree or Node(""), lists, valid_name(PurePath(source.file).stem)
            )
        except CannotGenerate as error:
            raise CannotGenerate(error.findings, source.texts) from None
    return found if name is None else replace(found, name=name)


def valid_name(text: str) -> str:
    """Returns a name that a spec may have, made of a file's or a table's."""
    made = re.sub(r"[^A-Za-z0-9_.@-]+", "-", text).strip("-.@")
    return made if made[:1].isalpha() else f"imported-{made}".rstrip("-")
