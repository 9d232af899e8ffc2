"""Specs: YAML, and any text that no other format recognises: the YAML parser then reports what is
wrong with it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ...base.dataclass import replace
from ...base.digests import sha256
from ...base.model.findings import unreadable
from ...base.patterns import pattern
from ...base.reading import limits, opening
from ...base.resources import is_packaged
from ..spec.library import load
from ..spec.loaded import LoadedSpec
from .source import File, Source, digest_with

if TYPE_CHECKING:
    from ...base.model.idle_tree import IdleTree


def recognises(head: bytes, path: Path) -> bool:
    return bool(head or opening.is_file(path)) and b"\0" not in head


_SIGNIFICANT = pattern(rb"^[ \t]*(?!#|---|%|\s)(.+)", re.MULTILINE)
_MAPPING = pattern(rb"[{\"']|[\w.-]+[ \t]*:(?:\s|$)")
_KEY = pattern(rb"^(\w+)[ \t]*:", re.MULTILINE)
_ASL = pattern(rb"^[ \t]*DefinitionBlock[ \t]*\(", re.MULTILINE)
_C = pattern(rb"^[ \t]*#[ \t]*include\b|^(?:static|struct|extern|typedef|int|void)\b", re.MULTILINE)


def speaks_of_it(data: bytes) -> bool:
    """Tells whether YAML has the keys of a spec."""
    from ..spec.keys import TOP_KEYS

    keys = {key.decode() for key in _KEY.findall(data)}
    inherits = "extends" in keys and len(keys.intersection(TOP_KEYS)) > 1
    return inherits or ("states" in keys and b"residency" in data)


def other_kind(data: bytes, path: Path) -> str:
    """Returns the fault of a text that is surely no spec; "" for what may be one. A text whose name
    ends as YAML's do is taken as a spec: the YAML parser then says what is wrong with it.

    Only as much is looked at as a spec may have.
    """
    data = data[: limits.SPEC_BYTES]
    first = _SIGNIFICANT.search(data)
    if not data and path.suffix not in ("", ".yaml", ".yml"):
        return "expected a spec or another form of a table, found an empty file"
    if path.suffix in (".yaml", ".yml") or first is None or _MAPPING.match(first[1]):
        return ""
    if _ASL.search(data):
        return (
            "expected ACPI tables as iasl compiles them (AML), found their source; run iasl on it"
        )
    if path.suffix in (".c", ".h") or _C.search(data):
        return "expected an array of struct cpu_idle_states, found C without one"
    return "expected a spec or another form of a table, found a text of another kind"


def read(file: File) -> list[Source]:
    if other := other_kind(file.data, file.path):
        raise unreadable(file.shown, other)
    top = file.found.top if file.found else None
    return sources(load(file.path, file.shown, file.data, top), file.path.stem)


def load_spec(path: Path) -> list[Source]:
    """Loads a packaged spec with its ancestors."""
    return sources(load(path), path.stem)


def sources(loaded: LoadedSpec, stem: str) -> list[Source]:
    """The table of a loaded spec, or those of its machine. stem: a name where it has none."""
    file = next(iter(loaded.sources))
    own = loaded.table.read_from.sha256 if loaded.table else sha256(loaded.sources[file].encode())
    # packaged parents are the tool's version's
    parents = [name for name in loaded.sources if name != file and not is_packaged(name)]
    digest = digest_with(own, (sha256(loaded.sources[name].encode()) for name in parents))
    if loaded.machine is not None:
        return list(_of_machine(loaded.machine, loaded, file, digest))
    name = loaded.name or stem
    return [
        Source(
            name,
            file,
            digest,
            loaded.table,
            loaded.findings,
            None,
            loaded.suppressions,
            loaded.sources,
        )
    ]


def _of_machine(
    machine: "IdleTree", loaded: LoadedSpec, file: str, digest: str
) -> Iterator[Source]:
    """The tables of the tree that the spec stands for, with what only the spec says of a state."""
    from ..devicetree import drafts
    from ..devicetree.idle_nodes import row_nodes
    from .trees import sources_of

    root = drafts.finished(drafts.whole(machine))
    path2state = {state.path: state for state in machine.states}
    for source in sources_of(root, file, "spec", digest, drafts.places_of(machine), loaded.sources):
        table = source.table
        if table is not None and table.origin.form == "nodes":
            written = [path2state[node.path] for node in row_nodes(table.origin)]
            rows = [
                replace(row, measured=s.measured, power=s.power, provenance=s.provenance)
                for row, s in zip(table.states, written, strict=True)
            ]
            table = replace(table, states=tuple(rows))
        yield replace(
            source,
            table=table,
            machine=machine,
            findings=(*loaded.findings, *source.findings),
            suppressions=loaded.suppressions,
        )
