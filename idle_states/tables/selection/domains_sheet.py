"""select's power domains, for people."""

from collections.abc import Iterator, Sequence

from ...base.report.sheet import Lines, Section, Worded
from ...base.wording import joined, plural
from ..linux.genpd.governor import NO_LATENCY_LIMIT_US
from ..linux.grounds import remarks
from .domains import DomainMap, DomainRange, DomainSelection
from .idle_lengths import lengths
from .selection import TableSelection


def sections(selections: Sequence[TableSelection]) -> Iterator[Section]:
    """Yields each domain and what it does, with the kernels that agree on it, then notes; nothing
    if no table has domains."""
    several = len({selection.governor for selection in selections}) > 1
    groups: dict[tuple[str, str, tuple[DomainSelection, ...]], list[str]] = {}
    for selection in selections:
        if selection.domains:
            whose = f"{selection.governor} of " if several else ""
            key = selection.table, whose, selection.domains
            groups.setdefault(key, []).append(selection.release.name)
    for (table, whose, domains), kernels in groups.items():
        for each in domains:
            under = f" under {whose}Linux {joined(kernels)}" if len(selections) > 1 else ""
            of = f"{table}: " if len({name for name, *_ in groups}) > 1 else ""
            yield Section(f"{of}{_what(each)}{under}", (Lines(tuple(_lines(each))),))
    notes = dict.fromkeys(note for each in selections for note in each.domain_notes)
    known = remarks([each.release for each in selections if each.domains], "genpd")
    yield Section(Worded("", "Remarks: power domains"), (Lines((*notes, *known)),))


def _what(each: DomainSelection) -> str:
    domain = each.domain
    return f"{domain.name}, {domain.level} of {plural(len(domain.cpus), 'CPU')}"


def _lines(each: DomainSelection) -> Iterator[str]:
    if each.domain.dead:
        yield f"  never off: {each.domain.dead}"
        return
    yield f"  asked when the last CPU enters {each.asked_by}; by its CPUs' next timer:"
    for mapped, blocked in zip(each.maps, each.blocked, strict=True):
        if mapped.limit_us != NO_LATENCY_LIMIT_US:
            yield f"  latency limit {mapped.limit_us} us" + _unlimited(mapped)
        if blocked:
            yield f"    stays on: {blocked} does not settle in its last state"
            continue
        yield from _aligned(each, mapped.first)
        if mapped.ranges != mapped.first:
            yield "  from the second time on, until a constraint changes:"
            yield from _aligned(each, mapped.ranges)


def _unlimited(mapped: DomainMap) -> str:
    return "" if mapped.limited else ", which this kernel ignores for power domains"


def _aligned(each: DomainSelection, ranges: Sequence[DomainRange]) -> Iterator[str]:
    pairs = [(lengths(r.first_ns, r.last_ns), r.state) for r in ranges]
    wide = max(len(left) for left, _ in pairs)
    for left, state in pairs:
        name = "stays on" if state is None else each.domain.states[state].name
        yield f"    {left:>{wide}}  {name}"
