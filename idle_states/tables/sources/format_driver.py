"""C source of a Linux cpuidle driver, in its tree."""

import re
from pathlib import Path

from ...base.model.findings import unreadable
from ...base.reading import limits, opening
from .source import File, Source

_TABLE = re.compile(rb"\bstruct\s+cpuidle_(?:driver|state)\s[^;(){}=]{1,300}=\s*\{")


def recognises(head: bytes, path: Path) -> bool:
    return not path.suffix.startswith(".y") and has_table(head)


def has_table(data: bytes) -> bool:
    """Tells whether a source's bytes seem to have a table."""
    return bool(_TABLE.search(data, 0, 4 * limits.C_CHARACTERS))


def read(file: File) -> list[Source]:
    from ..linux.built_in import in_tree, reader
    from ..linux.built_in.headers import tree_above

    if len(file.text) > limits.C_CHARACTERS:
        raise unreadable(file.shown, f"expected at most {limits.C_CHARACTERS} characters")
    # without its links: a tree is where the file lies
    path = file.path.resolve()
    top = tree_above(path)
    if top is None:
        tables = reader.read(file.text, file.shown, defines={}, sha256=file.sha256)
    else:
        inner = path.relative_to(top).as_posix()
        with opening.Tree(top) as tree:
            tables = in_tree.tables_in(tree, inner, file.text, file.shown, file.sha256)
    if not tables:
        message = "expected a struct cpuidle_driver or cpuidle_state with states, found none: "
        raise unreadable(file.shown, f"{message}the driver makes them when it starts")
    return file.sources(tables)
