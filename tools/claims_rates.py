"""Sections of docs/claims.md on stop0_lite: entries in a second, what makes the rare ones, and how
the simulated result moves with each time that it rests on."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from idle_states.lab.simulation import by_core
from idle_states.lab.simulation.costs import Costs
from idle_states.lab.simulation.setup import Setup
from idle_states.lab.simulation.workloads import QUIET
from idle_states.lab.statistics import poisson

from .published_wakes import ROWS, counting, dominant, used

_MS, _S = 1_000_000, 1_000_000_000
_START_NS = 20 * _MS
"""The CPUs were idle for the first 10 ms; then the two tasks run."""
_WINDOW_NS = 50 * _MS
_LONG_NS = 10 * _S
_NO_TIMER = 1000 * _S
_RARE = 100
_ENTRIES = """\
### Entries of each state, and the rare ones

The ratio of entries grows with a run's length, which the document does not give: most of what is
rare comes at the beginning. So this table has counts, and their exact 95 % Poisson interval
(Garwood) where they are below 100, which holds for events that come independently. If every switch
were one idle period, as simulated, the document's counters would cover {seconds} s: either
the runs are not of equal length, or not every switch finds the CPU idle.

{table}
The events behind the rare entries in the simulation:

- **snooze, 200 ns / 2 us**: {begin} in the first 27 us, when menu has no history and predicts
  nothing, so that snooze runs into its time-out six times on each CPU. Later only idle periods
  that begin less than 14 us before one of the kernel's own timers (*background*): menu scales the
  time to the timer down, as earlier idle periods ended early, and comes below 2 us. {later} in
  {rest:.2f} s, {rate:.2g} in a second ({low:.2g} to {high:.2g}); none without such a timer.
- **stop0_lite, 1 us / 10 us**: {lite} in the first 4 ms, while menu learns that the idle periods of
  1 ms are long. Then none in {rest:.2f} s, which bounds the rate to {bound:.2g} in a second.
- **stop1_lite, both**: {deep}, of the idle periods of 1 ms before the two tasks begin and the first
  one after. None later.

The document's 3 to 7 are of that size. Its counters do not tell which events were behind them; a
trace of cpu_idle and timer events would.

"""
_TIMES = """\
### Times that the result rests on

`simulate stop0-lite`, from {start} ms to {end} ms of each run: us for a switch with stop0_lite at
200 ns / 2 us (A), the same with stop0_lite disabled (B), and at 1 us / 10 us (C); what B and C
gain over A; and the states that dominate, if they are not the document's. Each time is moved
alone, to both ends of its plausible range; the last row moves four at once, so that idle periods
are longer than 2 us. The table's own times (200 ns / 2 us, 1 us / 10 us) are the document's.

