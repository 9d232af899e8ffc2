"""show, for people: the stages side by side, then everything that was lost or altered, and why."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ..beyond_opal import Held
from ..dataclass import dataclass
from ..linux.driver_table import DriverTable, StopChoice
from ..linux.genpd.reading import levels
from ..linux.genpd.tables import CpuDomain
from ..linux.grounds import LOOP, remarks
from ..linux.intel_idle.origin import ACPI, HeldOrigin, origin
from ..linux.intel_idle.table_parameter import SINCE, Adjustable, unfit
from ..linux.suspend_parameter import parameters
from ..pipeline import Arrival, Journey
from ..stages import Changed
from ..table import Flag, IdleState, IdleTable, Register
from ..units import format_time
from ..wording import joined, plural
from .escapes.text import printable, printable_lines
from .kernel_ranges import kernel_ranges
from .show_acpi import acpi_sections
from .show_built_in import built_in_sections
from .style import Style
from .tables import width, wrapped

_LOSSES = (
    (Flag.LOSE_FULL_CONTEXT, "full"),
    (Flag.LOSE_HYP_CONTEXT, "hyp"),
    (Flag.LOSE_USER_CONTEXT, "user"),
)
WIDEST_HEAD = 24
"""Characters of a kernel column's head; a longer list of kernels stands above the sections only."""
_FIELDS = {"psscr": "PSSCR", "pmicr": "PMICR"}


class StageColumn(NamedTuple):
    """A column of the table of stages. number: of numbers, which stand to the right."""

    head: str
    cells: tuple[str, ...]
    number: bool = False

    @property
    def lines(self) -> list[str]:
        """The head and the cells as lines of equal width."""
        texts = (self.head, *self.cells)
        wide = max(map(len, texts))
        return [f"{text:>{wide}}" if self.number else f"{text:<{wide}}" for text in texts]


def render(journey: Journey, style: Style) -> str:
    """Returns the whole output of `show`, with a newline at its end."""
    table = journey.table
    title = f": {printable_lines(table.title)}" if table.title else ""
    lines = [style("strong", printable(table.name)) + title]
    if table.note:
        lines.append(f"  {printable_lines(table.note)}")
    lines.append(style("faint", f"  {printable(whence(journey))}"))
    lines += ["", *stage_table(table, style, journey_stages(journey))]
    for title, body in sections(journey):
        lines += ["", style("strong", title), *(line for text in body for line in folded(text))]
    return "\n".join(lines) + "\n"


def folded(text: str) -> list[str]:
    """Returns a line of a section, folded to the page's width; further lines are indented."""
    indent = " " * (len(text) - len(text.lstrip()) + 4)
    return wrapped(text, width(), further=indent) or [""]


def whence(journey: Journey) -> str:
    """Returns where the table comes from: file, platform and skiboot release."""
    source = journey.source
    digest = f" (sha256 {source.sha256[:12]})" if source.sha256 else ""
    machine = ""
    if journey.export is not None:
        skiboot = journey.platform.skiboot or "master"
        machine = f"; platform {journey.platform.name}, skiboot {skiboot}"
    return f"{source.file}{digest}{machine}"


def journey_stages(journey: Journey) -> list[StageColumn]:
    """Returns the columns after the table's own: what firmware exports, and what kernels
    register."""
    table, stages = journey.table, []
    if journey.export is not None:
        exported = set(journey.export.indices)
        cells = ("exports" if i in exported else "-" for i in range(len(table.states)))
        stages.append(StageColumn("FIRMWARE", tuple(cells)))
    return stages + [_kernel_column(group, table) for group in agreeing(journey)]


@dataclass(frozen=True, slots=True)
class Agreeing:
    """Kernels that a table fares alike on.

    kernels  their names, neighbours as ranges: "4.8-4.13, debian-6.1.192"
    """

    kernels: str
    arrivals: tuple[Arrival, ...]

    @property
    def first(self) -> Arrival:
        return self.arrivals[0]


def agreeing(journey: Journey) -> list[Agreeing]:
    """Returns the kernels in groups: those that register, lose and say the same, in the order of
    their first."""
    groups: dict[object, list[Arrival]] = {}
    for arrival in journey.arrivals:
        key = _cells(arrival, journey.table), tuple(_said(arrival, journey.table))
        groups.setdefault(key, []).append(arrival)
    asked = [arrival.release.name for arrival in journey.arrivals]
    return [
        Agreeing(kernel_ranges([arrival.release.name for arrival in group], asked), tuple(group))
        for group in groups.values()
    ]


