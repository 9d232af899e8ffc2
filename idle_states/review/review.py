"""review: how a range of commits, or each commit of it, changes the tables of a repository."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from ..check.accepted import mark, today
from ..check.check import check
from ..check.criteria import Criteria
from ..diff import Difference, diff
from ..findings import Finding, UsageError, sort_findings
from ..linux.governors import not_utilised
from ..linux.releases import release
from ..reading import opening
from ..reading.git import Commit, CommitReader, Repository
from ..sources import Source
from ..table import IdleTable
from .claims.claim import MessageClaim
from .findings import FindingsOutcome, Side, in_all, outcome
from .letters import Letter, of_commit
from .machines import MachineModel, OnMachines
from .match import as_renamed, in_same_place, is_same, pairs
from .message import Judged, MessageCheck, check_message
from .platforms import exported_otherwise
from .rows import ChangedRow, changed_rows, place_in
from .selection import Selector
from .suppressions import Added, Configured, Known, added, configured, known, revealed
from .tree import End, SkibootTree, SpecTree, TreeReader

Accept = Callable[[Sequence[Finding]], Sequence[Finding]]
"""Marks findings that a project has accepted as suppressed."""


@dataclass(frozen=True, slots=True)
class PerKernel:
    """Differences that are the same for some of the kernels."""

    kernels: tuple[str, ...]
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class TableChange:
    """One table before and after a change; None on the side that lacks it.

    differences  differences in the table and in what firmware exports; where its code changes, on
                 each machine
    linux        differences in what the kernels register
    selection    differences in what the governor selects
    outcome      new, fixed and silenced findings
    machines     what it does to machines; None where that was not asked for, one side is missing,
                 or nothing changed but tables beside this one
    """

    before: Source | None
    after: Source | None
    differences: tuple[Difference, ...]
    linux: tuple[PerKernel, ...]
    selection: tuple[PerKernel, ...]
    outcome: FindingsOutcome
    machines: OnMachines | None = None

    @property
    def says_something(self) -> bool:
        """False for a table that is as before, where what changed beside it is all the same to
        it."""
        return (
            self.is_changed
            or bool(self.differences or self.linux)
            or self.outcome != FindingsOutcome()
        )

    @property
    def is_changed(self) -> bool:
        """False for a table that is as before: what changed lies beside it."""
        before, after = self.before, self.after
        return before is None or after is None or _is_changed(before, after)

    @property
    def source(self) -> Source:
        """The table after the change; if the change removes it, before."""
        found = self.after or self.before
        assert found is not None
        return found


@dataclass(frozen=True, slots=True)
class Reviewed:
    """The review of the change between two commits.

    base, head    the commits
    commit        the commit, if a single one is reviewed; of a merge, only what no parent has is
                  part of the change
    tables        the tables that differ, and those that a change beside them gives a finding
    files         new and fixed findings about files that cannot be parsed
    message       findings about commit messages that the change contradicts
    claims        the numbers in these messages, and what became of each
    suppressions  the suppressions that the change adds
    unread        files that could not be read at one end: their tables are not compared
    """

    base: str
    head: str
    commit: Commit | None
    tables: tuple[TableChange, ...]
    files: FindingsOutcome
    message: tuple[Finding, ...]
    unread: tuple[str, ...]
    suppressions: tuple[Added, ...] = ()
    claims: tuple[MessageClaim, ...] = ()

    @property
    def new(self) -> list[Finding]:
        """All new findings, those about messages included, in stable order."""
        outcomes = [self.files, *(table.outcome for table in self.tables)]
        return sort_findings([*(f for one in outcomes for f in one.new), *self.message])

    @property
    def fixed(self) -> list[Finding]:
        outcomes = [self.files, *(table.outcome for table in self.tables)]
        return sort_findings(f for one in outcomes for f in one.fixed)

    @property
    def says_something(self) -> bool:
        return bool(
            self.tables or self.message or self.suppressions or self.files != FindingsOutcome()
        )


@dataclass(frozen=True, slots=True)
class Review:
    """The result of a review.

    base, head  ends of the range; base "" stands for the empty tree before the first commit
    commits     number of commits in the range
    changes     the whole range as one change, or one for each commit with something to report
    texts       file -> text at the head, for quoting lines; empty if commits are reviewed one by
                one, because each commit has its own places
    remarks     of mailed patches: what they were applied to, and what was repaired to read them
    letters     the messages that were read, in order
    is_mailed   whether mails were reviewed: head, and without a tree base, are commits of none
    about       what is reviewed and how, without the commits: the same when it comes again changed
    """

    base: str
    head: str
    commits: int
    kernels: tuple[str, ...]
    governor: str
    changes: tuple[Reviewed, ...]
    texts: dict[str, str]
    remarks: tuple[str, ...] = ()
    letters: tuple[Letter, ...] = ()
    is_mailed: bool = False
    about: tuple[str, ...] = ()

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Sentences on what the compared selections rest on; none if no table was compared."""
        compared = any(table.before and table.after for c in self.changes for table in c.tables)
        return not_utilised(self.governor, map(release, self.kernels)) if compared else ()

    @property
    def new(self) -> list[Finding]:
        return [finding for change in self.changes for finding in change.new]

    @property
    def fixed(self) -> list[Finding]:
        return [finding for change in self.changes for finding in change.fixed]


