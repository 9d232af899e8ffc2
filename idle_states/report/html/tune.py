"""tune: energy against wake latency of the tables tried, and what the best one is."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from ...replay.energy import break_even
from ...tune.search import Judged
from ...tune.tuning import Tuning
from ...tune.waits import regrets
from ...wording import plural
from ..tune_text import (
    between_us,
    break_even_us,
    edges,
    energy_of,
    energy_of_judged,
    energy_text,
    known,
    meaning,
    percent,
    percents,
    wait_us,
)
from . import energies, pictures, svg
from .energies import AS_HELD, PAID
from .page import Lines, PageTable, Part, Picture, Section
from .pictures import Point
from .shares import Share, bar, legend

_NS = 1_000_000_000
_FRONT = "none tried has less of both"


def title(tuning: Tuning) -> str:
    settings = tuning.settings
    how = "no governor" if settings is None else f"{settings.governor}, HZ {settings.hz}"
    return f"{tuning.name}, tuned: {how}, Linux {tuning.release.name}"


def sections(tuning: Tuning) -> list[Section]:
    source, tuned = tuning.source, tuning.tuned
    about = (
        f"{source.name}: {plural(tuning.gaps, 'idle gap')}, "
        f"{tuning.idle_ns / _NS:.6f} s ({source.exactness})",
        f"objective: {meaning(tuned.objective)}; {plural(tuned.tried, 'table')} tried",
        f"wake latency is the {AS_HELD}",
    )
    rests = tuple(f"- {words}" for words in (*tuning.assumptions(), *known(tuning)))
    rests += tuple(f"{p.severity}: {p.count} {p.meaning}" for p in source.problems)
    return [
        Section("What was sought", (Lines(about),)),
        Section("Tables", tuple(_tables(tuning))),
        Section("Residencies", (_residencies(tuning), *_edges(tuning))),
        Section("Where idle time goes", (_times(tuning),)),
        *([Section("How long to poll", (_waits(tuning),))] if tuning.waits else []),
        Section("All of this rests on", (Lines(rests),)),
    ]


def _three(tuning: Tuning) -> list[tuple[str, Judged]]:
    tuned = tuning.tuned
    return [("present", tuned.present), ("break-even", tuned.even), ("best", tuned.best)]


def _tables(tuning: Tuning) -> Iterator[Part]:
    yield _front(tuning)
    tuned = tuning.tuned
    said = []
    for name, bounds in zip(("the present table", "break-evens"), tuned.regrets, strict=True):
        if bounds and bounds.low != bounds.high:
            said.append(f"{name}, by figures within bounds: costs {percents(bounds)} more")
    for what, best in (("lower", tuned.if_low), ("upper", tuned.if_high)):
        if best.candidate != tuned.best.candidate:
            words = ", ".join(map(str, best.candidate))
            said.append(f"with all figures at their {what} bounds, the best is {words} us")
    if not tuned.even.feasible:
        said.append("break-evens cost more energy than the present table")
    if said:
        yield Lines(tuple(said))


def _front(tuning: Tuning) -> Picture:
    counted = tuning.tuned.best.outcomes.work > 0
    what = energy_of(tuning)
    some = [*_three(tuning), *((_FRONT, each) for each in tuning.tuned.front)]
    series = {name: i for i, name in enumerate(dict.fromkeys(name for name, _ in some))}
    points, rows = [], []
    for name, each in some:
        energy = energy_of_judged(each)
        label = "" if name == _FRONT else name
        cells = (
            name,
            f"{each.p99_ns / 1000:g} us",
            energy_text(each),
            f"{float(each.mean_ns) / 1000:.4g} us",
            percent(tuning.tuned.regret(each)),
            *([str(each.outcomes.work)] if counted else []),
            " ".join(map(str, each.candidate)),
        )
        tip = f"{name}: p99 {PAID} {cells[1]}, {what}: {cells[2]}; residencies {cells[-1]} us"
        low, high = float(energy.low), float(energy.high)
        points.append(Point(each.p99_ns, low, high, series[name], label, tip))
        rows.append(cells)
    drawing = pictures.points(
        f"{what.capitalize()}, against p99 {PAID}",
        f"A marker for each table: to the right its p99 {PAID}, up its {what}.",
        # those with labels above the others
        sorted(points, key=lambda point: point.label != ""),
        svg.times([each.p99_ns for _, each in some], f"p99 {AS_HELD}"),
        energies.upwards([point.high for point in points]),
    )
    head = (
        "table",
        f"p99 {PAID}",
        what,
        f"mean {PAID}",
        "costs more",
        *(["work counted"] if counted else []),
        "residencies, us",
    )
    numbers = frozenset(range(1, len(head) - 1))
    table = PageTable("Tables", head, tuple(rows), numbers, unbroken=True)
    return Picture(drawing, table, tuple((svg.swatch_marker(i), n) for n, i in series.items()))


def _residencies(tuning: Tuning) -> PageTable:
    tuned, table, model = tuning.tuned, tuning.table, tuning.power
    rows = []
    for place, name in enumerate(table.names[1:]):
        before, after = model.states[table.names[place]], model.states[name]
        low, high = tuned.near[place]
        least, greatest = tuned.ranges[place]
        rows.append(
            (
                name,
                str(table.states[place + 1].exit_ns // 1000),
                str(tuned.present.candidate[place]),
                break_even_us(break_even(model.awake, before, after)),
                str(tuned.best.candidate[place]),
                str(low) if low == high else f"{low} to {high}",
                f"{least} to {greatest}",
            )
        )
    head = ("residency, us", "exit latency", "present", "break-even", "best", "within 1 %", "tried")
    return PageTable("Target residencies", head, tuple(rows), frozenset(range(1, 7)), unbroken=True)


def _edges(tuning: Tuning) -> Iterator[Part]:
    names = edges(tuning)
    if names:
        yield Lines((f"at the edge of what was tried: {', '.join(names)}",))


def _times(tuning: Tuning) -> Picture:
    names = tuning.table.names
    rows, lines = [], []
    for label, each in _three(tuning):
        times: Sequence[int] = each.outcomes.time_us
        whole = sum(times) or 1
        parts = [
            Share(number, name, time / whole, f"{time} us")
            for number, (name, time) in enumerate(zip(names, times, strict=True))
        ]
        rows.append(bar(label, parts))
        lines += [
            (name, str(usage), f"{time} us", percent(Fraction(time, whole)), label)
            for name, usage, time in zip(names, each.outcomes.usage, times, strict=True)
        ]
    drawing = pictures.bands(
        "Share of idle time by state",
        "A bar each for the present, the break-even and the best table, divided by states.",
        rows,
        svg.shares("share of idle time"),
    )
    head = ("state", "usage", "time", "share", "table")
    table = PageTable(
        "Usage and time by state", head, tuple(lines), frozenset({1, 2, 3}), unbroken=True
    )
    return Picture(drawing, table, legend([(tuning.name, enumerate(names))]))


def _waits(tuning: Tuning) -> PageTable:
    rows = []
    for wait in tuning.waits:
        found = regrets(wait)
        rows.append(
            (
                wait.name,
                wait_us(wait.best_ns),
                between_us(wait.near_ns),
                break_even_us(wait.break_even_ns),
                percent(found[0] if found else None),
                percent(found[1] if found else None),
            )
        )
    first = tuning.table.names[0]
    now = "has no time-out" if tuning.timeout_ns is None else f"for {wait_us(tuning.timeout_ns)} us"
    caption = f"How long to poll before a state, the time alone being known (now {first} {now})"
    head = ("time, us", "best", "within 1 %", "break-even", "costs more", "now costs more")
    return PageTable(caption, head, tuple(rows), frozenset(range(1, 6)), unbroken=True)
