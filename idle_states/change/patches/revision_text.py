"""The report on a revision that `patch` adds to a skiboot tree, for mails and the terminal."""

from collections.abc import Iterator, Sequence

from ...base.model.findings import Location
from ...base.report.escapes.text import printable
from ...base.report.tables import wrapped
from ...base.wording import joined, plural
from .by_hand import LeftByHand
from .revision import AddedRevision

_WIDTH = 72


def subject(made: AddedRevision) -> str:
    """The subject of the patch's mail."""
    if made.array is None:
        return f"slw: Take {made.claim.array} for {made.claim}"
    return f"slw: Add {made.claim.array} for {made.claim}"


def body(made: AddedRevision, differences: Sequence[str]) -> str:
    """The message of the patch's mail. differences: lines that tell the table from the one that it
    stands beside."""
    claim = made.claim
    lines = wrapped(f"Take {claim.array} for {claim}. {_before(made)}", "", "", room=_WIDTH)
    if made.names:
        names = joined([name for _, name in made.names])
        lines += ["", *wrapped(f"Add the names that this needs: {names}.", "", "", room=_WIDTH)]
    if made.left:
        lines += ["", *wrapped(_incomplete(made.left), "", "", room=_WIDTH)]
    if differences:
        lines += ["", f"Other than in {made.before or made.beside}:", "", *differences]
    return "".join(f"{line}\n" for line in lines)


def _before(made: AddedRevision) -> str:
    if made.before:
        return f"These machines took {made.before}; the others keep theirs."
    return "skiboot did not know these chips; the others keep theirs."


def _incomplete(left: Sequence[LeftByHand]) -> str:
    count = plural(sum(len(each.lines) for each in left), "line")
    return (
        f"The new generation needs more: {count} in {plural(len(left), 'file')} of this tree "
        "name the one beside it and not the new one."
    )


def added_lines(made: AddedRevision) -> Iterator[str]:
    """Yields a line for each thing that comes, with its place in the tree."""
    claim = made.claim
    if made.array is not None:
        yield f"{_at(made.array)}: {claim.array} added after {made.beside}"
    if made.case is not None:
        before = f", which took {made.before}" if made.before else ""
        yield f"{_at(made.case)}: {claim.array} used for {claim}{before}"
    for header, name in made.names:
        yield f"{header}: {name} added"


def _at(where: Location) -> str:
    return printable(f"{where.file}:{where.line}:{where.column}")


def left_lines(left: Sequence[LeftByHand]) -> list[str]:
    """Returns the edits left to be made by hand: a sentence, then lines for each file."""
    if not left:
        return []
    head = f"{_incomplete(left)} Check by hand (lines as after this patch):"
    lines = [*wrapped(head, "", "", room=_WIDTH), ""]
    for each in left:
        numbers = ", ".join(map(str, each.lines))
        lines += wrapped(f"{printable(each.file)}: {numbers}", "  ", "      ", room=_WIDTH)
    return lines