@dataclass(frozen=True, slots=True)
class Yardstick:
    """How tables are judged.

    of_commits  whether each commit's own setup.cfg is used
    accept      marks findings as suppressed, after that setup.cfg
    runs        seeds of the workloads that are simulated on both sides of a change, 0 for none;
                None: what a change does to machines is not looked at
    partial     tables of which only some rows are known: theirs is not looked at either
    """

    criteria: Criteria
    governor: str = "menu"
    hz: int = 250
    accept: Accept = list
    of_commits: bool = True
    runs: int | None = None
    partial: frozenset[str] = frozenset()


class BadRange(UsageError):
    """Something other than BASE..HEAD."""


def ends(repository: Repository, text: str | None) -> tuple[str, str]:
    """The two commits of a range: BASE..HEAD, or BASE...HEAD, where the base is the merge base.
    None: the last commit and its parent ("" if it has none).

    Raises Unreadable (IS930), BadRange.
    """
    if text is None:
        head = repository.resolve("HEAD")
        return repository.commit(head).parent, head
    match = re.fullmatch(r"(.*?)(\.\.\.?)(.*)", text)
    if match is None or not (match[1] or match[3]):
        opening.expect_allowed(text)
        raise BadRange(f"expected BASE..HEAD, found {text!r}, which is no file with a mail either")
    base, head = (repository.resolve(name or "HEAD") for name in (match[1], match[3]))
    return repository.merge_base(base, head) if match[2] == "..." else base, head


def review(
    repository: CommitReader,
    base: str,
    head: str,
    circumstances: Yardstick,
    *,
    specs: bool = False,
    per_commit: bool = False,
    cover: Commit | None = None,
) -> Review:
    """Reviews the commits from base to head (hashes, see `ends`).

    specs       whether the tables are specs instead of C
    per_commit  whether each commit is reviewed by itself
    cover       what a series has for a message; it has no hash
    Raises Unreadable (IS930) if history is missing.
    """
    tree: TreeReader = SpecTree(repository) if specs else SkibootTree(repository, base, head)
    reviewer = _Reviewer(tree, circumstances)
    commits = tree.commits(base, head)
    if per_commit:
        changes = [reviewer.change(commit.parent, commit.hash, commit) for commit in commits]
        changes = [change for change in changes if change.says_something]
        if cover is not None:
            letter = reviewer.covered(cover, commits, base, head)
            changes = [*([letter] if letter.claims else []), *changes]
    else:
        whole = reviewer.change(base, head, None)
        checks = [reviewer.checked_message(commit) for commit in commits]
        if cover is not None:
            checks.insert(0, reviewer.checked_cover(cover, commits))
        said = [_placed(judged, tree.at(head)) for check in checks for judged in check.judged]
        claims = tuple(claim for check in checks for claim in check.claims)
        changes = [replace(whole, message=reviewer.message(said, base, head), claims=claims)]
    texts = {} if per_commit else dict(tree.at(head).texts)
    for source in () if per_commit else tree.at(head).sources:
        texts |= source.texts
    return Review(
        base,
        head,
        repository.count(base, head),
        tuple(release.name for release in circumstances.criteria.kernels),
        circumstances.governor,
        tuple(changes),
        texts,
        letters=tuple(map(of_commit, commits)),
    )