def stage_table(table: IdleTable, style: Style, stages: Sequence[StageColumn] = ()) -> list[str]:
    """Returns the lines of a table with one row a state. Columns that do not fit beside each other
    follow below.

    stages  further columns, each with a cell for every row
    """
    columns = [column.lines for column in stage_columns(table, stages)]
    names, columns = columns[:2], columns[2:]
    lines: list[str] = []
    while columns:
        taken = [*names, columns.pop(0)]
        while columns and _wide([*taken, columns[0]]) <= width() + 2:
            taken.append(columns.pop(0))
        head, *rows = ("  ".join(parts).rstrip() for parts in zip(*taken, strict=True))
        lines += [*([""] if lines else []), style("faint", head), *rows]
    return lines


def stage_columns(table: IdleTable, stages: Sequence[StageColumn] = ()) -> list[StageColumn]:
    """Returns the columns of number, name and values, followed by `stages`."""

    def column(head: str, cell: Callable[[IdleState], str], number: bool = False) -> StageColumn:
        return StageColumn(head, tuple(cell(state) for state in table.states), number)

    columns = [
        StageColumn("#", tuple(str(i) for i in range(len(table.states))), number=True),
        column("STATE", lambda state: printable(state.name)),
        column("LATENCY", lambda state: format_time(state.latency_ns), number=True),
        column("RESIDENCY", _residency, number=True),
    ]
    if table.listed is not None and len(set(table_levels := levels(table.listed))) > 1:
        columns.insert(2, StageColumn("LEVEL", table_levels))
    if table.listed is not None and any(asked := parameters(table.listed)):
        cells = (f"{one.value:#x} {one.kind}" if one else "-" for one in asked)
        columns.append(StageColumn("PARAMETER", tuple(cells)))
    if table.listed is None:
        # there a latency is entry and exit together, and says nothing of the kind
        columns.append(column("SAVES", _saving, number=True))
    if table.register is not Register.NONE:
        columns.append(column("LOSES", _losses))
        columns.append(column(str(table.register).upper(), lambda s: _control(s, table)))
    return [*columns, *stages]


def _wide(columns: Sequence[Sequence[str]]) -> int:
    return sum(len(lines[0]) + 2 for lines in columns)


def _residency(state: IdleState) -> str:
    return "none" if state.residency_ns is None else format_time(state.residency_ns)


def _saving(state: IdleState) -> str:
    """Returns which share of the saving the row implies for the state: 2/k where its residency is k
    times its latency."""
    if not state.residency_ns or not state.latency_ns or state.residency_ns < state.latency_ns:
        return "-"
    percent = 200 * state.latency_ns / state.residency_ns
    return f"{percent:.3g} %"


def _losses(state: IdleState) -> str:
    lost = [name for flag, name in _LOSSES if state.has(flag)][:1]
    if state.has(Flag.TIMEBASE_STOP):
        lost.append("timebase")
    return "+".join(lost) or "nothing"


def _control(state: IdleState, table: IdleTable) -> str:
    if table.register is Register.PMICR:
        return f"{state.control:#x}" if state.control else "-"
    fields = state.psscr
    esl = "ESL" if fields.esl else ""
    return f"RL={fields.rl} MTL={fields.mtl} {esl}".rstrip()


def _kernel_column(group: Agreeing, table: IdleTable) -> StageColumn:
    """Returns a group's column. A head longer than its cells names the first kernel only."""
    cells = _cells(group.first, table)
    head = f"LINUX {group.kernels}"
    if len(head) > max([WIDEST_HEAD, *map(len, cells)]):
        head = f"LINUX {group.first.release.name} ..."
    return StageColumn(head, cells)


def _cells(arrival: Arrival, table: IdleTable) -> tuple[str, ...]:
    cells = []
    for index, state in enumerate(table.states):
        entry = arrival.registered.get(index)
        if entry is None:
            cells.append(_domain_cell(arrival.driver, index))
            continue
        name = "" if entry.name == state.name else f" {printable(entry.name)}"
        cells.append(f"{entry.index}:{name} {entry.exit_latency_us}/{entry.target_residency_us} us")
    return tuple(cells)


def _domain_cell(driver: DriverTable, row: int) -> str:
    """Returns what genpd makes of a row: number of the domain's state, entry+exit/residency."""
    for domain in driver.domains:
        for number, state in enumerate(domain.states):
            if state.row == row and not domain.dead:
                times = (state.power_off_ns, state.power_on_ns, state.residency_ns)
                entry, leave, residency = (_us(time) for time in times)
                return f"{domain.level} {number}: {entry}+{leave}/{residency} us"
    return "-"