{table}
Sources: **document**, printed there; **fitted**, chosen for a figure of the document; **measured**,
on another machine; **assumed**, none of these. No time but the idle time before decides which
state dominates: a machine that was not idle before stays in snooze even with 200 ns / 2 us. A is
predicted (C is fitted) within 2 %. B is not: it needs idle periods beyond snooze's time-out, 2 us.
"""


@dataclass(frozen=True, slots=True)
class Moved:
    """A time and a value that it may have. source: where its default comes from, and the range.

    costs      parameters of `simulate` in ns
    given      arguments of counting()
    idle_ms    how long the CPUs idled before, 1 ms each
    """

    name: str
    value: str
    source: str
    costs: Mapping[str, int] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)
    idle_ms: int = len(QUIET)


def _costs(name: str, source: str, *values_ns: int) -> Iterator[Moved]:
    for value in values_ns:
        shown = f"{value / _MS:g} ms" if value >= _MS else f"{value} ns"
        yield Moved(name.replace("_", "-"), shown, source, {name: value})


def _given(name: str, key: str, source: str, values: Mapping[str, Any]) -> Iterator[Moved]:
    for shown, value in values.items():
        yield Moved(name, shown, source, given={key: value})


MOVED = (
    Moved("defaults", "", ""),
    *_given(
        "work between two waits (860 ns)",
        "workload",
        "fitted to C; range: C's fastest and slowest sample",
        {"305 ns": "ping-pong:work=305ns", "2447 ns": "ping-pong:work=2447ns"},
    ),
    *_costs("ipi", "measured, 1100 ns; range: by state", 860, 2009),
    *_given(
        "leaving stop0_lite (200 ns; C: 1 us)",
        "exit_ns",
        "document; a timer measured 319 ns",
        {"0 ns": 0, "480 ns": 480},
    ),
    *_costs("snooze_overshoot", "assumed, 1500 ns; range: the fits in published.md", 0, 3500),
    *_costs("turn", "assumed, 1000 ns", 300, 3000),
    *_costs("switch", "assumed, 600 ns; with wake and work it makes C", 300, 1200),
    *_costs("wake", "assumed, 500 ns; with switch and work it makes C", 250, 1000),
    *_costs("idle_entry", "assumed, 300 ns", 100, 1000),
    *_costs("jitter", "assumed, none", 500, 2000),
    *_costs("background", "assumed, 1 s", 10 * _MS, 4 * _S),
    *_costs("slice", "assumed, 3 ms", 1 * _MS, 100 * _MS),
    *_given("HZ (250)", "hz", "assumed", {"100": 100, "1000": 1000}),
    *_given("kernel (4.11)", "kernel", "by the date", {"4.9": "4.9", "4.13": "4.13"}),
    *(Moved("idle before (10 ms)", f"{ms} ms", "assumed", idle_ms=ms) for ms in (0, 1, 100)),
    Moved(
        "work; snooze-overshoot; turn; jitter",
        "500, 0, 3000, 2000 ns",
        "a corner of the ranges",
        {"snooze_overshoot": 0, "turn": 3000, "jitter": 2000},
        {"workload": "ping-pong:work=500ns"},
    ),
)


@dataclass(frozen=True, slots=True)
class Steady:
    """A run without its beginning. us: for a switch; usage: state -> idle periods."""

    us: float
    usage: dict[str, int]


def steady(number: int, moved: Moved) -> Steady:
    """Simulates a row of ROWS from the end of its beginning on."""
    start_ns = _START_NS + max(0, moved.idle_ms - len(QUIET)) * _MS
    runs = [
        by_core.simulate(_setup(number, moved, duration_ns), 1)
        for duration_ns in (start_ns, start_ns + _WINDOW_NS)
    ]
    before, after = map(used, runs)
    switches = runs[1].switches - runs[0].switches
    usage = {name: after[name] - before[name] for name in after}
    return Steady(_WINDOW_NS / 1000 / switches, usage)


def _setup(number: int, moved: Moved, duration_ns: int) -> Setup:
    setup = counting(number, duration_ns, replace(Costs(), **moved.costs), **moved.given)
    tasks = tuple(
        replace(task, ops=QUIET[:1] * moved.idle_ms + task.ops[len(QUIET) :], again=moved.idle_ms)
        for task in setup.workload.tasks
    )
    return replace(setup, workload=replace(setup.workload, tasks=tasks))


@cache
def counts(number: int, duration_ns: int, background_ns: int = _S) -> dict[str, int]:
    """State -> idle periods of a row of ROWS, from the beginning on."""
    costs = replace(Costs(), background=background_ns)
    return used(by_core.simulate(counting(number, duration_ns, costs), 1))


def sections() -> str:
    """Returns what follows the table of claims on stop0_lite."""
    return _entries() + _times()


def _entries() -> str:
    rows = []
    for row in ROWS:
        rows.append(
            (row.setting, "document", *map(_counted, row.usage.values()), _ratio(row.usage))
        )
    for number in (0, 2):
        for duration_ns in (_S // 5, _S, _LONG_NS):
            usage = counts(number, duration_ns)
            shown = f"simulated, {duration_ns / _S:g} s"
            rows.append(
                (ROWS[number].setting, shown, *map(_counted, usage.values()), _ratio(usage))
            )
    head = ("stop0_lite", "run", *ROWS[0].usage, "most to the other of snooze and stop0_lite")
    first, begun = counts(0, _LONG_NS), counts(0, _START_NS)
    rest = (_LONG_NS - _START_NS) / _S
    later = first["snooze"] - begun["snooze"]
    low, high = (end / rest for end in poisson.interval(later))
    corrected = counts(2, _LONG_NS)
    late = corrected["stop0_lite"] - counts(2, _START_NS)["stop0_lite"]
    assert late == 0, "the page says that none comes later"
    assert counts(0, 2 * _S, _NO_TIMER)["snooze"] == begun["snooze"], "the page says none"
    seconds = (sum(row.usage.values()) / row.switched for row in ROWS)
    return _ENTRIES.format(
        table=_table(head, rows),
        seconds=", ".join(f"{each:.3g}" for each in seconds),
        begin=begun["snooze"],
        later=later,
        rest=rest,
        rate=later / rest,
        low=low,
        high=high,
        lite=corrected["stop0_lite"],
        bound=poisson.interval(late)[1] / rest,
        deep=corrected["stop1_lite"],
    )


def _counted(count: int) -> str:
    if count >= _RARE:
        return f"{count:,}"
    low, high = poisson.interval(count)
    return f"{count} ({low:.1f} to {high:.1f})"


def _ratio(usage: Mapping[str, int]) -> str:
    least, most = sorted((usage["snooze"], usage["stop0_lite"]))
    return f"{most / least:,.0f} to 1" if least else "no other"


def _times() -> str:
    rows = []
    expected = [dominant(row.usage) for row in ROWS]
    for moved in MOVED:
        found = [steady(number, moved) for number in range(len(ROWS))]
        us = [each.us for each in found]
        states = [dominant(each.usage) for each in found]
        rows.append(
            (
                moved.name,
                moved.value,
                *(f"{each:.3f}" for each in us),
                *(f"{100 * (us[0] / each - 1):+.1f} %" for each in us[1:]),
                "as there" if states == expected else ", ".join(states),
                moved.source,
            )
        )
    measured = [1e6 / row.switched for row in ROWS]
    gains = (f"{100 * (measured[0] / each - 1):+.1f} %" for each in measured[1:])
    us_measured = (f"{each:.3f}" for each in measured)
    rows.insert(0, ("measured", "", *us_measured, *gains, "as there", "document"))
    head = (
        "time (default)",
        "moved to",
        "A",
        "B",
        "C",
        "B gains",
        "C gains",
        "dominates",
        "source",
    )
    start, end = _START_NS // _MS, (_START_NS + _WINDOW_NS) // _MS
    return _TIMES.format(table=_table(head, rows), start=start, end=end)


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
