"""Finds the commit that mailed patches were made on, in one tree or several.

By the commit that a mail names; else by the hashes of the files' contents, which git puts into a
diff (lines "index"); else, where no tree has ever had these contents, by the lines themselves.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice

from ...base.dataclass import replace
from ...base.model.findings import Unreadable, unreadable
from ...base.reading import limits
from ...base.reading.git.held import HeldCommits
from ...base.reading.git.repository import Repository
from ...base.reading.mail.series import Series
from ...base.reading.patch.application import DoesNotApply
from ...base.wording import few, joined
from ...tables.linux.governors.source.named import DIRECTORY
from .base import BEARS_NOT, Applied, on_top, reaches_tables, undone
from .drivers import DriversTree, is_linux
from .dts_lines import is_source

_DAY = 86_400
_MOST_IN_PART = 20
"""Commits of a tree that are tried where a series fits none in full."""


class _Tree:
    """A tree that is searched. count: number of files, as they are before the series, that its
    objects hold."""

    def __init__(self, repository: Repository, wanted: Mapping[str, str], paths: list[str]) -> None:
        self.repository = repository
        self.count = sum(map(repository.has_content, wanted.values()))
        self._paths = paths if wanted else []

    @cached_property
    def head(self) -> str:
        """The hash of its HEAD."""
        return self.repository.resolve("HEAD")

    @cached_property
    def touching(self) -> Sequence[tuple[str, int]]:
        """Hash and time of the newest commits that change a file of the series."""
        return self.repository.touching(self._paths, limits.MAIL_COMMITS) if self._paths else []


class BaseSearch:
    """The search for the commit that a series was made on. trees: asked in this order; by lines,
    the one that holds most of the files first.

    bearing  paths of the series' files that bear on tables, before and after
    """

    def __init__(self, trees: Sequence[Repository], series: Series) -> None:
        self._repositories = trees
        self._series = series
        self._trees: list[_Tree] | None = None
        self._wanted, self._added = _first_seen(series)
        changes = [(change, patch.files) for patch in series.patches for change in patch.files]
        self.bearing = {
            path
            for change, beside in changes
            if reaches_tables(change, beside)
            for path in (change.before, change.after)
        }
        self._needed = [path for path in sorted(self._wanted) if path in self.bearing]
        dates = [int(patch.mail.date.timestamp()) for patch in series.patches if patch.mail.date]
        self._end = max(dates, default=None)

    @property
    def shown(self) -> str:
        """The trees, as messages call them."""
        return joined([tree.shown for tree in self._repositories], "or")

    def on_base(self, named: str = "") -> Applied:
        """The series on top of the commit it was made on.

        named: a revision that the user names as its base, or ""
        Raises Unreadable (IS930), and DoesNotApply where it applies to no commit.
        """
        if named:
            return self._on_named(named)
        named_base = self._series.base
        for tree in self._repositories:
            if named_base and tree.has(named_base):
                return self._with(tree, named_base, "the base that it names")
        for searched, base, how in self._by_hashes():
            try:
                return self._with(searched.repository, base, f"found by the hashes {how}")
            except DoesNotApply:
                # a file that the hashes do not speak for
                continue
        return self._by_lines()

    def in_part(self) -> Applied | None:
        """The series without the files that fit nowhere, on the commit on which most of its lines
        fit, what that has of them already being undone; None where nothing can be tried."""
        how = "on which most of its lines fit"
        tried: list[tuple[int, bool, int, Applied]] = []
        for tree in self._searched():
            for name in islice(self._distinct(tree, lacks=True), _MOST_IN_PART):
                made = self._with(tree.repository, name, how, only_once=True, in_part=True)
                # of equal ones, one on which nothing is undone
                tried.append((made.unread, made.base != name, len(tried), made))
            if any(not made.left for *_, made in tried):
                break
        if not tried:
            return None
        best = min(tried)[-1]
        left = tuple((path, why) for path, why in best.left if _bears(best, path))
        gone = sorted(f"{BEARS_NOT}: {path}" for path in dict(best.left).keys() - dict(left))
        names = (f"left out, because it fits nowhere: {path}: {why}" for path, why in left)
        unread = self._series.changed_lines(dict(left))
        return replace(best, remarks=(*best.remarks, *gone, *names), unread=unread, left=left)

    def _on_named(self, named: str) -> Applied:
        problem: Unreadable | None = None
        for tree in self._repositories:
            try:
                base = tree.resolve(named)
            except Unreadable as found:
                problem = problem or found
            else:
                return self._with(tree, base, "as told")
        assert problem is not None
        raise problem

    def _by_hashes(self) -> Iterator[tuple[_Tree, str, str]]:
        """The commits with the contents that the diff's hashes name: of all files, then of those
        that bear on tables; and in words, which hashes."""
        bearing = {path: self._wanted[path] for path in self._needed}
        counted = f"of {len(bearing)} of the {len(self._wanted)} files in its diff"
        ways = [(self._wanted, self._added, "in its diff")]
        if len(bearing) < len(self._wanted):
            added = [path for path in self._added if path in self.bearing]
            ways.append((bearing, added, counted))
        for wanted, added, how in ways:
            if wanted and all(wanted.values()):
                for tree in self._searched():
                    found = tree.count >= len(wanted) and _by_contents(
                        tree, wanted, added, self._end
                    )
                    if found:
                        yield tree, found, how

    def _by_lines(self) -> Applied:
        """On the first commit whose files have the lines of every hunk, and each only once."""
        missing = "the diff has no hashes of contents"
        if self._wanted and all(self._wanted.values()):
            missing = f"no commit of {self.shown} has the contents that the diff's hashes name"
        problem: DoesNotApply | None = None
        for tree in sorted(self._searched(), key=lambda tree: -tree.count):
            for name in self._distinct(tree):
                try:
                    how = "by the lines of its hunks"
                    return self._with(tree.repository, name, how, missing, only_once=True)
                except DoesNotApply as found:
                    problem = problem or found
        if problem is not None:
            raise problem
        message = f"expected a commit of {self.shown} with {few(self._needed, 3)}, found none"
        raise DoesNotApply(unreadable(self._series.patches[0].mail.place, message).findings)

    def _distinct(self, tree: _Tree, *, lacks: bool = False) -> Iterator[str]:
        """The commits of a tree that have all needed files, one for each of their contents. lacks:
        also those that lack some."""
        tried = set()
        for name in _ordered(tree, self._end):
            there = {e.path: e.hash for p in self._needed for e in tree.repository.named(name, p)}
            contents = tuple(there.items())
            if contents not in tried and (lacks or there.keys() >= set(self._needed)):
                tried.add(contents)
                yield name

    def _searched(self) -> list[_Tree]:
        if self._trees is None:
            # a commit that removes what a mail adds again may be its base
            paths = sorted({*self._wanted, *self._added})
            self._trees = [_Tree(tree, self._wanted, paths) for tree in self._repositories]
        return self._trees

    def _with(
        self,
        tree: Repository,
        base: str,
        how: str,
        before: str = "",
        *,
        only_once: bool = False,
        in_part: bool = False,
    ) -> Applied:
        """The series on a commit. how, before: in words, why there."""
        found = tree.commit(base)
        text = f"{before}: " if before else ""
        text += f"in {tree.shown}, " if len(self._repositories) > 1 else ""
        text += f"applied to {found.short} ({found.subject[:60]}), {how}"
        held = HeldCommits(tree, tree.shown)
        if in_part and (files := undone(held, self._series, base)):
            base = held.add(base, "the base of the patches", files, is_patch=False)
            text += f"; {few([*files], 3)} already in {tree.shown}: reviewed as before that"
        return on_top(held, self._series, base, text, tree, only_once=only_once, in_part=in_part)


def _bears(made: Applied, path: str) -> bool:
    """Tells whether a file that fits nowhere may bear on tables: a header of Linux does if a
    driver's table, a governor or a device tree takes a definition from it."""
    held = made.held
    is_header = path.endswith(".h") and not (is_source(path) or path.startswith(f"{DIRECTORY}/"))
    if not (is_header and isinstance(held, HeldCommits) and is_linux(held, made.head)):
        return True
    emptied = held.add(made.head, f"without {path}", {path: b""}, is_patch=False)
    drivers = DriversTree(held, made.head, emptied)
    ends = [drivers.at(commit) for commit in (made.head, emptied)]
    tables = [[source.table for source in end.sources] for end in ends]
    return tables[0] != tables[1] or any(end.unread for end in ends)


