"""The way of idle states from firmware to use, drawn: where each is lost, and why."""

from collections.abc import Mapping, Sequence

from ...base.report.html import markers, svg
from ...base.report.html.markers import RowEvent
from ...base.report.sheet import NO_NUMBERS, Picture, Rows, Section
from ...base.wording import number_ranges, percent
from ..linux.held import idle_us_of
from .absent import absence
from .answer import Explanation, explained
from .reasons import KEEPING

KEPT, LOST, HELD = (0, ""), (svg.CROSS, "error"), (3, "warning")
_LEGEND = {0: "there", 3: "held back", svg.CROSS: "lost"}
TITLE = "How far each state gets"
_DRIVER, _GOVERNOR, _USE = _STAGES = "Driver", "Governor", "Use"
_NOT_SELECTED = (*KEEPING, "never-selected")
_IN_FIRMWARE = "lost-on-the-way", "max-cstate", "domain-state"
"""Kinds of reasons: of states that a driver has and no governor takes; that firmware alone has."""


def stage_of(form: str) -> str:
    """Returns the stage that a table of a form is of."""
    return {"dt": "Tree", "nodes": "Tree", "acpi": "ACPI"}.get(form, "Table")


def drawn(
    ways: Mapping[str, Sequence[RowEvent]],
    title: str = TITLE,
    legend: Mapping[int, str] = _LEGEND,
) -> Picture:
    """Draws for each state how far it gets; its label has the reason if that is not to the end."""
    stages = dict.fromkeys(event.at for events in ways.values() for event in events)
    names = sorted(stages, key=lambda name: name in _STAGES and _STAGES.index(name) + 1)
    labels = {state: next((f": {e.words}" for e in ways[state] if e.kind), "") for state in ways}
    cells = {state: {event.at: event.words for event in ways[state]} for state in ways}
    rows = tuple((state, *(cells[state].get(name, "-") for name in names)) for state in ways)
    return markers.along(
        title,
        "For each state a line through its stages, with a mark at each; a cross where it is lost.",
        {state + labels[state]: ways[state] for state in ways},
        (names, "stages, from firmware to use"),
        legend,
        Rows(("State", *names), rows, title, NO_NUMBERS),
    )


def of_machine(found: Explanation) -> Section:
    """Returns a picture for each kind of CPUs: their states, and those that firmware alone has."""
    pictures, tables = [], [source.table for source in found.machine.firmware if source.table]
    offered = {
        row.name: RowEvent(stage_of(table.origin.form), "offered", *KEPT)
        for table in tables
        for row in table.states
    }
    for cpus, states in found.states or (((), ()),):
        ways: dict[str, list[RowEvent]] = {}
        for number, state in enumerate(states):
            times = f"state {number}, {state.latency_us}/{state.residency_us} us"
            way = ways[state.name] = [RowEvent(_DRIVER, times, *KEPT)]
            way[:0] = [offered[state.name]] if state.name in offered else []
            some = explained(found.machine, cpus, number) if number else ()
            each = next((each for each in some if each.reasons), None)
            share = percent(state.time_us or 0, idle_us_of(states))
            words = f"{share} of the idle time, entered {state.usage} times"
            alike = each is not None and len(each.cpus) == len(cpus)
            if each:
                some_cpus = "" if alike else f"CPU {number_ranges(each.cpus)}: "
                words = f"{some_cpus}{each.reasons[0].because}"
            if each and alike and each.reasons[0].kind in _NOT_SELECTED:
                way.append(RowEvent(_GOVERNOR, words, *LOST))
            else:
                way.append(RowEvent(_GOVERNOR, "allowed", *KEPT))
                way.append(RowEvent(_USE, words, *(HELD if each else KEPT)))
        for name in [name for name in offered if name not in ways]:
            reason = absence(found.machine, name)
            if reason.kind in _IN_FIRMWARE:
                mark = KEPT if reason.kind == "domain-state" else LOST
                ways[name] = [offered[name], RowEvent(_DRIVER, reason.because, *mark)]
        whose = f": CPU {number_ranges(cpus)}" if len(found.states) > 1 else ""
        pictures += [drawn(ways, TITLE + whose)] if ways else []
    return Section("States", tuple(pictures))
