"""What a rule is: its identity, and how it makes findings."""

from collections.abc import Callable, Iterable, Iterator
from types import ModuleType

from ..dataclass import dataclass
from ..findings import Confidence, Finding, Location, Severity
from ..linux.driver_table import DriverTable
from ..linux.releases import Release
from ..pipeline import Subject

OPAL_FORMS = ("spec", "c", "dt")
FORMS = (*OPAL_FORMS, "sysfs", "nodes", "driver", "acpi")


@dataclass(frozen=True, slots=True)
class Rule:
    """Identity of a rule.

    code        "IS203"; once published it never changes its meaning
    name        reads well as "allow NAME": it names the bad pattern
    severity    of its findings unless one says otherwise
    confidence  how sure a finding is a mistake
    aliases     what other tools call it: "fwts:DTSizeMismatch", "op-test:...", "dt-schema:..."
    forms       sources it can fire on: "spec", "c", "dt"; "sysfs" for what a running kernel
                holds, "nodes" for the idle-state nodes of Arm and RISC-V trees,
                "driver" for tables in the source of Linux's drivers, "acpi" for ACPI tables
    requires    rules that must not have fired at a place for this one to speak there: what it
                says follows from what they say. A finding that is more severe than theirs, or
                of other kernels, is reported all the same
    """

    code: str
    name: str
    severity: Severity
    confidence: Confidence = Confidence.HIGH
    aliases: tuple[str, ...] = ()
    forms: tuple[str, ...] = OPAL_FORMS
    requires: tuple[str, ...] = ()

    def finding(
        self,
        subject: Subject,
        message: str,
        where: Location,
        *,
        severity: Severity | None = None,
        confidence: Confidence | None = None,
        kernels: Iterable[str] = (),
        related: Iterable[tuple[Location, str]] = (),
    ) -> Finding:
        return Finding(
            rule=self.code,
            name=self.name,
            severity=severity or self.severity,
            message=message,
            location=where,
            confidence=confidence or self.confidence,
            kernels=tuple(kernels),
            related=tuple(related),
            table=subject.table.name,
        )


@dataclass(frozen=True, slots=True)
class LoadedRule:
    """A rule with its page and its check (None for findings that readers raise)."""

    rule: Rule
    page: str
    check: Callable[[Subject], Iterator[Finding]] | None

    @property
    def summary(self) -> str:
        """The page's first line without code and name."""
        return self.page.partition("\n")[0].partition(": ")[2].rstrip(".")

    @classmethod
    def of(cls, module: ModuleType) -> "LoadedRule":
        return cls(module.RULE, module.__doc__ or "", getattr(module, "check", None))


Judged = tuple[Location, str]


def per_kernel(
    subject: Subject,
    judge: Callable[[DriverTable, Release], Iterable[Judged]],
    *,
    governor: bool = False,
) -> Iterator[tuple[Location, str, tuple[str, ...]]]:
    """Runs `judge` for every kernel and merges equal verdicts: place, message, their kernels.

    Kernels with the same driver are judged once, unless the judge looks at a governor.
    """
    judged: dict[object, list[Judged]] = {}
    alikes = [release.name for release in subject.kernels] if governor else subject.alikes
    for alike, release in zip(alikes, subject.kernels, strict=True):
        if alike not in judged:
            judged[alike] = list(judge(subject.linux(release), release))
    if not any(judged.values()):
        return
    verdicts: dict[Judged, list[str]] = {}
    for alike, release in zip(alikes, subject.kernels, strict=True):
        for verdict in judged[alike]:
            names = verdicts.setdefault(verdict, [])
            if release.name not in names:
                names.append(release.name)
    for (where, message), names in verdicts.items():
        yield where, message, tuple(names)
