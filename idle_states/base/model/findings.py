"""A finding: what is wrong, where, how bad, and how sure we are.

Rules, readers and the spec loader all speak in findings; how one is printed is the business of
`idle_states.base.report`. Input that cannot be parsed at all raises `Unreadable`, which carries
findings as well, so that every complaint has the same form.
"""

import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from ..dataclass import dataclass, field, replace
from ..patterns import pattern


class Severity(enum.IntEnum):
    """Ordered, so that --fail-on can compare."""

    NOTE = 1
    WARNING = 2
    ERROR = 3

    def __str__(self) -> str:
        return self._name_.lower()


class Confidence(enum.StrEnum):
    """The rule's confidence that its findings are mistakes."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class Location:
    """A place, in the file and in the data.

    file, line, column   1-based; None where the source has no lines (a device-tree blob)
    length               characters to underline
    path                 logical path, e.g. "power10:states[3].psscr.mtl"
    """

    path: str = ""
    file: str | None = None
    line: int | None = None
    column: int | None = None
    length: int = 1

    def at(self, path: str) -> "Location":
        """The same place in the file under another logical path."""
        return Location(path, self.file, self.line, self.column, self.length)

    def __str__(self) -> str:
        if self.file is None:
            return self.path
        if self.line is None:
            return f"{self.file}: {self.path}" if self.path else self.file
        return f"{self.file}:{self.line}:{self.column}"


INTERNAL_ERROR = "IS990"
"""A finding of this rule cannot be suppressed: what else is wrong with the input is not known."""
MAX_MESSAGE = 1000
"""A finding's message is cut to this many characters: it may quote a name of any length."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One complaint.

    rule, name   code and name of the rule: "IS203", "residency-tie"
    message      cut to MAX_MESSAGE characters
    related      other places, each with what it has to do with the finding
    kernels      releases the finding holds for; empty: all
    table        name of the table it was found in
    suppressed   the reason given for suppressing it; None when not suppressed
    kept_in      where the suppression stands: "source", "config", "baseline"; "" when there is none
    stands_for   rules that would report consequences of the same fault at the same place, and are
                 silent because of this finding
    next_step    what people are told to do about an input that cannot be read; "": nothing
    """

    rule: str
    name: str
    severity: Severity
    message: str
    location: Location
    confidence: Confidence = Confidence.HIGH
    related: tuple[tuple[Location, str], ...] = ()
    kernels: tuple[str, ...] = ()
    table: str = ""
    suppressed: str | None = None
    kept_in: str = ""
    stands_for: tuple[str, ...] = ()
    next_step: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if len(self.message) > MAX_MESSAGE:
            object.__setattr__(self, "message", f"{self.message[: MAX_MESSAGE - 4]} ...")
        if self.rule == INTERNAL_ERROR and self.suppressed is not None:
            object.__setattr__(self, "suppressed", None)
            object.__setattr__(self, "kept_in", "")

    @property
    def tag(self) -> str:
        """The rule's code and name."""
        return f"{self.rule} {self.name}"

    @property
    def rules(self) -> tuple[str, ...]:
        """The finding's own rule, and the rules in `stands_for`."""
        return (self.rule, *self.stands_for)

    @property
    def subject(self) -> str:
        """The finding's subject, as a suppression names it: the field by its name in the source
        ("mine:states[0].latency", "power9_cpu_idle_states[3].latency_ns"), else the table."""
        return self.location.path or self.table

    @property
    def counts(self) -> bool:
        """Tells whether the finding can decide the exit status: False if it is suppressed."""
        return self.suppressed is None


class UsageError(ValueError):
    """Arguments that make no sense: exit status 2. The message says what was expected and found."""


class Rejected(Exception):
    """Input that a command cannot go on with.

    findings  what is wrong and where; at least one
    texts     file -> its text, from which reports quote lines; only files whose text was kept
    """

    def __init__(self, findings: Sequence[Finding], texts: Mapping[str, str] | None = None) -> None:
        super().__init__("; ".join(f"{f.location}: {f.message}" for f in findings))
        self.findings = tuple(findings)
        self.texts = dict(texts or {})


