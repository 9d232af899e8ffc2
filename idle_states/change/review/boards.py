"""The tables of a repository of device-tree sources at its commits: those of the boards that a
change concerns, each table once with the boards that have it.

A board is built where the text that may bear on idle states changes, its own or that of a file
which it includes. Of files that the range leaves as they were nothing is read.
"""

import hashlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from ...base.dataclass import dataclass, replace
from ...base.model.beyond_opal import IdleList, ListedNode
from ...base.model.findings import Unreadable, unreadable
from ...base.model.table import IdleTable
from ...base.reading import limits
from ...base.reading.git.commits import Commit, CommitReader
from ...base.reading.git.private import DamagedObject
from ...base.reading.unexpected import failed, on_input
from ...base.wording import few
from ...tables.devicetree.board_builds import HEADERS, PARTS, BuiltBoard, build
from ...tables.devicetree.boards import Boards, Scanned, included
from ...tables.devicetree.idle_nodes import lists_of
from ...tables.devicetree.idle_text import IdleText, idle_text, whole_text
from ...tables.devicetree.missing_files import NOT_SHOWN
from ...tables.devicetree.source_trees import Kept, Layout, layouts_in
from ...tables.sources import Source
from ...tables.sources.source import together
from ...tables.sources.trees import sources_of
from .commit_files import CommitFiles
from .tree import End, Gathered, TreeReader

_SUFFIXES = (".dts", ".dtsi", ".h")
_NAMED = 4


def trees_in(repository: CommitReader, commit: str) -> dict[str, Layout]:
    """The trees of device-tree sources in a commit: what their paths begin with -> their kind."""
    prefix = repository.prefix
    found = layouts_in(entry.path[len(prefix) :] for entry in repository.entries(commit))
    return {prefix + top: layout for top, layout in found.items()}


@dataclass(frozen=True, slots=True)
class _Group:
    """Boards of a tree with the same tables. parts: as of `sources_on`."""

    top: str
    boards: list[str]
    parts: list[frozenset[str]]


