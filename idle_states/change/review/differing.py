"""The tables that differ between commits; of a merge, those that differ from every parent's."""

from collections.abc import Sequence

from ...base.dataclass import replace
from ...tables.sources import Source
from .match import in_same_place, is_same, pairs
from .tree import End


def _between(before: End, after: End) -> list[tuple[Source | None, Source | None]]:
    """Pairs of tables that differ, without tables of files that are unread at one end."""
    unread = before.unread | after.unread
    old = [source for source in before.sources if source.file not in unread]
    new = [source for source in after.sources if source.file not in unread]
    return [
        (a, b)
        for a, b in pairs(old, new)
        if a is None or b is None or is_changed(a, b) or not in_same_place(a, b)
    ]


def is_changed(before: Source, after: Source) -> bool:
    return not is_same(before, after) or before.file != after.file


def differing(
    before: End, after: End, others: Sequence[End]
) -> list[tuple[Source | None, Source | None]]:
    """Pairs of tables that differ; for a merge only those that differ from every parent's."""
    changed = [_between(other, after) for other in others]
    return [
        (a, b)
        for a, b in _between(before, after)
        if all(
            any(new is b if b else new is None and _same_place(old, a) for old, new in one)
            for one in changed
        )
    ]


def counterpart(
    before: Source | None, after: Source | None, other: End, merged: End
) -> Source | None:
    """The table as the other parent has it."""
    for a, b in pairs(other.sources, merged.sources):
        if b is after if after else _same_place(a, before):
            return a
    return None


def _same_place(a: Source | None, b: Source | None) -> bool:
    return a is not None and b is not None and (a.name, a.file) == (b.name, b.file)


def comparable(before: Source | None, after: Source | None) -> tuple[Source, Source] | None:
    """Both sources. If one is missing, the other without its rows stands for it. None if one of
    them could not be read as a table."""
    one = before or after
    if one is None or any(source and source.table is None for source in (before, after)):
        return None
    assert one.table is not None
    empty = replace(one, table=replace(one.table, states=()))
    return before or empty, after or empty