class _Reviewer:
    def __init__(self, tree: TreeReader, circumstances: Yardstick) -> None:
        self.tree = tree
        self.by = circumstances
        self.selector = Selector(circumstances.governor, circumstances.hz)
        self.checked: dict[int, tuple[Source, list[Finding]]] = {}
        self.configurations: dict[str, Configured] = {}
        by = circumstances.criteria
        self.machines = (
            None
            if circumstances.runs is None
            else MachineModel(
                by.kernels,
                by.platform,
                circumstances.governor,
                circumstances.hz,
                circumstances.runs,
            )
        )

    def change(self, base: str, head: str, commit: Commit | None) -> Reviewed:
        before, after = self.tree.at(base), self.tree.at(head)
        others = self.merged(commit)
        parents = (base, *(commit.merged if commit else ()))
        files = [
            outcome((None, self.of_files(at)), (None, self.of_files(head)), self.known(at, head))
            for at in parents
        ]
        said = self.checked_message(commit) if commit else MessageCheck()
        return Reviewed(
            base,
            head,
            commit,
            tuple(
                table
                for a, b in _own(before, after, others)
                for table in [
                    self.table(
                        [a, *(_counterpart(a, b, other, after) for other in others)],
                        b,
                        parents,
                        head,
                    )
                ]
                if table.says_something
            ),
            in_all(files),
            self.message((finding for finding, _ in said.judged), base, head),
            tuple(sorted(before.unread | after.unread)),
            added(before, after, self.configured(base), self.configured(head)),
            said.claims,
        )

    def merged(self, commit: Commit | None) -> list[End]:
        return [self.tree.at(parent) for parent in commit.merged] if commit else []

    def message(self, findings: Iterable[Finding], base: str, head: str) -> tuple[Finding, ...]:
        """The findings about messages that are not accepted at the base."""
        is_known = self.known(base, head)
        found = self.accepted((f for f in findings if self.by.criteria.rules.takes(f.rule)), head)
        shown = (f if f.counts or is_known(f) else revealed(f) for f in found)
        return tuple(finding for finding in shown if finding.counts)

    def checked_message(self, commit: Commit) -> MessageCheck:
        """A commit's message against what it changes."""
        return check_message(commit, *self.changed(commit))

    def checked_cover(self, cover: Commit, commits: Sequence[Commit]) -> MessageCheck:
        """A cover letter against what the commits of its series change."""
        each = [self.changed(commit) for commit in commits]
        rows = [row for rows, _ in each for row in rows]
        return check_message(cover, rows, [table for _, added in each for table in added])

    def covered(self, cover: Commit, commits: Sequence[Commit], base: str, head: str) -> Reviewed:
        """What a cover letter says, where each commit is reviewed by itself."""
        found = self.checked_cover(cover, commits)
        said = self.message((finding for finding, _ in found.judged), base, head)
        none = FindingsOutcome()
        return Reviewed(base, head, None, (), none, said, (), claims=found.claims)

    def changed(self, commit: Commit) -> tuple[list[ChangedRow], list[IdleTable]]:
        """The rows that a commit changes, and the tables that it adds."""
        rows: list[ChangedRow] = []
        added = []
        before, after = self.tree.at(commit.parent), self.tree.at(commit.hash)
        for a, b in _own(before, after, self.merged(commit)):
            if b is None or b.table is None:
                continue
            if a is None or a.table is None:
                added.append(b.table)
            else:
                rows += changed_rows(as_renamed(a, b)[0], b)
        return rows, added

    def table(
        self,
        olds: Sequence[Source | None],
        after: Source | None,
        parents: Sequence[str],
        head: str,
    ) -> TableChange:
        """olds: the table as each of the parents has it, the first parent first."""
        before = olds[0]
        differences: list[Difference] = []
        linux: dict[str, list[Difference]] = {}
        selected: dict[str, list[Difference]] = {}
        ways = _comparable(before, after)
        if ways is not None:
            a, b = ways
            a, names = as_renamed(a, b)
            differences += [
                Difference("table", f"states.{new}.name", old, new) for old, new in names.items()
            ]
            by = self.by.criteria
            for difference in diff(a, b, by.kernels, by.platform):
                stage, _, kernel = difference.stage.partition(" ")
                if stage == "linux":
                    linux.setdefault(kernel, []).append(difference)
                else:
                    differences.append(difference)
            differences += exported_otherwise(a, b, by.platform)
            if before is not None and after is not None:
                found = self.selector.differences(a, b, by.kernels, by.platform)
                selected = dict(found)
        return TableChange(
            before,
            after,
            tuple(differences),
            _grouped(linux.items()),
            _grouped(selected.items()),
            in_all(
                [
                    outcome(self.side(old, at), self.side(after, head), self.known(at, head))
                    for old, at in zip(olds, parents, strict=True)
                ]
            ),
            None if ways is None else self.on_machines(before, after, head),
        )

    def on_machines(
        self, before: Source | None, after: Source | None, head: str
    ) -> OnMachines | None:
        """What the change from one table to another, which can be compared, does to machines."""
        if self.machines is None or before is None or after is None:
            return None
        if not _is_changed(before, after) and before.code == after.code:
            return None
        written = self.tree.repository.commit(head).date
        day = None if written is None else written.date()
        if after.name in self.by.partial:
            unknown = "not looked at: the diff does not show the other rows of the table"
            return OnMachines(day, (), unsaid=(unknown,))
        return self.machines.effects(before, after, day)

    def side(self, source: Source | None, commit: str) -> Side:
        if source is None:
            return None, []
        if id(source) not in self.checked:
            by = self.by.criteria
            # who asks for IS501 by its code gets it
            by_change = "IS501" not in by.rules.select
            found = check([source], by.kernels, by.platform, by.rules, by_change=by_change)
            self.checked[id(source)] = source, found
        return source.table, self.accepted(self.checked[id(source)][1], commit)

    def of_files(self, commit: str) -> list[Finding]:
        """Findings about files that cannot be read at a commit, whatever rules are selected."""
        found = [*self.tree.at(commit).findings, *self.configured(commit).findings]
        return self.accepted(found, commit)

    def accepted(self, findings: Iterable[Finding], commit: str) -> list[Finding]:
        """The findings, marked as the commit's and the user's suppressions say."""
        entries = self.configured(commit).entries
        return list(self.by.accept(mark(list(findings), entries, today())))

    def configured(self, commit: str) -> Configured:
        if not self.by.of_commits:
            return Configured()
        if commit not in self.configurations:
            self.configurations[commit] = configured(self.tree.repository, commit)
        return self.configurations[commit]

    def known(self, base: str, head: str) -> Known:
        before, after = self.tree.at(base), self.tree.at(head)
        return known(before, after, self.configured(base), self.by.of_commits)


