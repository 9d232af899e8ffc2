"""Changes in how a driver's source uses a table: what chooses, registers and changes it."""

from collections.abc import Iterator
from itertools import zip_longest

from ...base.model.beyond_opal import BuiltIn, TableUse
from ...tables.diff.tables import ABSENT, Difference
from ...tables.sources import Source

_OF_LIST = ".state_table"
"""A struct idle_cpu that names the table: its members are the processors' (`processors`)."""


def uses_of(built_in: BuiltIn) -> tuple[TableUse, ...]:
    """The driver's uses of a table, but for those that say which processors have it."""
    return tuple(use for use in built_in.uses if not use.text.startswith(_OF_LIST))


def used_otherwise(a: Source, b: Source) -> Iterator[Difference]:
    """The statements that differ, function by function. Both sources must have tables."""
    old, new = _by_function(a), _by_function(b)
    for function in dict.fromkeys([*old, *new]):
        before, after = old.get(function, []), new.get(function, [])
        gone = [text for text in before if text not in after]
        come = [text for text in after if text not in before]
        where = f"in {function}()" if function else "in a list"
        for left, right in zip_longest(gone, come, fillvalue=ABSENT):
            yield Difference("table", where, left, right)


def _by_function(source: Source) -> dict[str, list[str]]:
    """Function -> its statements with the table, each with the conditions around it."""
    assert source.table is not None
    found: dict[str, list[str]] = {}
    for use in uses_of(source.table.origin) if source.table.origin.form == "driver" else ():
        found.setdefault(use.function, []).append(" ".join((*use.conditions, use.text)))
    return found
