"""Reviews patches that are about to be written, on the tree they are made for, and compares them
with the version of them that was sent before: a changelog.

Compared are the values that either sets, found by applying the version before to the commit it was
made on; and the subjects and messages of their patches.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence

from ...base.dataclass import dataclass
from ...base.model.findings import Finding, Severity, Unreadable, UsageError
from ...base.patterns import pattern
from ...base.reading.git.commits import Commit, CommitReader
from ...base.reading.git.held import HeldCommits
from ...base.reading.mail.box import read_mails
from ...base.reading.mail.series import Series, series_of
from ...base.wording import joined
from ...tables.check.config import FILES
from ...tables.check.criteria import Criteria
from ...tables.devicetree.idle_nodes import lists_of
from ...tables.linux.releases import DEFAULT, release
from ...tables.rules.selection import RuleSelection
from ...tables.skiboot.layout import HEADERS
from ...tables.skiboot.platform import ALL_LEVELS
from ...tables.sources import Source
from ...tables.sources.source import together
from ..patches.fields import shown, value_in
from ..patches.plan import ROW_FIELDS, Plan, changes_between
from ..patches.source_tree import SourcesTree
from ..patches.work_tree import WorkTree, as_bytes
from .base import Applied, on_top
from .boards import parted, sources_on
from .match import pairs
from .result import Review
from .review import Yardstick, review
from .search import BaseSearch
from .tree import End, SkibootTree, TreeReader


def review_of(made: Plan) -> Review:
    """The review of all patches of a plan together, without workloads; nothing is written.

    As `review` of these patches on that tree: its headers and the suppressions of its setup.cfg
    count. Raises Unreadable (IS930) where one of these leads out of the tree.
    """
    by = Criteria(tuple(map(release, DEFAULT)), ALL_LEVELS, RuleSelection())
    held, base, head = as_commits(made)
    tree = PlannedBoards(held, made, base) if isinstance(made.tree, SourcesTree) else None
    return review(held, base, head, Yardstick(by), tree=tree)


class PlannedBoards(TreeReader):
    """The tables of boards that patches of device-tree sources change, before and after all of
    them."""

    def __init__(self, held: HeldCommits, made: Plan, base: str) -> None:
        super().__init__(held)
        self._made = made
        self._base = base

    def commits(self, base: str, head: str) -> list[Commit]:
        return self.repository.commits(base, head, sorted(self._made.files))

    def _read(self, commit: str) -> End:
        sources: list[Source] = []
        for group in self._made.boards:
            sides = group.before, group.after
            parts = parted([lists_of(side.root, side.shown) for side in sides])
            board = sides[commit != self._base]
            sources += together(list(sources_on(board, group.boards, parts)))
        return End(tuple(sources))


def as_commits(made: Plan) -> tuple[HeldCommits, str, str]:
    """The patches of a plan as commits, the one before them, and the last."""
    held = HeldCommits(None, made.tree.root.as_posix())
    head = base = held.add("", "the tree", files_of(made.tree), is_patch=False)
    for step in made.made:
        message = f"{step.patch.subject}\n\n{step.patch.body}"
        named = f"the patch {step.patch.name}"
        head = held.add(head, message, as_bytes(step.after), mailed=named)
    return held, base, head


def refusing(found: Review, as_bad_as: Severity) -> list[Finding]:
    """The new findings for which patches are refused."""
    return [one for one in found.new if one.counts and one.severity >= as_bad_as]


def files_of(tree: WorkTree) -> dict[str, bytes | None]:
    """The tree's files with tables, and those that reading and judging the tables takes."""
    beside = {name: tree.content(name) for name in (*HEADERS, *FILES)}
    return {name: data for name, data in beside.items() if data is not None} | as_bytes(tree.files)


