"""C source of a Linux cpuidle driver, in its tree."""

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..findings import Unreadable, unreadable
from ..reading import limits, opening
from .source import File, Source

if TYPE_CHECKING:
    from ..table import IdleTable

_TABLE = re.compile(rb"\bstruct\s+cpuidle_(?:driver|state)\s[^;(){}=]{1,300}=\s*\{")


def recognises(head: bytes, path: Path) -> bool:
    return not path.suffix.startswith(".y") and bool(
        _TABLE.search(head, 0, 4 * limits.C_CHARACTERS)
    )


def read(file: File) -> list[Source]:
    from ..linux.built_in import reader
    from ..linux.built_in.headers import Headers, tree_above

    if len(file.text) > limits.C_CHARACTERS:
        raise unreadable(file.shown, f"expected at most {limits.C_CHARACTERS} characters")
    # without its links: a tree is where the file lies
    path = file.path.resolve()
    top = tree_above(path)
    if top is None:
        tables = reader.read(file.text, file.shown, defines={}, sha256=file.sha256)
    else:
        with opening.Tree(top) as tree:
            headers = Headers(tree, path.relative_to(top).as_posix())
            read_for = {
                arch: _tried(file, headers.definitions(file.text, arch), arch)
                for arch in headers.archs(file.text)
            }
        tables = _agreed(file, read_for)
    if not tables:
        message = "expected a struct cpuidle_driver or cpuidle_state with states, found none: "
        raise unreadable(file.shown, f"{message}the driver makes them when it starts")
    return file.sources(tables)


def _tried(file: File, defines: dict[str, str], arch: str) -> "list[IdleTable] | Unreadable":
    from ..linux.built_in import reader

    try:
        return reader.read(file.text, file.shown, defines=defines, arch=arch, sha256=file.sha256)
    except Unreadable as error:
        return error


def _agreed(file: File, arch2found: "dict[str, list[IdleTable] | Unreadable]") -> "list[IdleTable]":
    """The tables that the headers of all architectures give that define what the file needs."""
    good = {arch: found for arch, found in arch2found.items() if isinstance(found, list)}
    if not good:
        errors = [found for found in arch2found.values() if isinstance(found, Unreadable)]
        raise min(errors, key=lambda error: len(error.findings))
    archs = tuple(arch for arch in good if arch) if len(good) < len(arch2found) else ()
    first, *others = (
        [
            replace(table, built_in=table.built_in and replace(table.built_in, archs=archs))
            for table in found
        ]
        for found in good.values()
    )
    if any(other != first for other in others):
        known = ", ".join(good)
        message = f"expected one meaning of the table, found several: the headers of {known} differ"
        raise unreadable(file.shown, message)
    return first