class BoardsTree(TreeReader):
    """Reads boards at either end of a range, and between. What the range changes and takes back
    again is not looked at.

    paths  the files that the range changes of the boards that it concerns
    """

    def __init__(
        self, repository: CommitReader, base: str, head: str, trees: dict[str, Layout]
    ) -> None:
        super().__init__(repository)
        self._ends_of = base, head
        self._states: dict[tuple[str, str], _TreeState] = {}
        self._texts: dict[str, IdleText] = {}
        self._lists: dict[tuple[str, str, tuple[str, ...]], tuple[IdleList, ...] | str] = {}
        self._scanned: dict[str, Scanned] = {}
        self._made: dict[object, tuple[IdleList, ...] | str] = {}
        self._tops = trees
        self.paths: set[str] = set()
        self._candidates: dict[str, list[str]] = {}
        for top in trees:
            self._candidates[top] = sorted(self._concerned(top))

    def commits(self, base: str, head: str) -> list[Commit]:
        if not any(self._candidates.values()):
            return []
        return self.repository.commits(base, head, sorted(self.paths))

    def state(self, top: str, commit: str) -> "_TreeState":
        key = top, commit
        if key not in self._states:
            layout, old = self._tops[top], self._ends_of[0]
            self._states[key] = _TreeState(self.repository, commit, top, layout, self._scanned, old)
        return self._states[key]

    def _text(self, state: "_TreeState", path: str) -> IdleText:
        entry = state.files.entry(path)
        if entry is None:
            return IdleText()
        if entry.hash not in self._texts:
            content = self.repository.content(entry, limits.DTS_BYTES)
            self._texts[entry.hash] = idle_text(content)
        return self._texts[entry.hash]

    def _concerned(self, top: str) -> Iterator[str]:
        """The boards of a tree whose text changes in what may bear on idle states."""
        base, head = (self.state(top, commit) for commit in self._ends_of)
        for state in (base, head):
            if sum(path.endswith(".dts") for path in state.files.files) > limits.GIT_BOARDS:
                raise unreadable(
                    self.repository.shown,
                    f"expected at most {limits.GIT_BOARDS} boards (.dts) below {top or 'the top'}, "
                    "found more; name a directory of the repository that holds less",
                )
        parts, boards = set[str](), set[str]()
        for path in sorted(base.files.files.keys() | head.files.files.keys()):
            old, new = base.files.entry(path), head.files.entry(path)
            same = old is not None and new is not None and old.hash == new.hash
            if same or not path.endswith(_SUFFIXES):
                continue
            if path.endswith(".dts"):
                (boards if self.repository.is_whole else parts).add(path)
            elif self._differs(base, head, path):
                parts.add(path)
        orphans = set(parts)
        # what is gone is reached from where it was alone
        gone = {path for path in parts if head.files.entry(path) is None}
        for state, meant in ((head, parts), (base, gone)):
            for board in state.boards.files() if meant else ():
                reached = meant.intersection(state.reached(board))
                orphans -= reached
                if reached:
                    boards.add(board)
        for path in list(orphans):
            orphans.difference_update(set(head.reached(path)) - {path})
        if not self.repository.is_whole:
            orphans, boards = orphans | boards, set()
        boards |= {path for path in sorted(orphans) if self._stands_alone(top, path)}
        for board in sorted(boards):
            sides = [state for state in (base, head) if state.files.entry(board)]
            if not any(state.boards.has_idle_states(board) for state in sides):
                continue
            if self._digest(base, board) != self._digest(head, board):
                changed = {path for state in sides for path in state.reached(board)}
                self.paths |= {
                    top + path for path in changed if base.hash_of(path) != head.hash_of(path)
                }
                yield board

    def _stands_alone(self, top: str, path: str) -> bool:
        """Tells whether a source that no board includes compiles by itself; says so in remarks."""
        states = [self.state(top, commit) for commit in self._ends_of]
        there = [state for state in states if state.files.entry(path)]
        if path.endswith(".h") or not any(s.boards.has_idle_states(path) for s in there):
            return False
        made = [self._lists_at(top, commit, path) for commit in self._ends_of]
        problem = next((each for each in made if isinstance(each, str)), "")
        if not self.repository.is_whole:
            if problem:
                head = self.state(top, self._ends_of[1])
                self.left_out[top + path] = len(self._digest(head, path))
                self.remarks.append(f"{top}{path} does not compile alone: {problem}")
            return not problem
        which = f"no board of the tree includes {top}{path}"
        if problem:
            which += (
                f", and it does not compile without one: its states are not reviewed ({problem})"
            )
        else:
            which += ": it is compiled without one"
        self.remarks.append(which)
        return not problem

    def _differs(self, base: "_TreeState", head: "_TreeState", path: str) -> bool:
        """Tells whether a file that boards include may bear on their idle states otherwise."""
        old, new = self._text(base, path), self._text(head, path)
        if path.endswith(".h"):
            # what only comes is used by a file that changes, too
            held = new.macros or {}
            return any(held.get(name) != bodies for name, bodies in (old.macros or {}).items())
        return (
            (old.own, old.referred, old.labels) != (new.own, new.referred, new.labels)
            or old.macros != new.macros
            or base.includes(path) != head.includes(path)
        )

    def _says(self, source: Source) -> bool:
        """Tells whether what is said of a board without a table does not depend on a whole tree."""
        return self.repository.is_whole or any(f.rule == "IS627" for f in source.findings)

    def _digest(self, state: "_TreeState", board: str) -> tuple[str, ...]:
        if state.files.entry(board) is None:
            return ()
        return whole_text(self._text(state, path) for path in state.reached(board))

    def _lists_at(self, top: str, commit: str, board: str) -> tuple[IdleList, ...] | str:
        """A board's lists, worked out once for commits at which they are the same; why it cannot be
        built."""
        state = self.state(top, commit)
        if state.files.entry(board) is None:
            return ()
        digest = self._digest(state, board)
        key = top, board, digest
        # without any text of idle states, what it includes may be missing
        if not digest or key not in self._lists:
            # boards of the same texts come to the same, wherever they lie
            texts = top, state.texts(board)
            if texts not in self._made:
                self._made[texts] = self._lists_made(state, board, digest)
            self._lists[key] = self._made[texts]
        return self._lists[key]

    def _lists_made(
        self, state: "_TreeState", board: str, digest: tuple[str, ...]
    ) -> tuple[IdleList, ...] | str:
        try:
            with on_input(board):
                built, _ = state.read(board)
                return lists_of(built.root, built.shown)
        except DamagedObject:
            raise
        except Unreadable as error:
            text = error.findings[0].message
            # not the same as another failure that says as much
            return repr((digest, text)) if failed(error.findings) else text

    @cached_property
    def _groups(self) -> list[_Group]:
        """Boards with the same tables at every commit that is looked at, where these change."""
        base, head = self._ends_of
        points = [base, *(commit.hash for commit in self.commits(base, head)), head]
        groups: dict[object, _Group] = {}
        for top, boards in self._candidates.items():
            for board in boards:
                lists = [self._lists_at(top, commit, board) for commit in points]
                keys = [each if isinstance(each, str) else key_of(each) for each in lists]
                if len(set(keys)) > 1:
                    parts = parted([each for each in lists if not isinstance(each, str)])
                    group = groups.setdefault((top, *keys), _Group(top, [], parts))
                    group.boards.append(board)
        return list(groups.values())

    def _read(self, commit: str) -> End:
        found = Gathered()
        for group in self._groups:
            state = self.state(group.top, commit)
            # the first, so that the table has the same file at every commit
            board = group.boards[0]
            if state.files.entry(board) is None:
                continue
            boards = [group.top + one for one in group.boards]
            with found.reading(boards[0]):
                built, problem = state.read(board)
                if built.missing:
                    text = f"missing, without effect on the idle states of {built.shown}"
                    self.remarks.append(f"{text}: {few(built.missing, _NAMED)}")
                if problem is not None:
                    text = "does not compile, but its idle states do not depend on that"
                    self.remarks.append(f"{boards[0]} {text}: {problem.findings[0].message}")
                    # a part of boards has to compile with them alone
                    found.findings += () if board.endswith(".dtsi") else problem.findings
                    found.texts.update(problem.texts)
                made = sources_on(built, boards, group.parts)
                # without a tree, a board without a table is one whose table is not shown
                found.sources += together([s for s in made if s.table or self._says(s)])
        return found.end(found.sources)


