"""Tables of a tree of sources that were met before: the boards of a tree share most of theirs.

Two boards have one table if all that is read of their CPUs and idle states is equal, and the same
files write to these nodes, so that each value has the same place.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Set
from functools import cache
from typing import Any

from ...base.dataclass import fields, is_dataclass, replace
from ...base.model.beyond_opal import IdleList
from ...base.model.findings import Location
from ..devicetree.dts import PreparedSource
from ..devicetree.idle_nodes import LIST, METHOD
from ..devicetree.source_trees import Kept
from .source import Source

_LABELS = re.compile(r"(?:\b\w+\s*:\s*)+\Z")
_OF_CPUS = re.compile(rf"{LIST}|{METHOD}|device_type|power-domain|/delete-node/")
"""The words of a file that writes anything that is read of CPUs, or takes them away."""
_NEAR = 200
"""The distance before a node's name within which its labels are looked for, in characters."""
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
    content = repr(_values(lists[0], {}))
    key = hashlib.sha256(repr((content, _writers(lists, source, kept))).encode()).hexdigest()
    found = kept.sources.get(key)
    if found is None:
        found = kept.sources[key] = [replace(each, alike=key) for each in read()]
        return found
    return [_of(each, source.file, digest) for each in found]


def _of(source: Source, file: str, digest: str) -> Source:
    table = source.table
    if table is not None:
        table = replace(table, read_from=replace(table.read_from, file=file, sha256=digest))
    return replace(source, file=file, sha256=digest, table=table)


def _values(value: Any, met: dict[int, int]) -> Any:
    """All that a value holds but places and phandles, which dtc gives by the order of nodes. What
    was met before is its number. met: id of an object -> its number."""
    if isinstance(value, (str, bytes, int)) or value is None:
        return value
    if isinstance(value, Location):
        return None
    if id(value) in met:
        return {met[id(value)]}
    met[id(value)] = len(met)
    if isinstance(value, tuple):
        return [_values(held, met) for held in value]
    if is_dataclass(value):
        return [_values(getattr(value, name), met) for name in _names(value.__class__)]
    assert isinstance(value, Mapping)
    pairs = ((name, _values(held, met)) for name, held in value.items() if name not in _PHANDLES)
    return sorted(pairs, key=lambda pair: str(pair[0]))


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _writers(lists: tuple[IdleList, ...], source: PreparedSource, kept: Kept) -> list[str]:
    """The files that may write what is read of the nodes: that open them by name or label; those of
    CPUs with lists of their own only where they write anything that is read of CPUs."""
    cpus = {path.rpartition("/")[2] for listed in lists for path in listed.cpus}
    states = {path.rpartition("/")[2] for path in _paths(lists)}
    if not all(listed.flat for listed in lists):
        # a node's own place is where it was opened last
        cpus, states = set(), states | cpus
    names = "|".join(map(re.escape, sorted(cpus | states)))
    text = source.text.decode("utf-8", "replace")
    labels: dict[bool, set[str]] = {True: set(), False: set()}
    for opened in re.finditer(rf"({names})\s*\{{", text):
        before = _LABELS.search(text, max(0, opened.start() - _NEAR), opened.start())
        labels[opened[1] in states] |= set(re.findall(r"\w+", before[0])) if before else set()
    known = kept.writers.setdefault(f"{names} {sorted(labels[True])} {sorted(labels[False])}", {})
    if missing := source.texts.keys() - known.keys():
        write_states = _opening(states, labels[True])
        write_cpus = _opening(cpus, labels[False])
        for file in missing:
            held = source.texts[file]
            known[file] = bool(
                write_states.search(held) or (_OF_CPUS.search(held) and write_cpus.search(held))
            )
    return sorted(file for file in source.texts if known[file])


def _opening(names: Set[str], labels: Set[str]) -> re.Pattern[str]:
    """Returns a pattern for writes to nodes; a reference in a value writes nothing."""
    words = [rf"{re.escape(name)}\}}?" for name in sorted(names)]
    words += [f"&{label}" for label in sorted(labels)]
    return re.compile(rf"(?:{'|'.join(words)})\s*\{{" if words else r"(?!)")


def _paths(lists: tuple[IdleList, ...]) -> Iterator[str]:
    """Yields the paths of the nodes of states and power domains."""
    for listed in lists:
        yield from (node.path for node in (*listed.nodes(), *listed.domains, *listed.unlisted))
        yield from (domain.path for domain in listed.power_domains)
