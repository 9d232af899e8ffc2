"""select with several kernels or tables: what changes, for people and for programs."""

from collections.abc import Sequence

from ...base.report.escapes.text import printable
from ...base.report.style import Style
from ...base.wording import joined
from ..linux.governors import not_utilised
from .idle_lengths import lengths
from .said import aligned, grouped, title
from .selection import Mapped, SelectionChange, TableSelection

Changed = Sequence[tuple[TableSelection, list[tuple[Mapped, list[SelectionChange]]]]]


def text(first: TableSelection, changed: Changed, style: Style) -> str:
    """Returns a block of lines for each selection that is compared with the first."""
    lines = [f"From  {title(first)}"]
    for other, maps in changed:
        lines += ["", style("strong", f"to    {title(other)}")]
        if not maps:
            beside = "" if other.domains == first.domains else " but what power domains enter"
            lines.append(f"  nothing changes{beside}")
        for titles, different in grouped((mapped, tuple(some)) for mapped, some in maps):
            lines += ["", *titles]
            lines += aligned(
                (
                    lengths(change.first_ns, change.last_ns),
                    f"{each(change.a)} -> {each(change.b)}",
                )
                for change in different
            )
        lines += reach(first, other)
    selections = (first, *(other for other, _ in changed))
    if said := not_utilised(first.governor, [selection.release for selection in selections]):
        lines += ["", *said]
    return "\n".join(lines) + "\n"


def reach(first: TableSelection, other: TableSelection) -> list[str]:
    """Returns sentences on states that both tables have but only one selection takes."""
    before, now = ({s.names[i] for i in s.unreachable} for s in (first, other))
    found = []
    for label, names in (("Never selected any more", now - before), ("Selected now", before - now)):
        known = [name for name in first.names if name in names and name in other.names]
        if known:
            found += ["", f"{label}: {printable(joined(known))}"]
    return found


def each(names: Sequence[str]) -> str:
    """Returns the names of what is selected in turn as one word, a/b."""
    return "/".join(names)
