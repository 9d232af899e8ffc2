"""tune: energy against wake latency of the tables tried, and what the best one is."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from ...tune.judging import Judged
from ...tune.tuning import Tuning
from ...wording import plural
from ..tune_text import (
    HONEST_HEAD,
    TRUTH_HEAD,
    edges,
    energy_of,
    energy_of_judged,
    energy_text,
    evens,
    honest_rows,
    known,
    mean_us,
    meaning,
    p99_us,
    percent,
    percents,
    residency_rows,
    truth_rows,
    wait_rows,
    wait_us,
)
from . import energies, markers, pictures, svg
from .energies import AS_HELD, PAID
from .markers import Level, Point
from .page import Lines, PageTable, Part, Picture, Section
from .shares import Share, bar, legend

_NS = 1_000_000_000
_FRONT, _MEANS = "front", "none tried has less of both"
_FRONT_MARKER = 3
"""The three tables have those before it."""


def title(tuning: Tuning) -> str:
    settings = tuning.settings
    how = "no governor" if settings is None else f"{settings.governor}, HZ {settings.hz}"
    return f"{tuning.name}, tuned: {how}, Linux {tuning.release.name}"


def headline(tuning: Tuning) -> tuple[str, ...]:
    """What the best table changes, and how much that saves."""
    tuned, names = tuning.tuned, tuning.table.names[1:]
    both = [tuned.present, tuned.best]
    if tuned.present.candidate == tuned.best.candidate:
        said = [f"No table tried is better than the present one ({meaning(tuned.objective)})"]
        del both[1:]
    else:
        more = percent(tuned.regret(tuned.present))
        said = [f"The present table costs {more} more than the best"]
    energy, _, unit = energy_of(tuning).partition(", ")
    for what, values, of in (
        (energy, [energy_text(each) for each in both], unit),
        (f"p99 {PAID}", [p99_us(each) for each in both], "us"),
    ):
        said.append(f"{what} {' → '.join(dict.fromkeys(values))} {of}")
    changed = [
        f"{name} {before} → {now}"
        for name, before, now in zip(
            names, tuned.present.candidate, tuned.best.candidate, strict=True
        )
        if before != now
    ]
    lines = ["; ".join(said)]
    if changed:
        lines.append(f"Target residencies, us: {', '.join(changed)}")
    if tuned.even.candidate == tuned.best.candidate:
        lines.append("The best residencies are the break-evens")
    else:
        lines.append(f"Break-evens cost {percent(tuned.regret(tuned.even))} more than the best")
    return tuple(lines)


def sections(tuning: Tuning) -> list[Section]:
    source, tuned = tuning.source, tuning.tuned
    about = (
        f"{source.name}: {plural(tuning.gaps, 'idle gap')}, "
        f"{tuning.idle_ns / _NS:.6f} s ({source.exactness})",
        f"objective: {meaning(tuned.objective)}; {plural(tuned.tried, 'table')} tried",
        *filter(None, (tuning.searched(),)),
        f"wake latency is the {AS_HELD}",
    )
    rests = tuple(f"- {words}" for words in (*tuning.assumptions(), *known(tuning)))
    rests += tuple(f"{p.severity}: {p.count} {p.meaning}" for p in source.problems)
    return [
        Section("Residencies", (_residencies(tuning), *_edges(tuning))),
        Section("Tables", tuple(_tables(tuning))),
        *_measured(tuning),
        Section("Where idle time goes", (_times(tuning),)),
        *([Section("How long to poll", (_waits(tuning),))] if tuning.waits else []),
        Section("What was sought", (Lines(about),)),
        Section("All of this rests on", (Lines(rests),)),
    ]


def _measured(tuning: Tuning) -> Iterator[Section]:
    if tuning.truth is None:
        return
    figures = frozenset(range(1, len(HONEST_HEAD)))
    parts = [PageTable("Exit latencies", TRUTH_HEAD, tuple(truth_rows(tuning.truth)), figures)]
    if tuning.honest:
        rows = tuple(honest_rows(tuning))
        parts.append(PageTable("Against the present table", HONEST_HEAD, rows, figures))
    yield Section("As measured, and honest tables", tuple(parts))


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
    tuned = tuning.tuned
    counted = tuned.best.outcomes.work > 0
    what = energy_of(tuning)
    front = [(f"{_FRONT} {n}", each) for n, each in enumerate(tuned.front, 1)]
    points, rows = [], []
    for number, (name, each) in enumerate([*_three(tuning), *front]):
        energy = energy_of_judged(each)
        series = min(number, _FRONT_MARKER)
        label = name if series < _FRONT_MARKER else str(number - series + 1)
        cells = (
            name,
            f"{p99_us(each)} us",
            energy_text(each),
            f"{mean_us(each)} us",
            percent(tuned.regret(each)),
            *([str(each.outcomes.work)] if counted else []),
            " ".join(map(str, each.candidate)),
        )
        tip = f"{name}: p99 {PAID} {cells[1]}, {what}: {cells[2]}; residencies {cells[-1]} us"
        low, high = float(energy.low), float(energy.high)
        points.append(Point(each.p99_ns, low, high, series, label, tip))
        rows.append(cells)
    drawing = markers.points(
        f"{what.capitalize()}, against p99 {PAID}",
        f"A marker for each table: to the right its p99 {PAID}, up its {what}.",
        points,
        svg.times([point.x for point in points], f"p99 {AS_HELD}"),
        energies.upwards([point.high for point in points], what),
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
    kinds = [*(name for name, _ in _three(tuning)), f"{_FRONT}: {_MEANS}"]
    samples = tuple((svg.swatch_marker(number), kind) for number, kind in enumerate(kinds))
    return Picture(drawing, table, samples)


def _residencies(tuning: Tuning) -> Picture:
    """Present, break-even and best beside each other."""
    tuned, rows, drawn = tuning.tuned, residency_rows(tuning), []
    for place, (row, even) in enumerate(zip(rows, evens(tuning), strict=True)):
        name, _, *three, near, _ = row
        low, high = tuned.near[place]
        same = f"all {three[0]} us" if len({*three}) == 1 else ""
        words = f"{', '.join(three)} us"
        values = (
            (0, 1000 * tuned.present.candidate[place]),
            (1, None if even is None else float(even[0])),
            (2, 1000 * tuned.best.candidate[place]),
        )
        tip = f"{name}: present, break-even, best {words}; within 1 % {near} us"
        drawn.append(Level(f"{name}: {same or words}", values, (1000 * low, 1000 * high), tip))
    head = ("residency, us", "exit latency", "present", "break-even", "best", "within 1 %", "tried")
    data = PageTable("Target residencies", head, tuple(rows), frozenset(range(1, 7)), unbroken=True)
    shown = [v for each in drawn for _, v in each.values if v is not None]
    drawing = markers.levels(
        "Target residencies: present, break-even, best",
        "For each state a marker for its present target residency, its break-even and the best one "
        "found, on a logarithmic scale; a wide line where the cost is within 1 % of the best.",
        drawn,
        svg.times([*shown, *(end for each in drawn for end in each.near)], "target residency"),
    )
    names = (*(name for name, _ in _three(tuning)),)
    samples = [(svg.swatch_marker(number), name) for number, name in enumerate(names)]
    return Picture(drawing, data, (*samples, (svg.swatch_near(), "within 1 % of the best")))


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
    first = tuning.table.names[0]
    now = "has no time-out" if tuning.timeout_ns is None else f"for {wait_us(tuning.timeout_ns)} us"
    caption = f"How long to poll before a state, the time alone being known (now {first} {now})"
    head = ("time, us", "best", "within 1 %", "break-even", "costs more", "now costs more")
    rows = tuple(wait_rows(tuning))
    return PageTable(caption, head, rows, frozenset(range(1, 6)), unbroken=True)
