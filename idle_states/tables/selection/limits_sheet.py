"""select's latency limits, for people."""

from collections.abc import Iterator, Sequence

from ...base.report.escapes.text import printable
from ...base.report.sheet import Line, Lines, Part, Rows, Section, Worded
from ...base.report.tables import wrapped
from ...base.wording import joined
from ..linux.governors.steady import Range
from ..linux.grounds import LOOP, remarks
from ..linux.kernel_ranges import kernel_ranges
from ..linux.qos import NO_LIMIT_US
from ..linux.releases import Release
from .answer import Selections
from .idle_lengths import lengths
from .limit_words import NO_LATENCY, LimitMeant
from .limits import LimitedTable, LimitEra, ObeyedLimits, TableLimit
from .remaining import StateUnderLimit
from .words import NARROW, circumstances, names_in

SYSTEM = "/dev/cpu_dma_latency"


def sections(found: Selections) -> Iterator[Section]:
    """Yields for each limit, and each group of kernels that are left the same states, these, and in
    sentences what the limit comes to; nothing where no limit is asked for."""
    names = [release.name for release in found.releases]
    several = len(found.selections) > 1
    for limit in found.limits:
        whose = [limit.table, *([limit.governor] if len(found.governors) > 1 else [])]
        of = f"{', '.join(filter(None, whose))}: " if any(whose) else ""
        kind = " of a CPU" if limit.per_cpu else ""
        word = limit.wanted.text
        what = f"{kind} that keeps {word}" if limit.wanted.keeps else f" {word}{kind}"
        title: Line = _narrow(f"{of}latency limit{what}", "", "  ")
        for table in limit.by_kernel:
            kernels = f"Linux {_kernels(table.releases, names)}" if len(names) > 1 else ""
            parts = [Lines((_narrow(kernels, "", "  "),)), *_table(table, limit)]
            eras = [Lines(tuple(_era(era, table, names, several))) for era in table.eras]
            yield Section(title, (*parts, *([] if several else eras)))
            yield from (Section("", (era,)) for era in eras if several)
            title = ""
    if found.limits:
        known = (*found.governors, LOOP) if several else (LOOP,)
        looked = (_narrow(_obeyed(each, names)) for each in found.obeyed)
        lines = Lines((*looked, *remarks(found.releases, *known)))
        yield Section("Limits that kernels look at", (lines,))


def _narrow(text: str, first: str = "", further: str = "") -> Worded:
    """Returns a line that text folds to the width of headings. first, further: what its lines
    begin with."""
    return Worded("\n".join(wrapped(printable(text), first, further, room=NARROW)), text)


def _kernels(releases: Sequence[Release], names: Sequence[str]) -> str:
    return kernel_ranges([release.name for release in releases], names)


def _table(table: LimitedTable, limit: TableLimit) -> Iterator[Part]:
    if table.meant is None:
        names = joined([state.name for state in table.states])
        yield Lines((_narrow(f"No such state; there are {names}"),))
        return
    rows = tuple(
        (state.name, f"{state.needs_us} us", f"{state.residency_us} us", _fate(state))
        for state in table.states
    )
    numbers = frozenset({1, 2})
    yield Rows(("State", "Latency", "Residency", ""), rows, numbers=numbers, right=numbers)
    yield Lines(tuple(map(_narrow, _sentences(table, limit))))


def _fate(state: StateUnderLimit) -> str:
    if state.off:
        return "switched off by the driver"
    return "stays" if state.within else f"excluded: needs {state.needs_us} us"


def _sentences(table: LimitedTable, of: TableLimit) -> Iterator[str]:
    """Yields the results of a limit: the value, the deepest state, what more would take, which
    values do the same, and for states to be kept where the value is written."""
    meant = table.meant
    assert meant is not None
    yield from _value(meant, table)
    if table.limit_us >= NO_LIMIT_US:
        yield _unlimited(meant, of.per_cpu)
        return
    limit, deepest, more = f"{table.limit_us} us", table.deepest, table.following
    left = "no state is within it, and state 0 is entered"
    if deepest is not None:
        left = f"{deepest.name} ({deepest.needs_us} us) is the deepest"
    needs = "nothing is excluded"
    if any(era.under.domains for era in table.eras):
        needs = "none of the CPU's own states is excluded"
    if more is not None:
        needs = f"{more.name} needs {more.needs_us}"
    yield f"{limit}: {left}; {needs}."
    first, last = table.same
    if last is None:
        yield f"Every value from {first} us on allows these states, as does no limit."
    elif first != last:
        yield f"Every value from {first} to {last} us allows these states."
    else:
        yield f"Only {first} us allows exactly these states."
    for state in table.unexpected:
        deepest_kept = table.states[meant.states[0]]
        name, kept = state.name, deepest_kept.name
        if state.number > deepest_kept.number:
            yield f"{name} cannot be excluded without {kept}: it is as fast to leave."
        else:
            yield f"{name} is excluded too, although it is shallower: it takes longer to leave."
    if of.wanted.keeps and not of.per_cpu:
        yield f"For the system: write {table.limit_us} to {SYSTEM}, and hold it open."
    if of.wanted.keeps:
        value = f"write {table.cpu_value} to" if table.cpu_value else "no value is the same in"
        yield f"For a CPU: {value} its power/pm_qos_resume_latency_us."