class _TreeState:
    """A tree at a commit. base: the commit before the change."""

    def __init__(
        self,
        repository: CommitReader,
        commit: str,
        top: str,
        layout: Layout,
        scanned: dict[str, Scanned],
        base: str,
    ) -> None:
        self._before = CommitFiles(repository, base, top)
        self.files = CommitFiles(repository, commit, top)
        self._kept = Kept()
        self._may_miss = HEADERS if repository.is_whole else PARTS
        self._layout = layout
        self._top = Path(top)
        self.boards = Boards(
            self._top,
            layout,
            opened=lambda: self.files,
            content_of=lambda path: self.hash_of(path) or path,
            scanned=scanned,
        )
        self._reached: dict[str, tuple[str, ...]] = {}

    def reached(self, board: str) -> tuple[str, ...]:
        """A board and all that it includes."""
        if board not in self._reached:
            self._reached[board] = tuple(self.boards.reached(board))
        return self._reached[board]

    def texts(self, board: str) -> tuple[tuple[str, str], ...]:
        """The contents of a board and of what it includes, with the names of these."""
        _, *parts = self.reached(board)
        named = [(path.rpartition("/")[2], self.hash_of(path)) for path in parts]
        return ("", self.hash_of(board)), *named

    def hash_of(self, path: str) -> str:
        entry = self.files.entry(path)
        return entry.hash if entry else ""

    def includes(self, path: str) -> tuple[tuple[str, bool], ...]:
        if self.files.entry(path) is None:
            return ()
        return included(self.files.read(path, limits.DTS_BYTES))

    def read(self, board: str) -> tuple[BuiltBoard, Unreadable | None]:
        """Returns a board; of one that does not compile, as headers and labels are missing on which
        no idle state depends, with why. Raises Unreadable."""
        try:
            return self._built(board, self._may_miss), None
        except Unreadable as problem:
            try:
                built = self._built(board, PARTS)
                lists = lists_of(built.root, built.shown)
            except Unreadable:
                raise problem from None
            broken = (each.reason for listed in lists for each in listed.broken)
            lacks = any(name.endswith(".dtsi") for name in built.missing)
            # of a board that was there before, what goes with a file is not known
            if not lists or NOT_SHOWN in broken or (lacks and self._before.entry(board)):
                raise
            return built, problem

    def _built(self, board: str, may_miss: tuple[str, ...]) -> BuiltBoard:
        shown = self._top / board
        return build(self.files, self._top, self._layout, board, shown, self._kept, may_miss)


