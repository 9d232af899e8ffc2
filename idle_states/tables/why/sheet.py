"""The result of `why`, for people."""

from collections.abc import Iterator, Sequence

from ...base.dataclass import fields
from ...base.report.sheet import Lines, Marked, Rows, Section, Sheet, Worded, indented
from ...base.wording import few, number_ranges, percent, plural
from ..linux.held import idle_us_of
from ..linux.qos import NO_LIMIT_US
from .answer import Explained, Explanation
from .sampled import Sampled, SampledState

_ENDS = 2
"""Causes named in a row."""
_ALL_USED = "every state beyond the first is used"
_HEAD = ("State", "Exit/residency", "Idle time", "Usage", "Above", "Below", "Rejected", "Off")


def sheet(found: Explanation, ways: Sequence[Section] = ()) -> Sheet:
    """Returns one screen: the machine, its states, and the reasons by rank. ways: of a page, which
    begins with them."""
    machine = found.machine
    release = machine.release
    kernel = f"Linux {release.name}" if release else machine.kernel.split(" (")[0]
    about = (
        f"driver {machine.driver or 'not seen'}, governor {machine.dump.governor or 'not seen'}, "
        f"{kernel or 'kernel not seen'}, HZ {machine.hz}"
    )
    counters = Section(
        Worded("", "Use since boot"), (Rows(_HEAD, tuple(_rows(found))),), folded=True
    )
    sections = [counters, *map(_section, found.explained)]
    if not found.explained:
        sections.append(Section("", (Lines((_ALL_USED,)),)))
    if machine.sampled:
        sections.append(_sample(machine.sampled))
    sections.append(indented("Not seen", found.not_seen))
    first = next((e for e in found.explained if e.reasons), None)
    headline = f"{first.title}: {first.reasons[0].because}" if first else _ALL_USED
    return Sheet(
        f"{machine.name}: why", (headline,), (*ways, *sections), Section("", (Lines((about,)),))
    )


def _rows(found: Explanation) -> Iterator[tuple[str, ...]]:
    """Yields a row for each state of each kind of CPUs."""
    for cpus, states in found.states:
        idle_us = idle_us_of(states)
        whose = f" of CPU {number_ranges(cpus)}" if len(found.states) > 1 else ""
        off = [found.machine.dump.cpus[cpu] for cpu in cpus]
        for number, state in enumerate(states):
            count = sum(each[number].disabled for each in off)
            counts = (state.usage, state.above, state.below, state.rejected)
            yield (
                f"{state.name}{whose}",
                f"{state.latency_us}/{state.residency_us} us",
                percent(state.time_us or 0, idle_us),
                *("-" if each is None else str(each) for each in counts),
                plural(count, "CPU") if 0 < count < len(cpus) else "off" if count else "",
            )


def _sample(found: Sampled) -> Section:
    """Returns a row for each state of each CPU."""
    names = [each.name for each in fields(SampledState)]
    rows = (tuple(_shown(getattr(each, name)) for name in names) for each in found.states)
    head = tuple(name.removesuffix("_us").replace("_", " ").capitalize() for name in names)
    table = Rows(head, tuple(rows), numbers=frozenset({0, *range(2, len(names) - 1)}))
    notes = ("medians in us; what the driver refused is no idle period", *found.notes)
    return Section(f"Sampled for {found.seconds} s", (table, Lines(notes, "  ", "    ")))


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return few([f"{what} {count:,}" for what, count in value.items()], _ENDS)
    if value in (None, NO_LIMIT_US):
        return "-" if value is None else "none"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _section(each: Explained) -> Section:
    lines = [] if each.reasons else ["nothing seen keeps it from being used"]
    for number, reason in enumerate(each.reasons, 1):
        mark = f"{number}. " if len(each.reasons) > 1 else ""
        lines += [f"{mark}{reason.because}", f"seen in: {reason.where}", f"next: {reason.next}"]
    return indented((Marked("strong", each.title),), lines)
