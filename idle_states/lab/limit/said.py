"""limit, for people."""

from collections.abc import Iterator, Sequence

from ...base.report.escapes.text import printable
from ...base.report.style import Style
from ...base.report.tables import right_aligned, wrapped
from ...base.wording import joined
from ...tables.linux.asked import NO_LIMIT_US
from ...tables.linux.governors import not_utilised
from ...tables.linux.governors.steady import Range
from ...tables.linux.grounds import LOOP, remarks
from ...tables.linux.kernel_ranges import kernel_ranges
from ...tables.linux.releases import Release
from ...tables.selection import said_domains as select_domains
from ...tables.selection.idle_lengths import lengths
from ...tables.selection.said import circumstances, taken
from .answer import LimitedTable, LimitEra, LimitResult
from .asked import NO_LATENCY, LimitMeant
from .remaining import StateUnderLimit

_HEAD = ("STATE", "EXIT LATENCY", "TARGET RESIDENCY")


def text(found: LimitResult, style: Style) -> str:
    """Returns a block for each group of kernels that are left the same states: these, in a sentence
    what the limit comes to, and what the governor selects."""
    request = found.request
    kind = " of a CPU" if request.per_cpu else ""
    governor = f"{request.of.governor}, HZ {request.of.hz}"
    title = f"{printable(request.name)}: limit{kind} {printable(request.text)}, {governor}"
    lines = [style("strong", title)]
    asked = [release.name for release in request.releases]
    for table in found.tables:
        head = wrapped(f"Linux {_kernels(table.releases, asked)}", "", "  ")
        lines += ["", *(style("strong", line) for line in head)]
        lines += _table(table, request.per_cpu)
        for era in table.eras:
            lines += _era(era, table, asked)
            if of_domains := select_domains.text([era.under], style):
                lines += of_domains.rstrip("\n").split("\n")
    lines += ["", *_obeyed(found, asked)]
    lines += not_utilised(request.of.governor, request.releases)
    lines += remarks(request.releases, request.of.governor, LOOP)
    return "\n".join(lines).rstrip("\n") + "\n"


def _kernels(releases: Sequence[Release], asked: Sequence[str]) -> str:
    return kernel_ranges([release.name for release in releases], asked)


def _table(table: LimitedTable, per_cpu: bool) -> list[str]:
    if table.meant is None:
        names = joined([printable(state.name) for state in table.states])
        return [*wrapped(f"No such state; there are {names}")]
    rows = [
        (state.name, f"{state.needs_us} us", f"{state.residency_us} us") for state in table.states
    ]
    times = right_aligned(_HEAD, rows).rstrip("\n").split("\n")
    fates = ["", *map(_fate, table.states)]
    return [
        *(f"{line}  {fate}".rstrip() for line, fate in zip(times, fates, strict=True)),
        *(line for said in sentences(table, per_cpu) for line in wrapped(said)),
    ]


def _fate(state: StateUnderLimit) -> str:
    if state.off:
        return "switched off by the driver"
    return "stays" if state.within else f"excluded: needs {state.needs_us} us"


def sentences(table: LimitedTable, per_cpu: bool = False) -> Iterator[str]:
    """What a limit comes to: the value, the deepest state, what more would take, which values do
    the same."""
    meant = table.meant
    assert meant is not None
    yield from _value(meant, table)
    if table.limit_us >= NO_LIMIT_US:
        yield _unlimited(meant, per_cpu)
        return
    limit, deepest, more = f"{table.limit_us} us", table.deepest, table.following
    left = "no state is within it, and state 0 is entered"
    if deepest is not None:
        left = f"{printable(deepest.name)} ({deepest.needs_us} us) is the deepest"
    needs = "nothing is excluded"
    if any(era.under.domains for era in table.eras):
        needs = "none of the CPU's own states is excluded"
    if more is not None:
        needs = f"{printable(more.name)} needs {more.needs_us}"
    yield f"{limit}: {left}; {needs}."
    first, last = table.same
    if last is None:
        yield f"Every value from {first} us on leaves these states, and so does no limit."
    elif first != last:
        yield f"Every value from {first} to {last} us leaves these states."
    else:
        yield f"No other value than {first} us leaves just these states."
    for state in table.unexpected:
        name, kept = printable(state.name), printable(table.states[meant.state or 0].name)
        if state.number > (meant.state or 0):
            yield f"{name} cannot be excluded without {kept}: it takes no longer to leave."
        else:
            yield f"{name} is excluded with it although it is shallower: it takes longer to leave."