def _first_seen(series: Series) -> tuple[dict[str, str], list[str]]:
    """Returns path -> beginning of the hash of its content before the series ("" if not said), of
    files that are there before; and the files that it adds before it changes them."""
    found: dict[str, str] = {}
    made: set[str] = set()
    before: set[str] = set()
    added: dict[str, None] = {}
    for change in series.files:
        if change.before is not None:
            before.add(change.before)
            if change.before not in made:
                found.setdefault(change.before, change.old_blob)
        elif change.after is not None and change.after not in before:
            added[change.after] = None
        if change.after is not None:
            made.add(change.after)
    return found, list(added)


def _by_contents(tree: _Tree, wanted: dict[str, str], added: Sequence[str], end: int | None) -> str:
    """The newest commit with these contents, and without the files that are added, that is not
    later than the mail; "" for none."""
    later = ""
    for name, seconds in [(tree.head, 0), *tree.touching]:
        if all(_has(tree, name, path, start) for path, start in wanted.items()) and not any(
            tree.repository.named(name, path) for path in added
        ):
            if end is None or seconds <= end + _DAY:
                return name
            later = name
    return later


def _has(tree: _Tree, commit: str, path: str, start: str) -> bool:
    found = tree.repository.named(commit, path)
    return bool(found) and found[0].hash.startswith(start)


def _ordered(tree: _Tree, end: int | None) -> list[str]:
    """Commits to try: those before the mail, the newest first, then HEAD, then those after it."""
    touching = tree.touching
    before = [name for name, seconds in touching if end is not None and seconds <= end + _DAY]
    return list(dict.fromkeys([*before, tree.head, *(name for name, _ in touching)]))
