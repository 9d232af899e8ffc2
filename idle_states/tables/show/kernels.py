"""The states that each kernel registers of a table, loses and alters, in words, with reasons."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...base.dataclass import dataclass
from ...base.model.stages import Changed
from ...base.model.table import IdleTable, Register
from ...base.report.sheet import Section, Worded, indented
from ...base.wording import joined, plural
from ..linux.driver_table import DriverTable, StopChoice
from ..linux.grounds import LOOP, remarks
from ..linux.kernel_ranges import kernel_ranges
from ..pipeline import Arrival, Journey
from .stages import StageColumn

if TYPE_CHECKING:
    from ..linux.genpd.tables import CpuDomain

WIDEST_HEAD = 24
"""Characters of a kernel column's head; a longer list of kernels stands above the sections only."""
THEN, LOGS = "{}", "{} logs"


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
        key = _cells(arrival, journey.table), tuple(_sections(arrival, journey.table))
        groups.setdefault(key, []).append(arrival)
    names = [arrival.release.name for arrival in journey.arrivals]
    return [
        Agreeing(kernel_ranges([arrival.release.name for arrival in group], names), tuple(group))
        for group in groups.values()
    ]


def kernel_column(group: Agreeing, table: IdleTable) -> StageColumn:
    """Returns a group's column. A head longer than its cells names the first kernel only."""
    cells = _cells(group.first, table)
    kernels = group.kernels
    if len(f"LINUX {kernels}") > max([WIDEST_HEAD, *map(len, cells)]):
        kernels = f"{group.first.release.name} ..."
    head = Worded(f"LINUX {kernels}", f"Linux {kernels}")
    return StageColumn(head, cells, reasons={row: lost.reason for row, lost in group.first.lost})


def _cells(arrival: Arrival, table: IdleTable) -> tuple[str, ...]:
    cells = []
    for index, state in enumerate(table.states):
        entry = arrival.registered.get(index)
        if entry is None:
            cells.append(_domain_cell(arrival.driver, index))
            continue
        name = "" if entry.name == state.name else f" {entry.name}"
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


def kernel_sections(group: Agreeing, table: IdleTable, *, full: bool) -> Iterator[Section]:
    """Yields what the kernels of a group make of the table. full: with grounds and log lines."""
    name = f"Linux {group.kernels}"
    for title, lines in _sections(group.first, table, full=full):
        known: list[str] = []
        if title == THEN and group.first.subsystem != LOOP:
            releases = [arrival.release for arrival in group.arrivals]
            followed = (group.first.subsystem, *(["genpd"] if _domains_of(group.first) else []))
            known = remarks(releases, *followed)
        yield indented(title.format(name), [*lines, *known])


def _sections(
    arrival: Arrival, table: IdleTable, *, full: bool = True
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yields (title with {} for the kernel, lines) of what a kernel makes of the table."""
    driver = arrival.driver
    if driver.fatal:
        yield "{} crashes", (driver.fatal,)
    if arrival.lost:
        lines = []
        for row, lost in arrival.lost:
            state = table.states[row] if row < len(table.states) else None
            planned = " (intended: " + state.reason + ")" if state and not state.cpuidle else ""
            lines.append(f"{lost.state}: {lost.reason}{planned}{f' [{lost.ground}]' * full}")
        yield "Lost in {}", tuple(lines)
    if arrival.changed:
        yield "Changed in {}", tuple(change(changed) for _, changed in arrival.changed)
    yield THEN, (*_consequences(driver, table, arrival), *_of_domains(arrival))
    if driver.messages and full:
        yield LOGS, tuple(message.text for message in driver.messages)


def _of_domains(arrival: Arrival) -> Iterator[str]:
    domains = _domains_of(arrival)
    for domain in domains:
        names = joined([state.name for state in domain.states])
        what = f"turns {domain.name} ({domain.level} of {joined(domain.cpus)}) off"
        if domain.governed:
            yield f"{what} in a state that fits, of {names}, or leaves it on"
        else:
            yield f"{what} always in {domain.states[0].name}: it has no governor here"
    if domains:
        yield from arrival.driver.domain_notes


def _domains_of(arrival: Arrival) -> "list[CpuDomain]":
    """Returns the power domains that have states and may enter them."""
    return [domain for domain in arrival.driver.domains if domain.states and not domain.dead]


def change(changed: Changed) -> str:
    before, after = changed.before, changed.after
    return f"{changed.state}: {changed.field} {before} -> {after}, {changed.reason}"


def _consequences(driver: DriverTable, table: IdleTable, arrival: Arrival) -> Iterator[str]:
    if not driver.states and any(lost.reason.startswith("cannot tell") for lost in driver.lost):
        yield "cannot tell whether it registers a driver"
    elif not driver.fatal and not driver.states:
        yield "registers no driver; CPUs idle as their architecture does by default"
    elif driver.states:
        names = [state.name for state in driver.states]
        first = driver.states[0]
        polling = " (polling)" if first.polling else ""
        count = plural(len(names), "state")
        verb = "registers" if table.origin.form != "sysfs" else "holds"
        times = f"{first.exit_latency_us}/{first.target_residency_us} us"
        yield f"{verb} {count}: {joined(names)}; {names[0]} is {times}{polling}"
        if driver.driver:
            yield f"the driver is {driver.driver}"
        beside = [
            f"{s.name} {s.exit_latency_us}/{s.target_residency_us} us"
            for s in driver.states[1:]
            if s.source is None and table.origin.form == "driver"
        ]
        if beside:
            yield f"also has {joined(beside)}, which are not rows of the table"
        level = [s.name for s in driver.states[1:] if s.exit_latency_us == first.exit_latency_us]
        if level:
            cost = f"{first.exit_latency_us} us"
            yield f"rates {joined(level)} as cheap to leave as {names[0]} ({cost})"
        if driver.snooze_timeout_us is not None:
            yield f"leaves snooze after {driver.snooze_timeout_us} us"
    if table.register is Register.PSSCR and driver.spr_loss_level is not None:
        yield f"idles by default with {_stop(driver.default_stop, arrival, table)}"
    if driver.offline == "stop":
        yield f"offlines CPUs with {_stop(driver.deepest_stop, arrival, table)}"
    elif driver.offline:
        yield f"offlines CPUs by {driver.offline}"


def _stop(choice: StopChoice | None, arrival: Arrival, table: IdleTable) -> str:
    if choice is None:
        return "nothing"
    value = f"PSSCR {choice.psscr:#x}"
    if choice.source is None:
        return f"{value}, built into the kernel"
    same = [state.name for state in table.states if state.control == choice.psscr]
    return f"{value} ({same[0]})" if same else value