def _value(meant: LimitMeant, table: LimitedTable) -> Iterator[str]:
    for word in meant.passed:
        why = "no such state" + (", or one that takes 0 us to leave" if word.no_zero else "")
        yield f"{printable(word.text)} is passed over: {why}."
    if meant.state is not None and meant.word.number is not None:
        name = printable(table.states[meant.state].name)
        yield f"{printable(meant.word.text)} is {name} here, {meant.value_us} us."


def _unlimited(meant: LimitMeant, per_cpu: bool) -> str:
    if meant.word.text == NO_LATENCY:
        return "These kernels know no n/a: the limit is not set, and all states stay."
    if per_cpu and meant.value_us:
        return "These kernels do not look at a CPU's own limit: all states stay."
    if per_cpu:
        return "A CPU's limit of 0 is no limit: all states stay."
    return "That is no limit: all states stay."


def _era(era: LimitEra, table: LimitedTable, asked: Sequence[str]) -> list[str]:
    head = f"{era.under.governor} selects"
    if len(table.eras) > 1:
        head = f"{era.under.governor} of Linux {_kernels(era.releases, asked)} selects"
    lines = ["", *wrapped(head)]
    for titles, ranges in _maps(era):
        lines += wrapped(f"{_when(titles)}:", "  ", "    ")
        lines += wrapped(
            "; ".join(f"{taken(era.under, r)} {lengths(r.first_ns, r.last_ns)}" for r in ranges),
            "    ",
            "    ",
        )
    lines += [line for said in remarks_on(era, table) for line in wrapped(said, "  ", "  ")]
    return [printable(line) for line in lines]


def _maps(era: LimitEra) -> Iterator[tuple[list[str], Sequence[Range]]]:
    found: dict[tuple[Range, ...], list[str]] = {}
    for mapped in era.under.maps:
        words = circumstances(mapped).partition(", limit")[0]
        found.setdefault(mapped.ranges, []).append(words)
    for ranges, titles in found.items():
        yield titles, ranges


def _when(titles: Sequence[str]) -> str:
    return "always" if len(titles) == 4 else "; ".join(titles)


def remarks_on(era: LimitEra, table: LimitedTable) -> Iterator[str]:
    """Sentences: what is never selected, with the limit alone or without it too; where a value that
    leaves the same states selects otherwise."""
    free = {era.free.names[number] for number in era.free.unreachable}
    never = [name for name in era.idle if name in free]
    only = [name for name in era.idle if name not in free]
    if never:
        yield f"Equal idle periods never select, with no limit either: {joined(never)}."
    if only:
        yield f"Within the limit, but under it equal idle periods never select: {joined(only)}."
    if era.beyond:
        yield f"Selected although the limit excludes it: {joined(era.beyond)}."
    first, last = era.alike
    if era.alike != table.same:
        values = f"{first} to {last} us" if first != last else f"{first} us alone"
        values = f"{first} us and more" if last is None else values
        yield f"So with {values}; other values leave the same states and select otherwise."


def _obeyed(found: LimitResult, asked: Sequence[str]) -> Iterator[str]:
    for each in found.obeyed:
        looked = ["the system's limit (/dev/cpu_dma_latency)"]
        if each.per_cpu:
            looked.append("each CPU's (pm_qos_resume_latency_us)")
        if each.wakeup:
            looked.append("the system's on waking up (/dev/cpu_wakeup_latency)")
        kernels = _kernels(each.releases, asked)
        least = "" if len(looked) == 1 else ": the least holds"
        yield from wrapped(f"Linux {kernels} looks at {joined(looked)}{least}.")
