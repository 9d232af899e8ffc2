"""Tables of a tree of sources that were met before: the boards of a tree share most of theirs.

Two boards have one table if all that is read of their CPUs and idle states is equal, and the same
files write to these nodes, so that each value has the same place.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from ..beyond_opal import IdleList
from ..devicetree.dts import PreparedSource
from ..devicetree.source_trees import Kept
from ..findings import Location
from .source import Source

_LABELS = re.compile(r"(?:\b\w+\s*:\s*)+\Z")
_NEAR = 200
"""How far before a node's name its labels are looked for, in characters."""
_PHANDLES = ("phandle", "linux,phandle")


def met_before(
    lists: tuple[IdleList, ...],
    source: PreparedSource,
    kept: Kept,
    digest: str,
    read: Callable[[], list[Source]],
) -> list[Source]:
    """The sources of a tree with these lists, which have no places: those of an equal tree, else
    what `read` gives. digest: SHA-256 of the source."""
    content = repr(_values(lists[0]))
    key = hashlib.sha256(repr((content, _writers(lists, source, kept))).encode()).hexdigest()
    found = kept.sources.get(key)
    if found is None:
        found = kept.sources[key] = [replace(each, alike=key) for each in read()]
        return found
    return [_of(each, source.file, digest) for each in found]


def _of(source: Source, file: str, digest: str) -> Source:
    table = source.table
    if table is not None:
        table = replace(table, origin=replace(table.origin, file=file, sha256=digest))
    return replace(source, file=file, sha256=digest, table=table)


def _values(value: Any) -> Any:
    """All that a value holds but places and phandles, which dtc gives by the order of nodes."""
    if isinstance(value, Location):
        return None
    if is_dataclass(value):
        return [_values(getattr(value, field.name)) for field in fields(value)]
    if isinstance(value, Mapping):
        pairs = ((name, _values(held)) for name, held in value.items() if name not in _PHANDLES)
        return sorted(pairs, key=lambda pair: str(pair[0]))
    if isinstance(value, tuple):
        return [_values(held) for held in value]
    return value


def _writers(lists: tuple[IdleList, ...], source: PreparedSource, kept: Kept) -> list[str]:
    """The files that may write to the nodes: that open them by name or label."""
    names = sorted({re.escape(path.rpartition("/")[2]) for path in _paths(lists)})
    text = source.text.decode("utf-8", "replace")
    labels: set[str] = set()
    for opened in re.finditer(rf"(?:{'|'.join(names)})\s*\{{", text):
        before = _LABELS.search(text, max(0, opened.start() - _NEAR), opened.start())
        labels |= set(re.findall(r"\w+", before[0])) if before else set()
    references = "".join(rf"|&{label}" for label in sorted(labels))
    # a reference in a value writes nothing
    words = rf"(?:(?:{'|'.join(names)})\}}?{references})\s*\{{"
    pattern = re.compile(words)
    known = kept.writers.setdefault(words, {})
    for file, held in source.texts.items():
        if file not in known:
            known[file] = bool(pattern.search(held))
    return sorted(file for file in source.texts if known[file])


def _paths(lists: tuple[IdleList, ...]) -> Iterator[str]:
    for listed in lists:
        yield from listed.cpus
        yield from (node.path for node in (*listed.nodes(), *listed.domains, *listed.unlisted))
        yield from (domain.path for domain in listed.power_domains)
