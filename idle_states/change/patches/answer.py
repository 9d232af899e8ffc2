"""Patches of a series or a table, applied in memory."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...base.dataclass import dataclass
from ...base.model.findings import Faulty, Finding, UsageError
from ...base.reading import opening
from ...base.wording import joined
from ...tables.sources import NoSuchTable, read_table
from ...tables.spec.library import find
from ...tables.spec.packaged import current
from .description import Patch
from .dts_machine import wanted_machine
from .dts_progress import Progress, changed_between
from .dts_step import Step
from .dts_towards import patch_towards, unlike
from .library import FORMER_NAMES, patch_for, series
from .plan import PRESENT, PatchStep, Plan, plan
from .request import PatchRequest
from .source_tree import SourcesTree
from .tree import PatchedTree
from .work_tree import WorkTree


@dataclass(frozen=True, slots=True)
class PreparedSeries:
    """The series applied in memory. absent: current revisions whose table the tree lacks."""

    plan: Plan
    absent: tuple[str, ...]

    @property
    def inputs(self) -> list[tuple[str, str]]:
        """Files that were read, with their SHA-256."""
        steps, tree = self.plan.steps, self.plan.tree
        found = [(step.patch.file, step.patch.sha256) for step in steps if step.patch.file]
        for name, text in tree.files.items():
            digest = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
            found.append(((tree.root / name).as_posix(), digest))
        return found


def patch(request: PatchRequest) -> PreparedSeries:
    """Reads the tree and the series and applies it in memory; nothing is written. Raises
    UsageError, NoSuchTable, Faulty, Unreadable."""
    if not opening.is_file(request.tree / "hw/slw.c"):
        sources = SourcesTree(request.tree)
        if request.file:
            made = _towards(sources, request)
        else:
            made = plan_sources(sources, _of_sources(request.series))
        _expect_committed(sources, request)
        return PreparedSeries(made, ())
    if request.file:
        raise UsageError("expected a tree of device-tree sources with --file, found skiboot's")
    tree = PatchedTree(request.tree)
    patches, absent = _patches(request.series, tree)
    _expect_committed(tree, request)
    return PreparedSeries(plan(tree, patches), tuple(absent))


def _expect_committed(tree: WorkTree, request: PatchRequest) -> None:
    if tree.modified and not (request.check or request.force):
        names = ", ".join(tree.modified[:5]) + (", ..." if len(tree.modified) > 5 else "")
        raise UsageError(
            f"expected a tree without uncommitted changes, found {names}; --force continues anyway"
        )


_MOST_MEANT = 5
"""Files of one name that are shown to choose from."""


def _towards(tree: SourcesTree, request: PatchRequest) -> Plan:
    """The patch of a file after which its boards have a TABLE's states."""
    assert request.series is not None
    path = tree.path(request.file) or tree.path(_inner(tree.root, request.file))
    if not path:
        name = os.path.basename(request.file)
        same = [found for found in tree.names() if name and os.path.basename(found) == name]
        hint = f"; did you mean {joined(same, 'or')}?" if 0 < len(same) <= _MOST_MEANT else ""
        raise UsageError(f"expected a file of the tree with --file, found {request.file!r}{hint}")
    wanted = wanted_machine(request.series)
    progress = Progress(tree)
    boards = progress.boards([path])
    patch = patch_towards(wanted, path, tree.text(path), boards)
    if not patch.dts:
        return Plan(tree, (PatchStep(patch, PRESENT),))
    made = planned(progress, [patch])
    others = unlike(wanted, {name: progress.built[name] for name in boards})
    if others:
        raise Faulty(others)
    return made


def _inner(root: Path, file: str) -> str:
    """The path in a tree of a file that is named as one of this machine; "" for one outside."""
    found = os.path.relpath(os.path.realpath(file), os.path.realpath(root))
    return "" if found.split("/")[0] == ".." else found


def _of_sources(text: str | None) -> list[Patch]:
    """The patches asked for, of device-tree sources. Raises UsageError for other ones."""
    found = series(text) if text is not None else None
    if found is None:
        raise UsageError(
            "expected descriptions (see --list) for a tree of device-tree sources, or --file with "
            f"a TABLE, found {'none' if text is None else repr(text)}"
        )
    others = [patch.name for patch in found if not patch.dts]
    if others:
        message = f"expected descriptions of device-tree sources, found {', '.join(others)}"
        raise UsageError(f"{message} of skiboot's tables")
    return found


def _patches(text: str | None, tree: PatchedTree) -> tuple[list[Patch], list[str]]:
    """The patches asked for, and the current revisions whose table the tree lacks."""
    if text is None:
        return _current(tree)
    found = series(text)
    if found is not None:
        return found, []
    try:
        source = read_table(text)
    except NoSuchTable as error:
        raise NoSuchTable(f"{error}; packaged patches are listed by patch --list") from None
    assert source.table is not None
    return [patch_for(source.table, text, source.file, source.sha256)], []


def _current(tree: PatchedTree) -> tuple[list[Patch], list[str]]:
    """A patch for each array of the tree that a current revision has, and the names of the current
    revisions whose array it lacks."""
    patches: dict[str, Patch] = {}
    absent = []
    for name in current():
        table = find(name)
        array = table.firmware.array
        if not array or array in patches:
            continue
        if any(known in tree.arrays for known in (array, *FORMER_NAMES.get(array, ()))):
            patches[array] = patch_for(table, name, table.read_from.file, table.read_from.sha256)
        else:
            absent.append(f"{name} ({array})")
    return list(patches.values()), absent


def plan_sources(tree: SourcesTree, patches: Sequence[Patch]) -> Plan:
    """Applies all patches in order, in memory. Nothing is written.

    A patch whose edits are in the tree already is PRESENT. Every board that includes an edited file
    is built before and after: where it differs otherwise than was meant, the patch is refused.
    Raises Faulty (IS934) with every reason, Unreadable.
    """
    return planned(Progress(tree), patches)


def planned(progress: Progress, patches: Sequence[Patch]) -> Plan:
    """Returns the plan of plan_sources(), with `progress` for the tree: its boards may be built
    already."""
    steps = tuple(_steps(progress, patches))
    changed = changed_between(progress.first, progress.built)
    return Plan(progress.tree, steps, tuple(changed))


def _steps(progress: Progress, patches: Sequence[Patch]) -> Iterator[PatchStep]:
    findings: list[Finding] = []
    texts: dict[str, str] = {}
    for patch in patches:
        try:
            yield Step(progress, patch).made()
        except Faulty as faulty:
            findings += faulty.findings
            texts |= faulty.texts
    if findings:
        raise Faulty(findings, texts)
