"""review: how a range of commits, or each commit of it, changes the tables of a repository."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from ...base.dataclass import dataclass, field, replace
from ...base.model.findings import Finding, UsageError, sort_findings, unreadable
from ...base.reading import opening
from ...base.reading.git.commits import Commit, CommitReader
from ...base.reading.git.repository import Repository
from ...base.reading.mail.series import MailedAnswer
from ...tables.check.accepted import mark, today
from ...tables.check.check import check
from ...tables.check.config_change import changes
from ...tables.check.criteria import Criteria
from ...tables.diff.tables import Difference, diff
from ...tables.linux.platforms import firmware_of
from ...tables.linux.releases import Release, release
from ...tables.sources import Source
from .choices import changed_choices
from .findings import FindingsOutcome, Side, in_all, outcome
from .fragments import Hidden, at_shown_places
from .governors import GovernorChange, GovernorRuns
from .machines import MachineModel, OnMachines, Selector
from .match import (
    as_renamed,
    comparable,
    counterpart,
    differing,
    emptied,
    is_changed,
    used_otherwise,
)
from .message import Judged, MessageCheck, of_commit, of_governor, of_series
from .out_of_sight import out_of_sight
from .platforms import exported_otherwise
from .processors import changed_processors
from .result import Letter, Review, Reviewed, TableChange, grouped
from .rows import place_in
from .suppressions import Configured, Known, added, configured, known, revealed
from .tree import End, SkibootTree, SpecTree, TreeReader

Accept = Callable[[Sequence[Finding]], Sequence[Finding]]
"""Marks findings that a project has accepted as suppressed."""


@dataclass(frozen=True, slots=True)
class Yardstick:
    """The settings by which tables are judged.

    of_commits  whether each commit's own setup.cfg is used
    accept      marks findings as suppressed, after that setup.cfg
    runs        seeds of the workloads that are simulated on both sides of a change, 0 for none;
                None: what a change does to machines is not looked at
    partial     tables of which only some rows are known, and files of which only some nodes are:
                what these do to machines is not looked at either
    hidden      commit -> places in its files that are made up, as the diff does not show them
    compiles    whether governors that change may be compiled and run
    """

    criteria: Criteria
    governor: str = "menu"
    hz: int = 250
    accept: Accept = list
    of_commits: bool = True
    runs: int | None = None
    partial: frozenset[str] = frozenset()
    hidden: Mapping[str, Hidden] = field(default_factory=dict)
    compiles: bool = False


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
    answers: Sequence[MailedAnswer] = (),
    tree: TreeReader | None = None,
) -> Review:
    """Reviews the commits from base to head (hashes, see `ends`).

    specs       whether the tables are specs instead of C
    per_commit  whether each commit is reviewed by itself
    cover       what a series has for a message; it has no hash
    answers     to the mails of a series
    tree        reads the tables; None: as the repository's kind wants it
    Raises Unreadable (IS930) if history is missing.
    """
    tree = tree or tree_of(repository, base, head, specs=specs)
    reviewer = _Reviewer(tree, circumstances)
    commits = tree.commits(base, head)
    letters = of_series(tree, commits, cover, answers)
    texts: dict[str, str] = {}
    if per_commit:
        changes = [reviewer.change(commit.parent, commit.hash, commit) for commit in commits]
        changes = [change for change in changes if change.says_something]
        beside = reviewer.letters(letters, base, head)
        changes = [*([beside] if beside.claims or beside.files.new else []), *changes]
    else:
        whole = reviewer.change(base, head, None)
        checks = [*letters, *(of_commit(tree, commit) for commit in commits)]
        findings = [_placed(judged, tree.at(head)) for check in checks for judged in check.judged]
        claims = tuple(claim for check in checks for claim in check.claims)
        files = reviewer.with_configuration(whole.files, base, head)
        message = (*whole.message, *reviewer.message(findings, base, head))
        changes = [replace(whole, files=files, message=message, claims=claims)]
        texts |= tree.at(head).texts
        for source in tree.at(head).sources:
            texts |= source.texts
        if configuration := reviewer.configured(head).file:
            texts[configuration.file] = configuration.text
    return Review(
        base,
        head,
        repository.count(base, head),
        tuple(kernel.name for kernel in circumstances.criteria.kernels),
        circumstances.governor,
        tuple(changes),
        texts,
        remarks=(
            *(
                f"{path} is reviewed for the {count - 1:,} other paths with the same content"
                for path, count in tree.copied.items()
            ),
            *dict.fromkeys(tree.remarks),
        ),
        hz=circumstances.hz,
        unread_lines=sum(tree.left_out.values()),
        letters=tuple(Letter(c.hash, c.subject, c.message, date=c.date) for c in commits),
        release=tree.release_of(base),
    )


def tree_of(repository: CommitReader, base: str, head: str, *, specs: bool) -> TreeReader:
    """Reads the tables of a repository of specs, of Linux, of other device-tree sources, or of
    skiboot. Raises Unreadable (IS930) for a repository that is none of these: that no table changes
    there would say nothing."""
    if specs:
        return SpecTree(repository, base, head)
    if not repository.named(head, f"{repository.prefix}hw/slw.c"):
        from .boards import BoardsTree, trees_in
        from .drivers import LinuxTree, is_linux

        trees = trees_in(repository, head)
        if is_linux(repository, head):
            return LinuxTree(repository, base, head, trees)
        if trees:
            return BoardsTree(repository, base, head, trees)
    skiboot = SkibootTree(repository, base, head)
    if not any(map(skiboot.has_tables, (base, head))) and repository.alike((head,), ("",)):
        message = (
            "expected a repository of skiboot, or of Linux, U-Boot or Zephyr with "
            "their folders of device-tree sources, or of specs (--specs), found none of them"
        )
        raise unreadable(repository.shown, message)
    return skiboot


def has_tables(repository: CommitReader, commit: str) -> bool:
    """Tells whether a commit is one of a repository that `tree_of` reads, specs apart; most are
    told by one file."""
    if repository.named(commit, f"{repository.prefix}hw/slw.c"):
        return True
    from .boards import trees_in
    from .drivers import is_linux

    return (
        is_linux(repository, commit)
        or bool(trees_in(repository, commit))
        or SkibootTree(repository, commit, commit).has_tables(commit)
    )


class _Reviewer:
    def __init__(self, tree: TreeReader, circumstances: Yardstick) -> None:
        self.tree = tree
        self.by = circumstances
        how = circumstances.governor, circumstances.hz
        self.selector = Selector(*how)
        self.checked: dict[int, tuple[Source, list[Finding]]] = {}
        self.configurations: dict[str, Configured] = {}
        self.machines = None
        if circumstances.runs is not None:
            by = circumstances.criteria
            self.machines = MachineModel(by.kernels, by.platform, *how, circumstances.runs)
        self.governors = GovernorRuns(
            tree.repository,
            tree.governors,
            circumstances.compiles,
            circumstances.hz,
            circumstances.runs or 0,
        )

    def change(self, base: str, head: str, commit: Commit | None) -> Reviewed:
        before, after = self.tree.at(base), self.tree.at(head)
        merged = commit.merged if commit else ()
        parents, others = (base, *merged), [self.tree.at(parent) for parent in merged]
        gone = [out_of_sight(self.tree.repository, one, after, head) for one in (before, *others)]
        files = [
            outcome(
                (None, self.of_files(at)),
                (None, [*self.of_files(head), *self.accepted(lost.findings, head)]),
                self.known(at, head),
            )
            for at, lost in zip(parents, gone, strict=True)
        ]
        after = replace(after, unread=after.unread | gone[0].unread)
        checked = of_commit(self.tree, commit) if commit else MessageCheck()
        tables = [
            self.table(
                [a, *(counterpart(a, b, other, after) for other in others)], b, parents, head
            )
            for a, b in differing(before, after, others)
        ]
        judged = [finding for finding, _ in checked.judged]
        governors: tuple[GovernorChange, ...] = ()
        if self.tree.governors and not others:
            commits = [commit] if commit else self.tree.commits(base, head)
            kernel = self.release_of(head)
            governors = tuple(self.governors.changes(base, head, kernel, commits))
            for one in governors:
                judged += of_governor(one.file, one.claims, commits)
        return Reviewed(
            base,
            head,
            commit,
            tuple(table for table in tables if table.says_something),
            in_all(files),
            self.message(judged, base, head),
            tuple(sorted(before.unread | after.unread)),
            added(before, after, self.configured(base), self.configured(head)),
            checked.claims,
            changed_processors([before, *others], after),
            () if others else changed_choices(before, after),
            governors,
        )

    def letters(self, checks: Sequence[MessageCheck], base: str, head: str) -> Reviewed:
        """Returns the review of the cover letter and answers, and of all commits' changes to the
        configuration together, where each commit is reviewed by itself."""
        judged = [finding for check in checks for finding, _ in check.judged]
        claims = tuple(claim for check in checks for claim in check.claims)
        found = self.message(judged, base, head)
        files = self.with_configuration(FindingsOutcome(), base, head)
        return Reviewed(base, head, None, (), files, found, (), claims=claims)

    def message(self, findings: Iterable[Finding], base: str, head: str) -> tuple[Finding, ...]:
        """The findings about messages that are not accepted at the base."""
        is_known = self.known(base, head)
        selected = (f for f in findings if self.by.criteria.rules.takes(f.rule))
        found = self.accepted(self.moved(selected, head), head)
        shown = (f if f.counts or is_known(f) else revealed(f) for f in found)
        return tuple(finding for finding in shown if finding.counts)

    def table(
        self, olds: Sequence[Source | None], after: Source | None, parents: Sequence[str], head: str
    ) -> TableChange:
        """olds: the table as each of the parents has it, the first parent first."""
        before = olds[0]
        one = after or before
        if one is not None and one.table is not None and self.is_partial(one):
            # a table of which one side shows no row
            before, after = before or emptied(one), after or emptied(one)
        differences: list[Difference] = []
        linux: dict[str, list[Difference]] = {}
        selected: dict[str, list[Difference]] = {}
        ways = comparable(before, after)
        own: Sequence[Release] = ()
        if ways is not None:
            a, b = ways
            a, names = as_renamed(a, b)
            differences += [
                Difference("table", f"states.{new}.name", old, new) for old, new in names.items()
            ]
            by = self.by.criteria
            own, kernels = self.kernels(a, head)
            if self.is_partial(a):
                own = kernels = ()
            for difference in diff(a, b, own, by.platform):
                stage, _, kernel = difference.stage.partition(" ")
                if stage == "linux":
                    linux.setdefault(kernel, []).append(difference)
                else:
                    differences.append(difference)
            differences += exported_otherwise(a, b, firmware_of(by.platform))
            differences += used_otherwise(a, b)
            if before is not None and after is not None:
                selected = dict(self.selector.differences(a, b, kernels, by.platform))
        outcomes = [
            outcome(self.side(old, at), self.side(after, head), self.known(at, head))
            for old, at in zip(olds, parents, strict=True)
        ]
        return TableChange(
            before,
            after,
            tuple(differences),
            grouped(linux.items()),
            grouped(selected.items()),
            in_all(outcomes),
            None if ways is None else self.on_machines(before, after, head),
            tuple(kernel.name for kernel in own),
        )

    def on_machines(
        self, before: Source | None, after: Source | None, head: str
    ) -> OnMachines | None:
        """Returns the effects on machines of a change between two tables that can be compared."""
        if self.machines is None or before is None or after is None:
            return None
        if not is_changed(before, after) and before.code == after.code:
            return None
        written = self.tree.repository.commit(head).date
        day = None if written is None else written.date()
        if not self.by.partial.isdisjoint((after.name, after.file)):
            unknown = "not checked: the diff does not show the other rows of the table"
            return OnMachines(day, (), unsaid=(unknown,))
        own = self.own_release(after, head)
        return self.machines.effects(before, after, day, own.name if own else "")

    def is_partial(self, source: Source) -> bool:
        """Tells whether some rows of a table of Linux are not known."""
        form = source.table.origin.form if source.table is not None else "nodes"
        known = self.by.partial.isdisjoint((source.name, source.file))
        return form in ("nodes", "driver") and not known

    def kernels(self, source: Source, head: str) -> tuple[Sequence[Release], Sequence[Release]]:
        """Kernels whose registered states are compared, and those whose selections are. What is
        built into a driver is registered by the kernel that the driver is of; the governors of
        others may meet it in a backport."""
        wanted = self.by.criteria.kernels
        own = self.own_release(source, head)
        if own is None:
            return wanted, wanted
        return [own], [own, *(kernel for kernel in wanted if kernel.name != own.name)]

    def release_of(self, head: str) -> Release:
        """The kernel that a commit is of; where that is not known, the newest asked for."""
        name = self.tree.release_of(head)
        kernels = self.by.criteria.kernels
        return release(name) if name else max(kernels, key=lambda kernel: kernel.version)

    def own_release(self, source: Source, head: str) -> Release | None:
        """Returns the kernel of a table that is built into a driver; None for others or unknown."""
        if source.table is None or source.table.origin.form != "driver":
            return None
        name = self.tree.release_of(head)
        return release(name) if name else None

    def side(self, source: Source | None, commit: str) -> Side:
        if source is None:
            return None, []
        if id(source) not in self.checked:
            by = self.by.criteria
            # who asks for IS501 by its code gets it
            by_change = "IS501" not in by.rules.select
            found = check([source], by, by_change=by_change)
            if self.is_partial(source):
                from .dts_fragments import is_shown

                found = [finding for finding in found if is_shown(finding, source)]
            self.checked[id(source)] = source, self.moved(found, commit)
        return source.table, self.accepted(self.checked[id(source)][1], commit)

    def moved(self, findings: Iterable[Finding], commit: str) -> list[Finding]:
        """The findings at places that the commit's files have."""
        hidden = self.by.hidden.get(commit, {})
        return [at_shown_places(finding, hidden) for finding in findings] if hidden else [*findings]

    def of_files(self, commit: str) -> list[Finding]:
        """Findings about files that cannot be read at a commit, whatever rules are selected."""
        found = [*self.tree.at(commit).findings, *self.configured(commit).findings]
        return self.accepted(found, commit)

    def with_configuration(self, files: FindingsOutcome, base: str, head: str) -> FindingsOutcome:
        """The outcome with a new finding (IS906) for each change of the configuration."""
        before, after = self.configured(base), self.configured(head)
        if after.findings:
            return files
        found = self.message(changes(before.file, after.file), base, head)
        return replace(files, new=tuple(sort_findings([*files.new, *found])))

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


def _placed(judged: Judged, head: End) -> Finding:
    """A finding about a commit within the range, moved to its row's place at the head."""
    finding, row = judged
    if row is None:
        return finding
    source = next((s for s in head.sources if s.name == finding.table and s.table), None)
    if source is None:
        return replace(finding, location=replace(finding.location, line=None), related=())
    return replace(finding, location=place_in(source, row), related=())