class Unreadable(Rejected):
    """Input that cannot be parsed at all, or a missing external program: exit status 3."""


def unreadable(where: str | Location, message: str, line: int | None = None) -> Unreadable:
    """The exception for an input or a program that cannot be used at all, with a finding IS930.

    where    the place, or the file's name alone
    message  what was expected and found
    line     1-based; only with a file's name
    """
    if isinstance(where, str):
        where = Location(file=where, line=line, column=None if line is None else 1)
    return Unreadable([Finding("IS930", "unreadable-input", Severity.ERROR, message, where)])


_OWN_STEP = pattern("; (?!found|expected)")


@contextmanager
def next_step(step: str) -> Iterator[None]:
    """A context manager or decorator around a reader: names the next step in its errors."""
    try:
        yield
    except Unreadable as error:
        error.findings = advised(error.findings, step)
        raise


def advised(findings: Iterable[Finding], step: str) -> tuple[Finding, ...]:
    """Returns the findings, those of readers with the step; RULE in it stands for the finding's. A
    message that ends with its own, after a semicolon, and the step of a reader within stay."""
    return tuple(
        replace(each, next_step=step.replace("RULE", each.rule))
        if each.rule.startswith(("IS905", "IS91", "IS92", "IS930", "IS931", "IS932"))
        and not (each.next_step or _OWN_STEP.search(each.message))
        else each
        for each in findings
    )


class Faulty(Rejected):
    """Input that parses, but is wrong: exit status 1."""


class CannotGenerate(Faulty):
    """A table that an output form cannot express. Raised before anything is written."""


def cannot_generate(message: str, where: Location, table: str = "") -> Finding:
    """The finding IS933: what an output form cannot express. table: its name."""
    return Finding("IS933", "cannot-generate", Severity.ERROR, message, where, table=table)


def moved(findings: Iterable[Finding], file: str, other: str) -> Iterator[Finding]:
    """The findings on a file as they are of another with the same content."""

    def at(where: Location) -> Location:
        return replace(where, file=other) if where.file == file else where

    for finding in findings:
        if file == other:
            yield finding
        else:
            related = tuple((at(where), remark) for where, remark in finding.related)
            yield replace(finding, location=at(finding.location), related=related)


def sort_findings(findings: Iterable[Finding]) -> list[Finding]:
    """The findings in the order of every report: by file, place, rule, message. The folder that the
    package is installed in does not count."""
    from ..resources import in_package

    def key(finding: Finding) -> tuple[str, str, int, int, str, str, str]:
        where = finding.location
        return (
            finding.table,
            in_package(where.file or ""),
            where.line or 0,
            where.column or 0,
            finding.rule,
            where.path,
            finding.message,
        )

    return sorted(findings, key=key)


def identities(findings: Iterable[Finding], seen: dict[str, int] | None = None) -> list[str]:
    """Returns for each finding an identity that does not change when lines move: rule and logical
    path, numbered where one rule has several findings at a path. For a device tree, whose paths
    are alike in every file, the identity names the file too. seen: how many had each before."""
    seen = {} if seen is None else seen
    names = []
    for finding in findings:
        where = finding.location
        path = f"{where.file}:{where.path}" if where.path[:1] in ("", "/") else where.path
        name = f"{finding.rule} {path}"
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return names


def files_of(findings: Sequence[Finding]) -> set[str]:
    """Returns the files that findings point to."""
    places = [finding.location for finding in findings]
    places += [where for finding in findings for where, _ in finding.related]
    return {where.file for where in places if where.file is not None}


def worst(findings: Iterable[Finding]) -> Severity | None:
    """Highest severity among the findings that are not suppressed; None if there are none."""
    return max((f.severity for f in findings if f.counts), default=None)
