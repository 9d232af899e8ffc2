"""The boards of a tree of sources that a user names, as inputs."""

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from ...base.dataclass import dataclass
from ...base.model.findings import UsageError
from ...base.reading.opening import Found, is_directory
from ...base.wording import joined
from ..devicetree.boards import Boards
from ..devicetree.source_trees import LAYOUTS, top_of
from .walk import Walk


@dataclass(frozen=True, slots=True)
class NamedBoards:
    """folder: as it was named; inner: its path in the tree, "." for the top."""

    folder: Path
    inner: str
    boards: Boards


def boards_of(folder: str) -> NamedBoards:
    """The boards of a tree, or of a folder in one. Raises UsageError for what is neither."""
    kinds = joined(list(dict.fromkeys(layout.name for layout in LAYOUTS)), "or")
    path = Path(folder)
    if not is_directory(path):
        raise UsageError(f"expected a directory for --tree, found {folder!r}")
    top, layout = top_of(os.path.realpath(path))
    if layout is None:
        raise UsageError(f"expected a tree of {kinds} for --tree, found {folder!r}")
    inner = path.resolve().relative_to(top).as_posix()
    return NamedBoards(path, inner, Boards(top, layout, "" if inner == "." else inner))


def with_idle_states(named: NamedBoards, walk: Walk) -> Iterator[Found]:
    """Those that may have idle states; the others are counted in `walk`."""
    for board in named.boards.files():
        if named.boards.has_idle_states(board):
            yield Found(named.folder, PurePosixPath(board).relative_to(named.inner).as_posix())
        else:
            walk.passed_over["boards without idle states"] += 1
