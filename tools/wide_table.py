"""Tables of the pages that are made."""

from collections.abc import Iterable, Sequence


def wide_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown, a line for each row, however wide."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(line).replace("\n", " ") + " |\n" for line in lines)
