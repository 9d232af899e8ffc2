"""The picture of kernels: a time line of releases, with what each of them changes."""

from collections.abc import Iterator

from ...base.report.html import markers
from ...base.report.html.markers import RowEvent
from ...base.report.sheet import NO_NUMBERS, Picture, Rows
from ..selection.words import circumstances
from .moves import Move, Moves

_SELECTED, _REGISTERED, _STILL = 0, 1, 3
"""Numbers of markers."""


def time_line(found: Moves, still: str) -> Picture:
    """Returns the releases in order, a row for what changes alike. still: names the last row."""
    kernels = [each.step[1] for each in found.moves] + [each.step[1] for each in found.still]
    names = [name for _, name in sorted({(kernel.version, kernel.name) for kernel in kernels})]
    rows: dict[str, list[RowEvent]] = {}
    for move in found.moves:
        for label, marker, words in _changes(move):
            rows.setdefault(label, []).append(RowEvent(move.step[1].name, words, marker))
    for each in found.still:
        words = ", ".join(change.feature for change in each.changes)
        rows.setdefault(still, []).append(RowEvent(each.step[1].name, words, _STILL))
    caption = "Releases that change something"
    events = [(label, event) for label, some in rows.items() for event in some]
    listed = sorted(events, key=lambda event: names.index(event[1].at))
    table = tuple((event.at, label, event.words) for label, event in listed)
    return markers.along(
        caption,
        "A row for what is registered, for each of the circumstances in which the governor "
        "selects, and for changes without effect; a marker at each release that changes it.",
        rows,
        (names, "releases that change something, in order"),
        {_REGISTERED: "registered", _SELECTED: "selected", _STILL: "no effect"},
        Rows(("Release", "What", "Change"), table, caption, NO_NUMBERS),
    )


def _changes(move: Move) -> Iterator[tuple[str, int, str]]:
    """Yields (row, marker, what changes, by which commits)."""
    commits = (cause.origin.commit or "commit not known" for cause in move.causes)
    by = ", ".join(dict.fromkeys(commits))
    of = f" ({by})" if by else ""
    for mapped, some in move.maps:
        words = (f"{'/'.join(each.a)} -> {'/'.join(each.b)}" for each in some)
        yield circumstances(mapped), _SELECTED, f"{'; '.join(dict.fromkeys(words))}{of}"
    registered = [f"{each.path}: {each.a} -> {each.b}" for each in move.registered]
    registered += [f"{move.at.governor} begins to select"] if move.begins and move.at else []
    if registered:
        yield "What is registered", _REGISTERED, f"{'; '.join(registered)}{of}"
