"""check: the findings of readers and rules."""

from collections.abc import Iterable

from ...base.model.findings import Finding, Unreadable, sort_findings
from ...base.model.table import IdleTable
from ...base.reading.unexpected import on_input
from ..linux.releases import Release
from ..pipeline import Subject
from ..rules.engine import reading, run, unused
from ..sources import Source
from .cannot_tell import over_ends
from .criteria import Criteria


def check(
    sources: Iterable[Source], criteria: Criteria, *, by_change: bool = False
) -> list[Finding]:
    """Returns the findings on all sources, sorted. by_change: see `Subject`.

    A suppression in a spec is reported as unused (IS902) only if none of the checked tables that
    are based on the spec needs it, and not at all if only some rules are selected.
    """
    found: list[Finding] = []
    seen: dict[str, list[Source]] = {}
    specs: list[IdleTable] = []
    for source in sources:
        seen.setdefault(source.file, []).append(source)
        found += reading(source, criteria.rules)
        if source.table is not None:
            try:
                with on_input(source.file):
                    found += _of_rules(source, criteria, by_change, tuple(specs))
                    if source.table.read_from.kind == "spec":
                        specs.append(source.table)
            except Unreadable as error:
                found += error.findings
    if criteria.rules.is_all:
        for file, members in seen.items():
            own = [s for member in members for s in member.suppressions if s.where.file == file]
            silent = ("IS501",) if by_change else ()
            found += unused(dict.fromkeys(own), found, members[0].name, silent)
    return sort_findings(dict.fromkeys(found))


def _of_rules(
    source: Source, criteria: Criteria, by_change: bool, earlier: tuple[IdleTable, ...]
) -> list[Finding]:
    """The findings of rules on a source's table, for each end of a kernel that is not known."""
    assert source.table is not None

    def found(kernels: tuple[Release, ...]) -> list[Finding]:
        subject = Subject.of(
            source,
            kernels,
            criteria.platform,
            by_change=by_change,
            thresholds=dict(criteria.rules.thresholds),
        )
        subject.earlier = earlier
        return list(run(subject, source.suppressions, criteria.rules))

    return over_ends(criteria.kernels_of(source.table), found, criteria.rules)
