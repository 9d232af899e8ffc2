"""A finding: what is wrong, where, how bad, and how sure we are.

Rules, readers and the spec loader all speak in findings; how one is printed is the business of
`idle_states.report`. Input that cannot be parsed at all raises `Unreadable`, which carries
findings as well, so that every complaint has the same form.
"""

import enum
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


class Severity(enum.IntEnum):
    """Ordered, so that --fail-on can compare."""

    NOTE = 1
    WARNING = 2
    ERROR = 3

    def __str__(self) -> str:
        return self.name.lower()


class Confidence(enum.StrEnum):
    """How sure the rule is that what it reports is a mistake."""

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


MAX_MESSAGE = 1000
"""Characters of a message, which may quote a name of any length."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One complaint.

    message      longer ones are cut

    rule, name   "IS203", "residency-tie"
    kernels      releases it holds for; empty: whatever the kernel
    table        the table it was found in
    suppressed   the reason given, None when not suppressed
    kept_in      where the suppression stands: "source", "config", "baseline"; "" when there is none
    stands_for   rules that found the same fault at the place, by what follows from this one
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

    def __post_init__(self) -> None:
        if len(self.message) > MAX_MESSAGE:
            object.__setattr__(self, "message", f"{self.message[: MAX_MESSAGE - 4]} ...")

    @property
    def rules(self) -> tuple[str, ...]:
        """Its own rule, and those it stands for."""
        return (self.rule, *self.stands_for)

    @property
    def counts(self) -> bool:
        """Suppressed findings are shown on demand but never decide the exit status."""
        return self.suppressed is None


class UsageError(ValueError):
    """A request that cannot be meant: exit status 2. Says what was expected and what was found."""


class Rejected(Exception):
    """Input that a command cannot go on with.

    findings  what and where; there is always at least one
    texts     file -> text, for source frames, where the reader has it
    """

    def __init__(self, findings: Sequence[Finding], texts: Mapping[str, str] | None = None) -> None:
        super().__init__("; ".join(f"{f.location}: {f.message}" for f in findings))
        self.findings = tuple(findings)
        self.texts = dict(texts or {})


class Unreadable(Rejected):
    """Input that cannot be parsed at all, or a missing external program: exit status 3."""


class Faulty(Rejected):
    """Input that parses, but is wrong: exit status 1."""


class CannotGenerate(Faulty):
    """A table that an output form cannot express. Raised before anything is written."""


def sort_findings(findings: Iterable[Finding]) -> list[Finding]:
    """Stable order for every report: file, place, rule, message."""

    def key(finding: Finding) -> tuple[str, str, int, int, str, str, str]:
        where = finding.location
        return (
            finding.table,
            where.file or "",
            where.line or 0,
            where.column or 0,
            finding.rule,
            where.path,
            finding.message,
        )

    return sorted(findings, key=key)


def identities(findings: Iterable[Finding]) -> list[str]:
    """What stays the same about each finding when lines move: rule and logical path, numbered
    where one rule finds several things at a path. A tree's paths say which file's tree."""
    seen: dict[str, int] = {}
    names = []
    for finding in findings:
        where = finding.location
        path = f"{where.file}:{where.path}" if where.path[:1] in ("", "/") else where.path
        name = f"{finding.rule} {path}"
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return names


def worst(findings: Iterable[Finding]) -> Severity | None:
    """Highest severity among the findings that count."""
    return max((f.severity for f in findings if f.counts), default=None)
