"""A rule's page as it is read, from the docstring it is written in.

"Example" may begin from a tree that pages share, whose name stands in its first line, and "Use
instead" be such a tree. What differs, in "Use instead" from "Example", is written as in a patch:
"- " before each line that goes, "+ " before each that comes, "  " before one that stays and says
where.
"""

from ...base.patterns import pattern

EXAMPLE, INSTEAD, GROUND = "\nExample\n", "\nUse instead\n", "\nGround\n"
_INDENT = "    "
_MARKS = ("- ", "+ ", "  ")
_TREE = pattern(r"([A-Z_]+) of trees\.py(?:, but)?")


class WrongPage(ValueError):
    """A difference that is not one to what the page says it differs from."""


def spelled_out(written: str) -> str:
    """Returns the page with both examples in full. Raises WrongPage."""
    head, found, rest = written.partition(EXAMPLE)
    first, instead, rest = rest.partition(INSTEAD)
    second, ground, after = rest.partition(GROUND)
    if not found or not ground:
        return written
    example = _example(_lines(first), [])
    wanted = _example(_lines(second), example)
    indented = (
        "".join(f"{_INDENT}{line}\n" if line else "\n" for line in lines)
        for lines in (example, wanted)
    )
    return "".join((head, EXAMPLE, next(indented), instead, next(indented), ground, after))


def _lines(body: str) -> list[str]:
    return [line.removeprefix(_INDENT) for line in body.rstrip().split("\n")]


def _example(lines: list[str], other: list[str]) -> list[str]:
    """Returns the lines of an example in full. other: an example that they may differ from."""
    if tree := _TREE.fullmatch(lines[0]):
        from . import trees

        text: str = getattr(trees, tree[1])
        return _changed(text.rstrip().split("\n"), lines[1:])
    marked = lines[0].startswith(_MARKS) and any(line.startswith(_MARKS[:2]) for line in lines)
    return _changed(other, lines) if marked else lines


def _changed(example: list[str], changes: list[str]) -> list[str]:
    """Returns an example's lines with changes made, each at the first place behind the last one."""
    wanted: list[str] = []
    at = 0
    for change in changes:
        mark, line = change[:2], change[2:].rstrip()
        if mark == "+ ":
            wanted.append(line)
            continue
        if line not in example[at:]:
            raise WrongPage(f"expected a line of the Example below its line {at}, found {line!r}")
        found = example.index(line, at)
        wanted += example[at : found if mark == "- " else found + 1]
        at = found + 1
    return wanted + example[at:]
