"""The parts of a rule: its identity, and the checks that make findings for it.

A check sees one thing and yields a verdict on each fault of it. What the thing is, the decorator of
its rule says: a table, each part of a table, or what each kernel makes of one.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Any, Literal, TypeVar

from ...base.dataclass import dataclass, field, replace
from ...base.model.findings import Confidence as Confidence
from ...base.model.findings import Finding, Location
from ...base.model.findings import Severity as Severity
from ...base.model.table import IdleState
from ...base.model.units import format_time, nanoseconds
from ..linux.driver_table import DriverTable
from ..linux.releases import Release
from ..pipeline import Subject as Subject

OPAL_FORMS = ("spec", "c", "dt")
FORMS = (*OPAL_FORMS, "sysfs", "nodes", "driver", "acpi")
Part = TypeVar("Part")
_MOST_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Verdict:
    """A fault that a check sees. Severity and confidence are the rule's unless it gives others.

    kernels  names of the kernels that it concerns, none for all
    related  (place, remark) of what else has a part in it
    """

    where: Location
    message: str
    severity: Severity | None = None
    confidence: Confidence | None = None
    kernels: tuple[str, ...] = ()
    related: tuple[tuple[Location, str], ...] = ()


Verdicts = Iterator[Verdict]


@dataclass(frozen=True, slots=True)
class KernelView:
    """A kernel that a table is followed to. driver: its result, as Subject.driver returns it."""

    subject: Subject
    release: Release
    driver: DriverTable


@dataclass(frozen=True, slots=True)
class Threshold:
    """A threshold of a rule that a project may set.

    name     "IS209.percent", as in the project's configuration
    default  the value where it sets none
    meaning  the threshold in words
    unit     "ns" for a time, which is set with its unit; "" for a number
    """

    name: str
    default: int
    meaning: str
    unit: Literal["", "ns"] = ""

    def of(self, subject: Subject) -> int:
        return subject.thresholds.get(self.name, self.default)

    def read(self, text: str) -> int:
        """Returns the value that a text sets. Raises ValueError."""
        if self.unit == "ns":
            return nanoseconds(text)
        if not text.isdecimal() or len(text) > _MOST_DIGITS:
            raise ValueError(f"expected a whole number as {self.name}, found {text!r:.80}")
        return int(text)

    def __str__(self) -> str:
        """Returns the setting as a project writes it, with the default."""
        value = format_time(self.default) if self.unit else str(self.default)
        return f"{self.name} = {value}"


@dataclass(frozen=True, slots=True)
class Remedy:
    """The one right answer to a fault of a row; `check --fix` writes it.

    field    of the row, where the findings stand and which changes
    mended   returns the row as it should be; the same row where there is no one right answer
    respelt  returns a line of a spec from the field's value on, with the value of the second row
             in place of the first's; None where the value is spelt in a way that it does not know
    """

    field: str
    mended: Callable[[IdleState], IdleState]
    respelt: Callable[[str, IdleState, IdleState], str | None]


Check = Callable[[Subject], Verdicts]
Judge = Callable[[KernelView], Verdicts]
Groups = Iterable[tuple[int, ...]]
"""Numbers of kernels, those together of which one is judged for all."""


@dataclass(frozen=True, slots=True)
class PartCheck:
    """A check of each part of a table by itself."""

    parts: Callable[[Subject], Iterable[Any]]
    judge: Callable[[Any], Verdicts]

    def __call__(self, subject: Subject) -> Verdicts:
        return chain.from_iterable(map(self.judge, self.parts(subject)))

    def of_one(self, number: int) -> Check:
        """Returns the check of one of the parts."""
        return lambda subject: self.judge([*self.parts(subject)][number])


@dataclass(frozen=True, slots=True)
class KernelCheck:
    """A check of what kernels' drivers make of a table."""

    groups: Callable[[Subject], Groups]
    judge: Judge

    def __call__(self, subject: Subject) -> Verdicts:
        return per_kernel(subject, self.judge, self.groups(subject))