_PHANDLES = ("phandle", "linux,phandle")


def sources_on(
    board: BuiltBoard, boards: Sequence[str], parts: Sequence[frozenset[str]]
) -> Iterator[Source]:
    """The tables of a board, with their places.

    boards  all that have the same ones
    parts   CPUs that have one table at every commit: those of other parts have one of their own
            here, even if it is the same
    """
    digest = hashlib.sha256(board.source.text).hexdigest()
    texts = board.source.texts
    for source in sources_of(board.root, board.shown, "dts", digest, board.places, texts):
        plain = replace(source, tree=None, boards=tuple(boards))
        if source.table is None or source.table.origin.form != "nodes":
            yield plain
            continue
        table = without_phandles(source.table)
        assert table.origin.form == "nodes"
        siblings = tuple(each for one in table.origin.siblings for each in _split(one, parts))
        for listed in _split(table.origin, parts):
            of_part = replace(listed, siblings=siblings)
            own = replace(table, name=listed.cpus[0], origin=of_part)
            yield replace(plain, name=own.name, table=own)


def _split(listed: IdleList, parts: Sequence[frozenset[str]]) -> Iterator[IdleList]:
    """A list for the CPUs of each part that have it."""
    for part in parts:
        kept = [at for at, cpu in enumerate(listed.cpus) if cpu in part]
        if kept:
            cpus = tuple(listed.cpus[at] for at in kept)
            yield replace(listed, cpus=cpus, numbers=tuple(listed.numbers[at] for at in kept))


def parted(versions: Sequence[Sequence[IdleList]]) -> list[frozenset[str]]:
    """The CPUs of a board, those together that share a list in every version of it."""
    groups: dict[tuple[int, ...], set[str]] = {}
    maps = [{cpu: at for at, each in enumerate(lists) for cpu in each.cpus} for lists in versions]
    for cpu in dict.fromkeys(cpu for known in maps for cpu in known):
        groups.setdefault(tuple(known.get(cpu, -1) for known in maps), set()).add(cpu)
    return [frozenset(group) for group in groups.values()]


def without_phandles(table: IdleTable) -> IdleTable:
    """The table without the numbers that dtc gives nodes: they change with any other node."""
    if table.origin.form != "nodes":
        return table
    siblings = without_phandle_lists(table.origin.siblings)
    return replace(table, origin=replace(_list(table.origin), siblings=siblings))


def key_of(lists: Sequence[IdleList]) -> str:
    """Equal for lists that differ in nothing but places and phandles."""
    plain = without_phandle_lists(lists)
    return repr([(each, each.power_domains, each.unlisted) for each in plain])


def without_phandle_lists(lists: Sequence[IdleList]) -> tuple[IdleList, ...]:
    """A tree's lists without their siblings, and without the numbers that dtc gives nodes."""
    return tuple(replace(_list(each), siblings=()) for each in lists)


def _list(listed: IdleList) -> IdleList:
    return replace(
        listed,
        flat=tuple(node and _node(node) for node in listed.flat),
        own_domain=tuple(node and _node(node) for node in listed.own_domain),
        above=tuple(tuple(map(_node, nodes)) for nodes in listed.above),
        unlisted=tuple(map(_node, listed.unlisted)),
        power_domains=tuple(
            replace(domain, states=tuple(node and _node(node) for node in domain.states))
            for domain in listed.power_domains
        ),
    )


def _node(node: ListedNode) -> ListedNode:
    left = {name: value for name, value in node.properties.items() if name not in _PHANDLES}
    return replace(node, properties=left)