def _differing(before: End, after: End) -> list[tuple[Source | None, Source | None]]:
    """Pairs of tables that differ, without tables of files that are unread at one end."""
    unread = before.unread | after.unread
    old = [source for source in before.sources if source.file not in unread]
    new = [source for source in after.sources if source.file not in unread]
    return [
        (a, b)
        for a, b in pairs(old, new)
        if a is None or b is None or _is_changed(a, b) or not in_same_place(a, b)
    ]


def _is_changed(before: Source, after: Source) -> bool:
    return not is_same(before, after) or before.file != after.file


def _own(
    before: End, after: End, others: Sequence[End]
) -> list[tuple[Source | None, Source | None]]:
    """Pairs of tables that differ; for a merge only those that differ from every parent's."""
    changed = [_differing(other, after) for other in others]
    return [
        (a, b)
        for a, b in _differing(before, after)
        if all(
            any(new is b if b else new is None and _same_place(old, a) for old, new in one)
            for one in changed
        )
    ]


def _counterpart(
    before: Source | None, after: Source | None, other: End, merged: End
) -> Source | None:
    """The table as the other parent has it."""
    for a, b in pairs(other.sources, merged.sources):
        if b is after if after else _same_place(a, before):
            return a
    return None


def _same_place(a: Source | None, b: Source | None) -> bool:
    return a is not None and b is not None and (a.name, a.file) == (b.name, b.file)


def _comparable(before: Source | None, after: Source | None) -> tuple[Source, Source] | None:
    """Both sources. If one is missing, the other without its rows stands for it. None if one of
    them could not be read as a table."""
    one = before or after
    if one is None or any(source and source.table is None for source in (before, after)):
        return None
    assert one.table is not None
    empty = replace(one, table=replace(one.table, states=()))
    return before or empty, after or empty


def _grouped(kernels: Iterable[tuple[str, Sequence[Difference]]]) -> tuple[PerKernel, ...]:
    """Kernels with the same differences together."""
    groups: dict[tuple[tuple[str, str, str], ...], tuple[list[str], tuple[Difference, ...]]] = {}
    for kernel, differences in kernels:
        if differences:
            key = tuple((d.path, d.a, d.b) for d in differences)
            groups.setdefault(key, ([], tuple(differences)))[0].append(kernel)
    return tuple(PerKernel(tuple(names), found) for names, found in groups.values())


def _placed(judged: Judged, head: End) -> Finding:
    """A finding about a commit within the range, moved to its row's place at the head."""
    finding, row = judged
    if row is None:
        return finding
    source = next((s for s in head.sources if s.name == finding.table and s.table), None)
    if source is None:
        return replace(finding, location=replace(finding.location, line=None), related=())
    return replace(finding, location=place_in(source, row), related=())