def _us(time_ns: int) -> str:
    """Returns a time in us, with decimals where it is no whole number of them."""
    return f"{time_ns // 1000}.{time_ns % 1000:03}" if time_ns % 1000 else str(time_ns // 1000)


def sections(journey: Journey) -> Iterator[tuple[str, list[str]]]:
    """Yields (title, lines) for what was lost or changed on the way, and what follows from that."""
    table = journey.table
    export = journey.export
    if export is not None:
        if export.outcome != "ok":
            what = "an assert stops the boot" if export.outcome == "abort" else "firmware hangs"
            yield "Firmware fails", [f"  {what}: too many or too long names, see IS109 and IS110"]
        if export.chosen != _family(table) and journey.platform.name != "all-levels":
            chosen = export.chosen or "no table at all"
            yield "Note", [f"  by itself, skiboot would take {chosen} on this platform"]
        if export.lost:
            lines = [
                f"  {printable(lost.state)}: {lost.reason} [{lost.ground}]" for lost in export.lost
            ]
            yield "Lost in firmware", lines
        if export.changed:
            yield "Changed in firmware", [_change(changed) for changed in export.changed]
    if table.held is not None:
        yield "Note", list(_held(table.held))
        found = origin(table.held)
        if found is not None:
            yield "Where these states come from", list(_origin(found))
    if machine := list(_machine(journey)):
        yield "Machine", machine
    if table.built_in is not None:
        yield from built_in_sections(table.built_in, started=journey.machine is not None)
    if table.acpi is not None:
        yield from acpi_sections(table.acpi)
    refusal = _table_parameter(journey)
    if refusal:
        yield "Note", [f"  {refusal}"]
    for group in agreeing(journey):
        yield from _kernel_sections(group, table)
    energy = _energy(table)
    if energy:
        yield "When states pay, by what they draw", energy
    sources = _provenance(table)
    if sources:
        yield "Where the values come from", sources


def _held(held: Held) -> Iterator[str]:
    yield "  what a running kernel holds: firmware and driver are behind it, flags and control"
    yield "  register are not known, and the kernel named here decides its governor alone"
    off = [printable(state.name) for state in held.states if state.disabled]
    if off:
        yield f"  switched off by the user: {joined(off)}"
    used = [f"{printable(s.name)} {s.usage}" for s in held.states if s.usage is not None]
    if used:
        yield f"  entered since boot: {joined(used)} times"
    default = [printable(state.name) for state in held.states if state.default_disabled]
    if default:
        yield f"  off from the start: {joined(default)}"


def _table_parameter(journey: Journey) -> str:
    """Says whether intel_idle.table= can change this table at all; "" for tables of others."""
    table = journey.table
    by_mwait = table.built_in is not None and table.built_in.is_intel_idle
    found = origin(table.held) if table.held is not None else None
    if not journey.arrivals or not (by_mwait or (found and found.kind != ACPI)):
        return ""
    states = journey.arrivals[0].driver.states
    bad = unfit([Adjustable(s.name, s.exit_latency_us, s.target_residency_us) for s in states])
    if not bad:
        return f"intel_idle.table= (Linux {SINCE} on) may change any of these states"
    return (
        f"intel_idle.table= (Linux {SINCE} on) is refused here unless it also changes "
        f"{joined([printable(name) for name in bad])}: every state's times must be above those of "
        "the one before, and within the driver's limits"
    )


def _origin(found: HeldOrigin) -> Iterator[str]:
    yield f"  {found.name}"
    for table in found.tables:
        yield f"  {table.name} has these figures in Linux {table.releases}"
    if found.cpus:
        yield f"  which is for {joined(list(found.cpus))}"
    yield from (f"  {printable(text)}" for text in found.differences)


def _machine(journey: Journey) -> Iterator[str]:
    """What the driver starts on: what was named, and what is assumed."""
    machine = journey.machine
    if machine is not None:
        model = f"model {machine.machine.model:#x}"
        known = f"{machine.processor}, {model}" if machine.processor else model
        yield f"  {printable(machine.name)}: {known}, as intel_idle finds it when it starts"
    assumed = dict.fromkeys(text for each in journey.arrivals for text in each.driver.assumptions)
    yield from (f"  assumed: {text}" for text in assumed)


def _family(table: IdleTable) -> str:
    return table.name.partition("@")[0]


def _kernel_sections(group: Agreeing, table: IdleTable) -> Iterator[tuple[str, list[str]]]:
    name = f"Linux {group.kernels}"
    for title, lines in _said(group.first, table):
        known: list[str] = []
        if title == THEN and group.first.subsystem != LOOP:
            releases = [arrival.release for arrival in group.arrivals]
            followed = (group.first.subsystem, *(["genpd"] if domains_of(group.first) else []))
            known = [f"  {line}" for line in remarks(releases, *followed)]
        yield title.format(name), [*lines, *known]


THEN = "{} then"


def _said(arrival: Arrival, table: IdleTable) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yields (title with {} for the kernel, lines) of what a kernel makes of the table."""
    driver = arrival.driver
    if driver.fatal:
        yield "{} crashes", (f"  {driver.fatal}",)
    if arrival.lost:
        lines = []
        for row, lost in arrival.lost:
            state = table.states[row] if row < len(table.states) else None
            planned = " (intended: " + state.reason + ")" if state and not state.cpuidle else ""
            lines.append(f"  {printable(lost.state)}: {lost.reason}{planned} [{lost.ground}]")
        yield "Lost in {}", tuple(lines)
    if arrival.changed:
        yield "Changed in {}", tuple(_change(changed) for _, changed in arrival.changed)
    yield THEN, (*_consequences(driver, table, arrival), *_of_domains(arrival))
    if driver.messages:
        yield "{} logs", tuple(f"  {printable(message.text)}" for message in driver.messages)


def domains_of(arrival: Arrival) -> list[CpuDomain]:
    """Returns the power domains that have states and may enter them."""
    return [domain for domain in arrival.driver.domains if domain.states and not domain.dead]


def _of_domains(arrival: Arrival) -> Iterator[str]:
    domains = domains_of(arrival)
    for domain in domains:
        names = joined([printable(state.name) for state in domain.states])
        what = f"turns {printable(domain.name)} ({domain.level} of {joined(domain.cpus)}) off"
        if domain.governed:
            yield f"  {what} in a state that fits, of {names}, or leaves it on"
        else:
            yield f"  {what} always in {printable(domain.states[0].name)}: it has no governor here"
    for note in arrival.driver.domain_notes if domains else ():
        yield f"  {note}"


def _change(changed: Changed) -> str:
    return (
        f"  {printable(changed.state)}: {changed.field} {printable(changed.before)} -> "
        f"{printable(changed.after)}, {changed.reason}"
    )


def _consequences(driver: DriverTable, table: IdleTable, arrival: Arrival) -> Iterator[str]:
    if not driver.fatal and not driver.states:
        yield "  registers no driver; CPUs idle as their architecture does by default"
    elif driver.states:
        names = [printable(state.name) for state in driver.states]
        first = driver.states[0]
        polling = " (polling)" if first.polling else ""
        count = plural(len(names), "state")
        verb = "registers" if table.held is None else "holds"
        times = f"{first.exit_latency_us}/{first.target_residency_us} us"
        yield f"  {verb} {count}: {joined(names)}; {names[0]} is {times}{polling}"
        if driver.driver:
            yield f"  the driver is {driver.driver}"
        beside = [
            f"{printable(s.name)} {s.exit_latency_us}/{s.target_residency_us} us"
            for s in driver.states[1:]
            if s.source is None and table.built_in is not None
        ]
        if beside:
            yield f"  has {joined(beside)} from elsewhere: they are no rows of the table"
        level = [
            printable(s.name)
            for s in driver.states[1:]
            if s.exit_latency_us == first.exit_latency_us
        ]
        if level:
            cost = "nothing to leave (0 us)" if first.exit_latency_us == 0 else "no more"
            yield f"  takes {joined(level)} to cost {cost}, level with {names[0]}"
        if driver.snooze_timeout_us is not None:
            yield f"  leaves snooze after {driver.snooze_timeout_us} us"
    if table.register is Register.PSSCR and driver.spr_loss_level is not None:
        yield f"  idles by default with {_stop(driver.default_stop, arrival, table)}"
    if driver.offline == "stop":
        yield f"  offlines CPUs with {_stop(driver.deepest_stop, arrival, table)}"
    elif driver.offline:
        yield f"  offlines CPUs by {driver.offline}"


def _stop(choice: StopChoice | None, arrival: Arrival, table: IdleTable) -> str:
    if choice is None:
        return "nothing"
    value = f"PSSCR {choice.psscr:#x}"
    if choice.source is None:
        return f"{value}, built into the kernel"
    same = [state.name for state in table.states if state.control == choice.psscr]
    return f"{value} ({printable(same[0])})" if same else value


def _provenance(table: IdleTable) -> list[str]:
    """Returns lines, by source: which values of which states rest on it."""
    groups: dict[str, dict[str, list[str]]] = {}
    for state in table.states:
        by_source: dict[str, list[str]] = {}
        for field, source in state.provenance.items():
            note = f"; {source.note}" if source.note else ""
            key = f"{source.source} ({source.kind}, {source.confidence} confidence{note})"
            by_source.setdefault(key, []).append(_FIELDS.get(field, field))
        for key, fields in by_source.items():
            groups.setdefault(key, {}).setdefault(joined(fields), []).append(state.name)
    lines = []
    for key, uses in groups.items():
        lines.append(f"  {key}")
        lines += [f"      {fields} of {joined(names)}" for fields, names in uses.items()]
    return lines


def _energy(table: IdleTable) -> list[str]:
    if all(state.power is None for state in table.states):
        return []
    from . import energy_output

    return energy_output.of_table(table)
