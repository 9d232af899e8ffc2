"""The picture of kernels: a time line of releases, with what each of them changes."""

from collections.abc import Iterator

from ...base.report.html import markers, svg
from ...base.report.html.markers import Level
from ...base.report.sheet import NO_NUMBERS, Drawing, Picture, Rows
from ..selection.words import circumstances
from .moves import Move, Moves

_SELECTED, _REGISTERED, _STILL = 0, 1, 3
"""Numbers of markers."""


def time_line(found: Moves, still: str) -> Picture:
    """Returns the releases in order, a row for what changes alike. still: names the last row."""
    kernels = [each.step[1] for each in found.moves] + [each.step[1] for each in found.still]
    names = [name for _, name in sorted({(kernel.version, kernel.name) for kernel in kernels})]
    rows: dict[str, list[tuple[str, int, str]]] = {}
    for move in found.moves:
        for label, marker, words in _changes(move):
            rows.setdefault(label, []).append((move.step[1].name, marker, words))
    for each in found.still:
        words = ", ".join(change.feature for change in each.changes)
        rows.setdefault(still, []).append((each.step[1].name, _STILL, words))
    caption = "Releases that change something"
    events = [(label, *event) for label, some in rows.items() for event in some]
    listed = sorted(events, key=lambda event: names.index(event[1]))
    kinds = ((_REGISTERED, "registered"), (_SELECTED, "selected"), (_STILL, "moves nothing"))
    there = {marker for _, _, marker, _ in events}

    def draw() -> Drawing:
        levels = []
        for label, some in rows.items():
            values = tuple((marker, names.index(name)) for name, marker, _ in some)
            tips = tuple(f"{name}: {words}" for name, _, words in some)
            levels.append(Level(label, values, (0, len(names)), label, tips))
        drawn = markers.levels(
            caption,
            "A row for what is registered, for each of the circumstances in which the governor "
            "selects, and for changes that move nothing; a marker at each release that changes it.",
            levels,
            svg.named(names, "releases that change something, in order"),
        )
        return Drawing(drawn, tuple((svg.swatch_marker(n), k) for n, k in kinds if n in there))

    table = tuple((name, label, words) for label, name, _, words in listed)
    return Picture(draw, Rows(("Release", "What", "Change"), table, caption, NO_NUMBERS))


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
