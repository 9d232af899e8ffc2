"""Conditionals that an edit must not lie under: those on names that only a build gives, with -D."""

from ....base.reading.c.lexer import UnsupportedC
from ..c_table.conditions import other_builds, place_of
from .source import EditRefused, SourceText, TableText


def refuse_undecided(source: SourceText, table: TableText) -> None:
    """Raises EditRefused if defining a name that only a build gives (with -D) would change the
    table's text: it is then not known which branch is compiled, and an edit of one of them may
    change nothing."""
    start, end = table.array.name.start, table.array.initialiser.end
    try:
        for names, other in other_builds(source.clean, source.defines):
            for at in range(start, end):
                if other.code[at] != source.clean.code[at]:
                    raise _refused(source, names, at)
    except UnsupportedC as problem:
        raise EditRefused(problem.message, problem.start, problem.end) from None


def _refused(source: SourceText, names: list[str], at: int) -> EditRefused:
    """The exception to raise: its place is the last conditional on one of `names` before offset
    `at`."""
    return EditRefused(
        f"expected a table that is the same in every build, found it depends on "
        f"{' and '.join(names)}, which neither the file nor the tree's headers define; change it "
        "by hand",
        *place_of(source.clean, names, at),
    )