def _value(meant: LimitMeant, table: LimitedTable) -> Iterator[str]:
    for word in meant.passed:
        why = "no such state" + (", or one that takes 0 us to leave" if word.no_zero else "")
        yield f"{word.text} is skipped: {why}."
    if meant.states and meant.word.number is not None:
        name = table.states[meant.states[0]].name
        yield f"{meant.word.text} is {name} here, {meant.value_us} us."


def _unlimited(meant: LimitMeant, per_cpu: bool) -> str:
    if meant.word.text == NO_LATENCY:
        return "These kernels know no n/a: the limit is not set, and all states stay."
    if per_cpu and meant.value_us:
        return "These kernels do not look at a CPU's own limit: all states stay."
    if per_cpu:
        return "A CPU's limit of 0 is no limit: all states stay."
    return "That is no limit: all states stay."


def _era(
    era: LimitEra, table: LimitedTable, names: Sequence[str], several: bool
) -> Iterator[Worded]:
    """Yields what the governor selects, if select shows its maps for the first kernel alone, and
    remarks on it."""
    if several:
        of = f" of Linux {_kernels(era.releases, names)}" if len(table.eras) > 1 else ""
        yield _narrow(f"{era.under.governor}{of} selects")
        for titles, ranges in _maps(era):
            yield _narrow(f"{_when(titles)}:", "  ", "    ")
            some = (f"{names_in(era.under, r)} {lengths(r.first_ns, r.last_ns)}" for r in ranges)
            yield _narrow("; ".join(some), "    ", "    ")
    indent = "  " if several else ""
    yield from (_narrow(each, indent, indent) for each in _remarks(era, table))


def _maps(era: LimitEra) -> Iterator[tuple[list[str], Sequence[Range]]]:
    found: dict[tuple[Range, ...], list[str]] = {}
    for mapped in era.under.maps:
        words = circumstances(mapped).partition(", limit")[0]
        found.setdefault(mapped.ranges, []).append(words)
    for ranges, titles in found.items():
        yield titles, ranges


def _when(titles: Sequence[str]) -> str:
    return "always" if len(titles) == 4 else "; ".join(titles)


def _remarks(era: LimitEra, table: LimitedTable) -> Iterator[str]:
    """Sentences: what is never selected, with the limit alone or without it too; where a value that
    leaves the same states selects otherwise."""
    free = {era.free.names[number] for number in era.free.unreachable}
    never = [name for name in era.idle if name in free]
    only = [name for name in era.idle if name not in free]
    if never:
        yield f"Never selected for equal idle periods, even without a limit: {joined(never)}."
    if only:
        yield (
            f"Within the limit, but never selected under it for equal idle periods: {joined(only)}."
        )
    if era.beyond:
        yield f"Selected although the limit excludes it: {joined(era.beyond)}."
    first, last = era.alike
    if era.alike != table.same:
        values = f"{first} to {last} us" if first != last else f"{first} us alone"
        values = f"{first} us and more" if last is None else values
        yield (
            f"The same is selected with {values}; other values allow the same states, but the "
            "selection differs."
        )


def _obeyed(each: ObeyedLimits, names: Sequence[str]) -> str:
    looked = [f"the system's limit ({SYSTEM})"]
    if each.per_cpu:
        looked.append("each CPU's (pm_qos_resume_latency_us)")
    if each.wakeup:
        looked.append("the system's on waking up (/dev/cpu_wakeup_latency)")
    least = "" if len(looked) == 1 else ": the lowest applies"
    return f"Linux {_kernels(each.releases, names)} looks at {joined(looked)}{least}."
