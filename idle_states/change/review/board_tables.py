"""The tables of boards, as reviews compare them: those that boards share stand there once."""

import hashlib
from collections.abc import Iterator, Sequence

from ...base.dataclass import replace
from ...base.model.beyond_opal import IdleList, ListedNode
from ...base.model.table import IdleTable
from ...tables.devicetree.board_builds import BuiltBoard
from ...tables.sources import Source
from ...tables.sources.trees import sources_of

_PHANDLES = ("phandle", "linux,phandle")


def sources_on(
    board: BuiltBoard, boards: Sequence[str], parts: Sequence[frozenset[str]]
) -> Iterator[Source]:
    """The tables of a board, with their places.

    boards  all that have the same ones
    parts   CPUs that have one table at every commit: those of other parts have one of their own
            here, even if it is the same
    """
    digest = hashlib.sha256(board.source.text).hexdigest()
    texts = board.source.texts
    for source in sources_of(board.root, board.shown, "dts", digest, board.places, texts):
        plain = replace(source, tree=None, boards=tuple(boards))
        if source.table is None or source.table.origin.form != "nodes":
            yield plain
            continue
        table = without_phandles(source.table)
        assert table.origin.form == "nodes"
        siblings = tuple(each for one in table.origin.siblings for each in _split(one, parts))
        for listed in _split(table.origin, parts):
            of_part = replace(listed, siblings=siblings)
            own = replace(table, name=listed.cpus[0], origin=of_part)
            yield replace(plain, name=own.name, table=own)


def _split(listed: IdleList, parts: Sequence[frozenset[str]]) -> Iterator[IdleList]:
    """A list for the CPUs of each part that have it."""
    for part in parts:
        kept = [at for at, cpu in enumerate(listed.cpus) if cpu in part]
        if kept:
            cpus = tuple(listed.cpus[at] for at in kept)
            yield replace(listed, cpus=cpus, numbers=tuple(listed.numbers[at] for at in kept))


def parted(versions: Sequence[Sequence[IdleList]]) -> list[frozenset[str]]:
    """The CPUs of a board, those together that share a list in every version of it."""
    groups: dict[tuple[int, ...], set[str]] = {}
    maps = [{cpu: at for at, each in enumerate(lists) for cpu in each.cpus} for lists in versions]
    for cpu in dict.fromkeys(cpu for known in maps for cpu in known):
        groups.setdefault(tuple(known.get(cpu, -1) for known in maps), set()).add(cpu)
    return [frozenset(group) for group in groups.values()]


def without_phandles(table: IdleTable) -> IdleTable:
    """The table without the numbers that dtc gives nodes: they change with any other node."""
    if table.origin.form != "nodes":
        return table
    siblings = without_phandle_lists(table.origin.siblings)
    return replace(table, origin=replace(_list(table.origin), siblings=siblings))


def key_of(lists: Sequence[IdleList]) -> str:
    """Equal for lists that differ in nothing but places and phandles."""
    plain = without_phandle_lists(lists)
    return repr([(each, each.power_domains, each.unlisted) for each in plain])


def without_phandle_lists(lists: Sequence[IdleList]) -> tuple[IdleList, ...]:
    """A tree's lists without their siblings, and without the numbers that dtc gives nodes."""
    return tuple(replace(_list(each), siblings=()) for each in lists)


def _list(listed: IdleList) -> IdleList:
    return replace(
        listed,
        flat=tuple(node and _node(node) for node in listed.flat),
        own_domain=tuple(node and _node(node) for node in listed.own_domain),
        above=tuple(tuple(map(_node, nodes)) for nodes in listed.above),
        unlisted=tuple(map(_node, listed.unlisted)),
        power_domains=tuple(
            replace(domain, states=tuple(node and _node(node) for node in domain.states))
            for domain in listed.power_domains
        ),
    )


def _node(node: ListedNode) -> ListedNode:
    left = {name: value for name, value in node.properties.items() if name not in _PHANDLES}
    return replace(node, properties=left)
