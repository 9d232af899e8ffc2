"""The results of an audit, one after the other."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path, PurePosixPath

from ...base.dataclass import dataclass, replace
from ...base.model.findings import Rejected, Unreadable, UsageError
from ...base.model.table import IdleTable
from ...base.reading import opening
from ...base.reading.opening import Found, is_directory
from ...base.wording import joined
from ..devicetree.boards import Boards
from ..devicetree.source_trees import LAYOUTS, top_of
from ..devicetree.tree import Node
from ..linux.governors.interface import State
from ..linux.platforms import knowing
from ..linux.releases import NEWEST, release
from ..selection.selection import settling_of
from ..sources import MAX_BYTES, File, read_file
from ..sources.walk import Walk, other_kind
from .audit import Setting
from .audited import Audited
from .brief import Brief
from .fleet import audit_all, audit_on
from .redact import redacted_name
from .request import AuditRequest


def setting_of(request: AuditRequest) -> Setting:
    """The settings for every input; reads the tree `against`, and the specs that are named or
    lie in a named folder, which may say the processors of the other inputs. Raises UsageError,
    UnknownGovernor, Unreadable, OSError."""
    if request.governor:
        # checked here, not once for every input
        settling_of(request.governor, release(NEWEST), [State(0, 0)], request.hz)
    platform = knowing(request.criteria.platform, _specs(request.inputs))
    return Setting(
        replace(request.criteria, platform=platform),
        request.redact,
        request.governor,
        request.hz,
        _tree(request.against) if request.against else None,
        request.acceptance.marking(),
    )


def shown_name(request: AuditRequest, setting: Setting) -> str | None:
    """Name of the tree `against` as reports may show it, redacted if that was asked for."""
    if request.against is None or not request.redact or setting.against is None:
        return request.against
    return redacted_name(request.against, setting.against)


def audit(
    request: AuditRequest,
    setting: Setting,
    walk: Walk,
    say: Callable[[str], None] = lambda message: None,
) -> Iterator[Sequence[Audited]]:
    """Yields the audits of each input, in order, with accepted findings marked as suppressed. say:
    is told of results that are kept. Raises Unreadable, OSError."""
    boards = [boards_of(tree) for tree in request.trees]
    counted = opening.STANDARD_INPUT not in request.inputs and not boards
    paths = chain(
        walk.inputs(request.inputs if counted else _names(request.inputs)),
        *(with_idle_states(each, walk) for each in boards),
    )
    if request.resume is None:
        yield from _audited(request, setting, paths)
        return
    from .results import AuditResults

    with AuditResults(request.resume, setting, say) as kept:
        yield from kept.passed(_audited(request, setting, kept.known(paths)))


def _audited(
    request: AuditRequest, setting: Setting, paths: Iterable[Path | Found | Brief]
) -> Iterator[Sequence[Audited]]:
    if request.scheduler:
        from ...base.cluster import connected

        with connected(request.scheduler) as workers:
            yield from audit_on(workers, paths, setting)
    else:
        yield from audit_all(paths, setting, request.jobs)


def _names(words: tuple[str, ...]) -> Iterator[str]:
    for word in words:
        if word == opening.STANDARD_INPUT:
            yield from opening.given_names()
        else:
            yield word


def _specs(names: Iterable[str]) -> Iterator[IdleTable | None]:
    """Yields the tables of specs that are named, or lie below a folder that is."""
    walk = Walk(other_kind=_no_spec)
    for where in walk.inputs(name for name in names if name != opening.STANDARD_INPUT):
        if where.as_posix().endswith(_YAML):
            # what is wrong with it is said where it is audited
            with suppress(Rejected, OSError):
                yield from (source.table for source in read_file(File.open(where)))


def _no_spec(tree: opening.Tree, found: Found) -> str:
    return other_kind(tree, found) if found.inner.endswith(_YAML) else "others"


_YAML = (".yaml", ".yml")


def _tree(name: str) -> Node:
    """Reads a device tree. Raises UsageError if the file holds none."""
    problem = "another kind of file"
    try:
        given = name == opening.STANDARD_INPUT
        data = opening.standard_input(MAX_BYTES) if given else None
        source = read_file(File.open(Path(name)) if data is None else File(Path(name), data))[0]
    except Unreadable as error:
        problem = error.findings[0].message
    else:
        if source.tree is not None:
            return source.tree
        problem = source.findings[0].message if source.findings else problem
    raise UsageError(f"expected a device tree for --against, found: {problem}")


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
    """Yields the boards that may have idle states; the others are counted in `walk`."""
    for board in named.boards.files():
        if named.boards.has_idle_states(board):
            yield Found(named.folder, PurePosixPath(board).relative_to(named.inner).as_posix())
        else:
            walk.passed_over["boards without idle states"] += 1