_TRAILER = pattern(r"^[A-Z][\w-]{1,40}-by: .*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PreviousVersion:
    """version  of the series, from 1
    changes  what is different since, a line each
    inputs   (name, SHA-256) of the files read
    """

    version: int
    changes: tuple[str, ...]
    inputs: tuple[tuple[str, str], ...]


def since(made: Plan, name: str) -> PreviousVersion:
    """Compares a plan with the newest version among mails.

    name: a file or directory of patches or mails, or "-"
    Raises UsageError where the mails change none of the plan's tables, Unreadable, OSError.
    """
    mails, files = read_mails(name)
    series = series_of(mails, name)[-1]
    applied = _applied(made.tree, series)
    old = _values(applied.held, applied.base, applied.head)
    new = _values(*as_commits(made))
    tables = {key[0] for key in new}
    if not tables & {key[0] for key in old}:
        has = joined(sorted({key[0] for key in old})) or "no table"
        wanted = joined(sorted(tables)) or "a table whose values the tree has already"
        raise UsageError(
            f"expected {name} to be the version before, a patch of {wanted}, found one of {has}"
        )
    changes = [*_between(old, new), *_beside(made, series)]
    if not changes:
        changes = [f"all values and messages are as in v{series.version}"]
    inputs = ((file, hashlib.sha256(data).hexdigest()) for file, data in files.items())
    return PreviousVersion(series.version, tuple(changes), tuple(inputs))


def _applied(tree: WorkTree, series: Series) -> Applied:
    """On the commit that it was made on, or else on the tree's files as they are."""
    problem: Unreadable | None = None
    if tree.repository is not None and tree.repository.has_head:
        try:
            return BaseSearch((tree.repository,), series).on_base()
        except Unreadable as found:
            problem = found
    held = HeldCommits(None, tree.root.as_posix())
    base = held.add("", "the tree", files_of(tree), is_patch=False)
    try:
        return on_top(held, series, base, "applied to the tree's files", only_once=True)
    except Unreadable as found:
        raise problem or found from None


_Key = tuple[str, str, str]
"""Table, state, field."""
_Step = tuple[str, str]
"""Before, after."""


def _values(held: CommitReader, base: str, head: str) -> dict[_Key, _Step]:
    """Returns the changes between two commits. Of a row that is added, also its values."""
    reader = SkibootTree(held, base, head)
    found: dict[_Key, _Step] = {}
    for old, new in pairs(reader.at(base).sources, reader.at(head).sources):
        if old is None or new is None or old.table is None or new.table is None:
            continue
        for change in changes_between(old.table, new.table.states):
            found[change.table, change.state, change.field] = change.before, change.after
            row = new.table.state(change.state)
            if change.field == "row" and change.after and row is not None:
                for field in ROW_FIELDS:
                    value = shown(field, value_in(row, field))
                    found[change.table, change.state, field] = "", value
    return found


def _between(old: Mapping[_Key, _Step], new: Mapping[_Key, _Step]) -> Iterator[str]:
    for key, step in new.items():
        row = (*key[:2], "row")
        if key not in old:
            if key == row or row not in new:
                yield f"{_plan(key, step)}, which was not changed"
        elif old[key][1] != step[1]:
            yield f"{_plan(key, step)}, was {_done(key, old[key])}"
    for key, step in old.items():
        row = (*key[:2], "row")
        if key not in new and (key == row or row not in old):
            yield f"{_plan(key, step, left=True)}"


def _plan(key: _Key, step: _Step, *, left: bool = False) -> str:
    """left: only the version before does it."""
    table, state, field = key
    what = "" if field in ("row", "order") else f"{field} "
    done = _done(key, step)
    return f"{table} {state}: {what}{(f'not changed, was {done}' if left else done)}"


def _done(key: _Key, step: _Step) -> str:
    before, after = step
    if key[2] == "row":
        return "added" if after else "removed"
    if key[2] == "order":
        return "moved"
    return f"{before} -> {after}" if before else after


def _beside(made: Plan, series: Series) -> Iterator[str]:
    """Yields the other differences: patches by their subjects, messages, files."""
    old = {patch.subject: patch for patch in series.patches}
    new = {step.patch.subject: step for step in made.made}
    gone = [subject for subject in old if subject not in new]
    come = [subject for subject in new if subject not in old]
    if len(gone) == len(come) == 1:
        yield f'subject "{come[0]}", was "{gone[0]}"'
    else:
        yield from (f'patch added: "{subject}"' for subject in come)
        yield from (f'patch dropped: "{subject}"' for subject in gone)
    for subject, step in new.items():
        body = step.patch.body
        if body and subject in old and _words(body) != _words(old[subject].message, subject):
            yield f'message of "{subject}" changed'
    files = {change.path for change in series.files}
    left = sorted(files - made.files.keys())
    if left:
        yield f"not changed: {joined(left)}"


def _words(message: str, subject: str = "") -> Sequence[str]:
    return _TRAILER.sub("", message.removeprefix(subject)).split()
