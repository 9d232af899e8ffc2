"""check: the findings of readers and rules."""

from collections.abc import Iterable, Sequence

from ..findings import Finding, sort_findings
from ..linux.platforms import AnyPlatform
from ..linux.releases import Release
from ..pipeline import Subject
from ..rules.engine import ALL, RuleSelection, reading, run, unused
from ..skiboot.platform import ALL_LEVELS
from ..sources import Source
from .criteria import Criteria


def check(
    sources: Iterable[Source],
    kernels: Sequence[Release],
    platform: AnyPlatform = ALL_LEVELS,
    selection: RuleSelection = ALL,
    *,
    own_time: bool = False,
    by_change: bool = False,
) -> list[Finding]:
    """Returns the findings on all sources, sorted. The arguments are those of `Criteria`;
    by_change: see `Subject`.

    A suppression in a spec is reported as unused (IS902) only if none of the checked tables that
    are based on the spec needs it, and not at all if only some rules are selected.
    """
    criteria = Criteria(tuple(kernels), platform, selection, own_time)
    found: list[Finding] = []
    seen: dict[str, list[Source]] = {}
    for source in sources:
        seen.setdefault(source.file, []).append(source)
        found += reading(source, selection)
        if source.table is not None:
            taken = criteria.kernels_of(source.table)
            subject = Subject.of(source, taken, platform, by_change=by_change)
            found += run(subject, source.suppressions, selection)
    if selection == ALL:
        for file, members in seen.items():
            own = [s for member in members for s in member.suppressions if s.where.file == file]
            silent = ("IS501",) if by_change else ()
            found += unused(dict.fromkeys(own), found, members[0].name, silent)
    return sort_findings(dict.fromkeys(found))
