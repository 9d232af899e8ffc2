"""kernels --table: where a table's selection changes, a section for each change."""

from collections.abc import Iterable

from ...base.report.sheet import NO_NUMBERS, Lines, Part, Rows, Section, Sheet
from ...base.wording import joined, plural
from ..selection.idle_lengths import lengths
from ..selection.said import circumstances
from . import said as kernels_text
from .moves import Move, Moves

_NAMED = 3
"""Up to so many changes are named in the headline, those of the most maps first."""


def _headline(found: Moves) -> tuple[str, ...]:
    """How many steps change something, and which change most."""
    if not found.moves:
        return (f"None of {plural(found.steps, 'step')} from release to release changes anything",)
    moves = kernels_text.alike(found.moves)
    first = (
        f"{len(found.moves)} of {plural(found.steps, 'step')} from release to release "
        f"{'changes' if len(found.moves) == 1 else 'change'} what is registered or selected"
    )
    most = sorted(moves, key=lambda each: -len(each[1].maps))[:_NAMED]
    return (first, *(f"{', '.join(steps)}: {_much(move)}" for steps, move in most))


def _much(move: Move) -> str:
    said = []
    if move.maps and move.at is not None:
        said.append(f"{len(move.maps)} of {plural(len(move.at.maps), 'map')}")
    if move.registered:
        said.append(plural(len(move.registered), "difference") + " in what is registered")
    return joined(said) or "the governor begins to select"


def sheet(found: Moves) -> Sheet:
    """Returns the page's contents."""
    parts = []
    for steps, move in kernels_text.alike(found.moves):
        parts.append(Section(", ".join(steps), tuple(_parts(move))))
    if found.still:
        rows = tuple((", ".join(at), *words) for at, words in kernels_text.still(found.still))
        caption = f"Other changes of {found.request.of.governor}"
        table = Rows(("At", "Commit", "Features"), rows, caption, NO_NUMBERS)
        parts.append(Section("Changes that move no map", (table,)))
    looked = tuple(kernels_text.summary(found))
    about = Section("What was looked at", (Lines(looked),))
    return Sheet(kernels_text.title(found), _headline(found), tuple(parts), about)


def _parts(move: Move) -> list[Part]:
    parts: list[Part] = []
    said = [line for cause in move.causes for line in kernels_text.because(cause, move)]
    if move.begins and move.at is not None:
        said.insert(0, f"{move.at.governor} begins to select here")
    if move.registered:
        states = tuple((each.path, each.a, each.b) for each in move.registered)
        parts.append(Rows(("What", "Before", "Now"), states, "What is registered", NO_NUMBERS))
    if move.maps:
        rows = tuple(
            (circumstances(mapped), lengths(c.first_ns, c.last_ns), "/".join(c.a), "/".join(c.b))
            for mapped, some in move.maps
            for c in some
        )
        head = ("Circumstances", "Idle lengths", "Before", "Now")
        parts.append(Rows(head, rows, "What is selected", NO_NUMBERS))
    if said:
        parts.append(Lines(_joined(said)))
    return parts


def _joined(lines: Iterable[str]) -> tuple[str, ...]:
    """Lines that a terminal's width has broken, whole again: their rest is indented deeper."""
    found: list[str] = []
    for line in lines:
        if line.startswith("   ") and found:
            found[-1] = f"{found[-1]} {line.strip()}"
        else:
            found.append(line.strip())
    return tuple(found)
