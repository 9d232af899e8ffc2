"""tune: energy against wake latency of the tables tried, and what the best one is."""

from collections.abc import Sequence
from fractions import Fraction

from ...workload.energy import WATTS, break_even
from ...workload.tune.search import Judged
from ...workload.tune.tuning import Tuning
from ..energy_output import number, ranged
from ..style import plural
from ..tune_text import meaning, percent
from . import pictures, svg
from .page import Lines, Picture, Section, Table
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
        f"{source.name}: {plural(source.gaps.count, 'idle gap')}, "
        f"{source.gaps.total / _NS:.6f} s ({source.exactness})",
        f"objective: {meaning(tuned.objective)}; {plural(tuned.tried, 'table')} tried",
    )
    rests = tuple(f"- {words}" for words in tuning.assumptions())
    rests += tuple(f"{p.severity}: {p.count} {p.meaning}" for p in source.problems)
    return [
        Section("What was sought", (Lines(about),)),
        Section("Energy against wake latency", (_front(tuning),)),
        Section("Residencies", (_residencies(tuning),)),
        Section("Where idle time goes", (_times(tuning),)),
        Section("All of this rests on", (Lines(rests),)),
    ]


def _three(tuning: Tuning) -> list[tuple[str, Judged]]:
    tuned = tuning.tuned
    return [("present", tuned.present), ("break-even", tuned.even), ("best", tuned.best)]


def _front(tuning: Tuning) -> Picture:
    unit = "J" if tuning.power.unit == WATTS else "s awake"
    some = [*_three(tuning), *((_FRONT, each) for each in tuning.tuned.front)]
    series = {name: i for i, name in enumerate(dict.fromkeys(name for name, _ in some))}
    points, rows = [], []
    for name, each in some:
        energy = each.energy.times(Fraction(1, _NS))
        label = "" if name == _FRONT else name
        cells = (
            name,
            f"{each.p99_ns / 1000:g} us",
            ranged(energy),
            f"{float(each.mean_ns) / 1000:.4g} us",
            percent(tuning.tuned.regret(each)),
            " ".join(map(str, each.candidate)),
        )
        tip = f"{name}: {', '.join(cells[1:3])} {unit}; residencies {cells[-1]} us"
        low, high = float(energy.low), float(energy.high)
        points.append(Point(each.p99_ns, low, high, series[name], label, tip))
        rows.append(cells)
    drawing = pictures.points(
        f"Energy, {unit}, against p99 wake latency",
        f"A marker for each table: to the right its p99 wake latency, up its energy in {unit}.",
        # those with labels above the others
        sorted(points, key=lambda point: point.label != ""),
        svg.times([each.p99_ns for _, each in some], "p99 wake latency"),
        svg.linear(min(p.low for p in points), max(p.high for p in points), ""),
    )
    head = (
        "table",
        "p99 wake latency",
        f"energy, {unit}",
        "mean wake latency",
        "costs more",
        "residencies, us",
    )
    table = Table("Tables", head, tuple(rows), frozenset({1, 2, 3, 4}))
    return Picture(drawing, table, tuple((svg.swatch_marker(i), n) for n, i in series.items()))


def _residencies(tuning: Tuning) -> Table:
    tuned, table, model = tuning.tuned, tuning.table, tuning.power
    rows = []
    for place, name in enumerate(table.names[1:]):
        before, after = model.states[table.names[place]], model.states[name]
        low, high = tuned.near[place]
        rows.append(
            (
                name,
                str(table.states[place + 1].exit_ns // 1000),
                str(tuned.present.candidate[place]),
                _even(break_even(model.awake, before, after)),
                str(tuned.best.candidate[place]),
                str(low) if low == high else f"{low} to {high}",
            )
        )
    head = ("residency, us", "exit latency", "present", "break-even", "best", "within 1 %")
    return Table("Target residencies", head, tuple(rows), frozenset(range(1, 6)))


def _times(tuning: Tuning) -> Picture:
    names = tuning.table.names
    rows, lines = [], []
    for label, each in _three(tuning):
        times: Sequence[int] = each.outcomes.time_us
        whole = sum(times) or 1
        parts = [
            Share(name, time / whole, f"{time} us") for name, time in zip(names, times, strict=True)
        ]
        rows.append(bar(label, parts, names))
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
    table = Table("Usage and time by state", head, tuple(lines), frozenset({1, 2, 3}))
    return Picture(drawing, table, legend(names, names))


def _even(bounds: tuple[Fraction, Fraction | None] | None) -> str:
    if bounds is None:
        return "never"
    low, high = bounds
    least = number(low / 1000)
    if high is None:
        return f"{least} or never"
    most = number(high / 1000)
    return least if least == most else f"{least} to {most}"
