"""Conditionals that an edit must not lie under: those on names that only a build gives, with -D."""

import re

from ...reading import limits
from ..c_table.builtin import preprocess
from .source import EditRefused, SourceText, TableText

MAX_NAMES = limits.C_CONDITION_NAMES
"""Far beyond any C that people write; a limit on hostile text."""
_CONDITION = re.compile(
    r"^[ \t]*\#[ \t]*(?:el)?if(?:n?def)?\b((?:[^\n\\]|\\\r?\n|\\)*)", re.MULTILINE
)
_NAME = re.compile(r"\b[A-Za-z_]\w*", re.ASCII)


def refuse_undecided(source: SourceText, table: TableText) -> None:
    """Raises EditRefused if defining a name that only a build gives (with -D) would change the
    table's text: it is then not known which branch is compiled, and an edit of one of them may
    change nothing."""
    start, end = table.array.name.start, table.array.initialiser.end
    names = _open_names(source)
    for chosen in (*([name] for name in names), names):
        defines = source.defines | dict.fromkeys(chosen, "1")
        other = preprocess(source.text, defines).code
        for at in range(start, end):
            if other[at] != source.clean.code[at]:
                raise _refused(source, chosen, at)


def _refused(source: SourceText, names: list[str], at: int) -> EditRefused:
    """The exception to raise: its place is the last conditional on one of `names` before offset
    `at`."""
    place = at, at + 1
    for match in _CONDITION.finditer(source.text, 0, at):
        if set(names) & set(_NAME.findall(match[1])):
            place = match.span()
    return EditRefused(
        f"expected a table that is the same in every build, found it depends on "
        f"{' and '.join(names)}, which neither the file nor the tree's headers define; change it "
        "by hand",
        *place,
    )


def _open_names(source: SourceText) -> list[str]:
    """Returns the names in conditions that neither the file nor a known header defines."""
    own = {macro.name for macro in source.clean.definitions.own()}
    found: dict[str, None] = {}
    for match in _CONDITION.finditer(source.text):
        for name in _NAME.findall(match[1]):
            known = source.clean.definitions.lookup(name, match.start()) is not None
            if name != "defined" and name not in own and not known:
                found[name] = None
        if len(found) > MAX_NAMES:
            message = f"expected at most {MAX_NAMES} names in conditionals, found more"
            raise EditRefused(message, *match.span())
    return list(found)