@dataclass(frozen=True, slots=True)
class Rule:
    """Identity of a rule.

    code        "IS203"; once published it never changes its meaning
    name        reads well as "allow NAME": it names the bad pattern
    severity    of its findings unless one says otherwise
    varies      some have another severity, in cases that the rule's page names
    confidence  how sure a finding is a mistake
    aliases     what other tools call it: "fwts:DTSizeMismatch", "op-test:...", "dt-schema:..."
    forms       sources it can fire on: "spec", "c", "dt"; "sysfs" for what a running kernel
                holds, "nodes" for the idle-state nodes of Arm and RISC-V trees,
                "driver" for tables in the source of Linux's drivers, "acpi" for ACPI tables
    requires    rules that must not have fired at a place for this one to speak there: what it
                says follows from what they say. A finding that is more severe than theirs, or
                of other kernels, is reported all the same
    remedy      what mends it; None where there is no one right answer
    checks      what finds it in a table; none for what a reader finds
    thresholds  bounds of its own that a project may set
    """

    code: str
    name: str
    severity: Severity
    confidence: Confidence = Confidence.HIGH
    aliases: tuple[str, ...] = ()
    forms: tuple[str, ...] = OPAL_FORMS
    requires: tuple[str, ...] = ()
    remedy: Remedy | None = field(default=None, compare=False, repr=False)
    checks: list[Check] = field(default_factory=list, compare=False, repr=False)
    thresholds: list[Threshold] = field(default_factory=list, compare=False, repr=False)
    varies: bool = False

    def threshold(
        self, name: str, default: int, meaning: str, unit: Literal["", "ns"] = ""
    ) -> Threshold:
        """Returns a new threshold of the rule."""
        self.thresholds.append(Threshold(f"{self.code}.{name}", default, meaning, unit))
        return self.thresholds[-1]

    def of_table(self, check: Check) -> Check:
        """Decorates a check of a table as a whole."""
        self.checks.append(check)
        return check

    def of_each(
        self, parts: Callable[[Subject], Iterable[Part]]
    ) -> Callable[[Callable[[Part], Verdicts]], Callable[[Part], Verdicts]]:
        """Decorates a check of one part. parts: returns those that a table has."""

        def decorated(
            judge: Callable[[Part], Verdicts],
        ) -> Callable[[Part], Verdicts]:
            self.checks.append(PartCheck(parts, judge))
            return judge

        return decorated

    def of_each_driver(self, judge: Judge) -> Judge:
        """Decorates a check of what a kernel's driver makes of a table. Of kernels whose drivers
        are alike, one is judged for all."""
        self.checks.append(KernelCheck(lambda subject: subject.alikes, judge))
        return judge

    def of_each_kernel(self, judge: Judge) -> Judge:
        """Decorates a check of what a kernel makes of a table: its driver, or its governors."""
        self.checks.append(
            KernelCheck(lambda subject: ((n,) for n in range(len(subject.kernels))), judge)
        )
        return judge

    def of_each_governor(self, features: Callable[[Release], object]) -> Callable[[Judge], Judge]:
        """Decorates a check of what a kernel's driver and a governor make of a table. features: the
        governor's that it looks at; of kernels that have the same, and whose drivers are alike, one
        is judged for all."""

        def of(release: Release) -> object:
            try:
                return features(release)
            except ValueError:  # before the governor
                return None

        def decorated(judge: Judge) -> Judge:
            def groups(subject: Subject) -> Groups:
                if (found := subject.timeless.get(features)) is None:
                    found = subject.grouped(lambda each: (subject.alike(each), of(each)))
                    subject.timeless[features] = found
                return found

            self.checks.append(KernelCheck(groups, judge))
            return judge

        return decorated

    def findings(self, subject: Subject) -> Iterator[Finding]:
        """Yields the findings of all checks on a table."""
        for check in self.checks:
            for verdict in check(subject):
                yield self.finding(verdict, subject.table.name)

    def finding(self, verdict: Verdict, table: str) -> Finding:
        """Returns the finding of a verdict on the table of a name."""
        return Finding(
            rule=self.code,
            name=self.name,
            severity=verdict.severity or self.severity,
            message=verdict.message,
            location=verdict.where,
            confidence=verdict.confidence or self.confidence,
            kernels=verdict.kernels,
            related=verdict.related,
            table=table,
        )


def per_kernel(subject: Subject, judge: Judge, groups: Groups) -> Verdicts:
    """Merges equal verdicts on the kernels into one that names them."""
    verdict2numbers: dict[Verdict, set[int]] = {}
    for group in groups:
        for verdict in judge(_view(subject, group[0])):
            verdict2numbers.setdefault(verdict, set()).update(group)
    for verdict, numbers in verdict2numbers.items():
        names = (subject.kernels[number].name for number in sorted(numbers))
        yield replace(verdict, kernels=tuple(dict.fromkeys(names)))


@lru_cache(maxsize=16)  # of the kernels of one table, which all rules look at before the next
def _view(subject: Subject, number: int) -> KernelView:
    release = subject.kernels[number]
    return KernelView(subject, release, subject.driver(release))
