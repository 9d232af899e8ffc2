"""The result of a review: changes of tables, and their effects on firmware and kernels."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from ...base.dataclass import dataclass
from ...base.model.findings import Finding, sort_findings
from ...base.reading.git.commits import Commit
from ...base.reading.mail.mail import Mail
from ...base.reading.patch.unified import FileChange
from ...tables.check.config import Accepted
from ...tables.diff.tables import Difference
from ...tables.linux.governors import not_utilised
from ...tables.linux.releases import release
from ...tables.sources import Source
from .choices import ChoiceChange
from .claims.claim import MessageClaim
from .findings import FindingsOutcome
from .governors import GovernorChange
from .machines import OnMachines
from .match import is_changed
from .processors import ProcessorChange


@dataclass(frozen=True, slots=True)
class Letter:
    """A patch of a mail, a cover letter, or a commit.

    commit   hash; "" of a cover letter
    subject  without tags
    message  the whole message, the subject first
    date     when it was written, None likewise
    files    what the diff does, as mailed; empty for a commit of a repository
    mail     that it came with; None of a commit, or where it is read from a reply
    """

    commit: str
    subject: str
    message: str
    date: datetime | None = None
    files: tuple[FileChange, ...] = ()
    mail: Mail | None = None


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
    kernels      those whose registered states are compared; none of a table that is not whole
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
    kernels: tuple[str, ...] = ()

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
        return before is None or after is None or is_changed(before, after)

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
    processors    the processors that intel_idle's list gives another table or other settings
    choices       the machines for which skiboot chooses another table
    governors     the governors of Linux whose source changes
    """

    base: str
    head: str
    commit: Commit | None
    tables: tuple[TableChange, ...]
    files: FindingsOutcome
    message: tuple[Finding, ...]
    unread: tuple[str, ...]
    suppressions: tuple[Accepted, ...] = ()
    claims: tuple[MessageClaim, ...] = ()
    processors: tuple[ProcessorChange, ...] = ()
    choices: tuple[ChoiceChange, ...] = ()
    governors: tuple[GovernorChange, ...] = ()

    @property
    def new(self) -> list[Finding]:
        """All new findings, those about messages included, in stable order."""
        outcomes = [self.files, *(table.outcome for table in self.tables)]
        return _once([*(f for one in outcomes for f in one.new), *self.message])

    @property
    def fixed(self) -> list[Finding]:
        outcomes = [self.files, *(table.outcome for table in self.tables)]
        return _once(f for one in outcomes for f in one.fixed)

    @property
    def says_something(self) -> bool:
        return bool(
            self.tables
            or self.message
            or self.suppressions
            or self.processors
            or self.choices
            or self.governors
            or self.files != FindingsOutcome()
        )


@dataclass(frozen=True, slots=True)
class EarlierVersion:
    """The version of a mailed series before the one that is reviewed.

    number  from 1
    gone    findings that it had and the newer one has not
    kept    findings that both have, as the newer one has them
    """

    number: int
    gone: tuple[Finding, ...]
    kept: tuple[Finding, ...]


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
    unread_lines  number of changed lines that could not be read, where there is no tree
    hz          the tick rate that selections are compared at
    about       what is reviewed and how, without the commits: the same when it comes again changed
    earlier     what became of the findings of the version before; None: there is none, or the newer
                one is not known as a whole
    release      the kernel that a tree of Linux is of, by its Makefile; "" where that is not known
    is_answered  whether a reply made of a review answers it already
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
    unread_lines: int = 0
    about: tuple[str, ...] = ()
    hz: int = 250
    earlier: EarlierVersion | None = None
    is_answered: bool = False
    release: str = ""

    @property
    def has_failed(self) -> bool:
        """Tells whether a governor that was to be compared could not be."""
        return any(one.has_failed for change in self.changes for one in change.governors)

    @property
    def inputs(self) -> list[tuple[str, str]]:
        """(file, SHA-256) of what was compared, as it is after the change."""
        tables = [table.source for change in self.changes for table in change.tables]
        return list(dict.fromkeys((source.file, source.sha256) for source in tables))

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


def _once(findings: Iterable[Finding]) -> list[Finding]:
    """In stable order; what boards have in common, of one line of a file, once."""
    found: dict[object, Finding] = {}
    for finding in sort_findings(findings):
        where = finding.location
        shared = where.file is not None and where.file.endswith(".dtsi")
        key = (finding.rule, finding.message, where, finding.suppressed) if shared else id(finding)
        found.setdefault(key, finding)
    return list(found.values())


def grouped(kernels: Iterable[tuple[str, Sequence[Difference]]]) -> tuple[PerKernel, ...]:
    """Kernels with the same differences together."""
    groups: dict[tuple[tuple[str, str, str], ...], tuple[list[str], tuple[Difference, ...]]] = {}
    for kernel, differences in kernels:
        if differences:
            key = tuple((d.path, d.a, d.b) for d in differences)
            groups.setdefault(key, ([], tuple(differences)))[0].append(kernel)
    return tuple(PerKernel(tuple(names), found) for names, found in groups.values())
