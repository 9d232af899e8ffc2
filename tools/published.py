"""docs/published.md and its pictures: published measurements, simulated.

python -m tools.published docs
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from idle_states.base.files import write_file
from idle_states.base.report.html import svg
from idle_states.lab.simulation.summary import BISTABLE_POINTS
from tools.command_line import parsed

from . import published_sweeps as sweeps
from . import published_wakes as wakes
from .published_plots import PlottedPair, pairs
from .published_sweeps import POLLING, PredictedRow, SweepOutcome, exchanged, predict

_HEAD = """\
# Published measurements, simulated

Made by `make published`; not edited by hand. Each row of a measurement beside what `simulate`'s
model makes of it; shares are of the woken thread's time, errors in points of a hundred, the greater
one of both states. Where parameters are free they were fitted to half the rows, by the least mean
error on a grid (`tools/published_sweeps.py`), and the other half was predicted. A fitted row
that turns out to be bistable is left out, and the others are fitted again.

A row is **bistable** if the share of snooze differs by more than {bistable:.0f} points
between {seeds} seeds, each with the jitter that was fitted and with 1 us less (not
below 0) and more; what it then lies between is in the last column but one. The tool finds that from
its own runs, not from the error.

Free are: *work* of the woken thread between two waits; *handling*, by how much a wake-up makes the
waker's period longer; *overshoot* of snooze after its time limit; *jitter* of every end of an idle
state. All else has `simulate`'s defaults; ipi and the SMT parameters come from other POWER9
measurements (docs/simulation.md).

The aim is {aim:g} point for each row that was predicted and is not bistable. Missed by: {missed}.

tests/tools/test_published.py asserts that no other row is, and these bounds:

- the state measured to dominate does, by a factor of {factor} or more
- {percent:g} % for each wake-up by another CPU that was predicted from one by a timer
"""
_PERIODS = """\
linuxppc-dev 1626676399-15975-1: on a POWER9 partition, Linux 5.13, HZ 100, a thread wakes a sibling
every so often; CEDE is (1, 10) or (10, 100) us. The waker computes in between (`busy-waker`).
"""
_POLLING = """\
The review of Linux 5ddcc03a07ae: 6.0-rc4 before and after snooze was flagged POLLING, CEDE
(12, 120) us (inferred, not stated there); modelled as 6.0 and 6.2, HZ 100, with a waker that a
timer wakes (`periodic`). Fitted are the rows without the flag; what the flag does is predicted.
"""
_TICKS = """\
Snooze's share with the POLLING flag, a wake-up every 230 us, by HZ; known from a summary that names
neither kernel nor table. That it is the machine above, with the flag, is inferred: its share at HZ
100 lies between that machine's at 110 and 250 us. All that is free was fitted above, to rows
without the flag and at HZ 100; nothing was fitted to these.
"""
_COUNTERS = """\
skiboot 51974cab7: context_switch2 on POWER9 DD1, Linux 4.11; two threads wake each other
(`ping-pong`, defaults, jitter 200 ns), after ten idle periods of 1 ms. No parameter was fitted to
these rows, but the work of 860 ns is a default that was chosen to give the document's 1.96 us per
switch.
"""
_LATENCIES = """\
linuxppc-dev 20230828061530.126588-1: time to wake a CPU from a state by a timer and by another CPU
(IPI), means in ns on a POWER9 without a hypervisor (the mail does not name the machine); the same
harness on a POWER9 partition, median and 99th percentile of 400.

The model is given, and cannot be credited with:

- the two rows of snooze, as the time from a wake-up to the first instruction
- the IPI row of stop0_lite, which the default of ipi comes from
- for *from timer*: the timer's row of each state, whose excess over snooze is taken for the exit
  latency; for CEDE also the jitter, from p99 - p50. Means say nothing of jitter: there, p50 is p99

*By the table* has the table's exit latency instead: its error is the table's, not the model's. Only
rows called predicted say something about the model: that a wake-up by another CPU takes ipi more,
in every state. CEDE's is predicted with the harness's fixed time and the ipi of the other machine.
Simulated times are rounded up by at most one part in 128.
"""
_TICKS_TITLE = "Snooze by HZ, with the POLLING flag"
_NOT = """\
## Not reproduced

- Shares at the bistable rows: which side such a machine is on, and how often it changes, depends on
  less than 1 us. The model finds the rows; its shares there are one of many. Measured, and not
  even within what 1 us of jitter does: {outside}.
- Which half is fitted matters, see *halves exchanged*. The periods of 100 and 500 us do not say
  what a wake-up takes the waker, which the one of 10 us does: without it, 10 us has no idle time at
  all. The halves were chosen knowing that, and so were the grids' bounds.
- Two sets of parameters for two machines: the sweeps do not share work, handling or overshoot, and
  a fit of four parameters to a few rows does not measure any of them. Only the shares are checked.
- How long a CPU is awake for a wake-up, in the second sweep: measured, 5.0 us (every 110 us without
  the flag), 6.8 us (110 us with it) and 5.3 to 5.4 us (the others); the model has one time for all.
- At HZ 1000 the share of snooze is over by close to half of itself.
- The benchmark's gains: measured {measured}; simulated {simulated}.
- The few periods in other states than the dominant: the simulation's come from the idle periods
  before and from background timers; claims.md has their rates, and the factor grows with the run.
- The tail of wake-ups by another CPU in a partition: p99 is {tail:.0f} % off.
- Deep states wake up later from another CPU than from a timer by far more than ipi (stop4: 130 us);
  the model has no reason for that.
"""


def pages() -> dict[str, str]:
    """Path below docs -> text."""
    found = {"published.md": ""}
    parts = [""]
    over: list[PredictedRow] = []
    for sweep, title, about in (
        (sweeps.PERIODS, "Period of a wake-up, CEDE (1, 10) and (10, 100)", _PERIODS),
        (POLLING, "Snooze with and without the POLLING flag", _POLLING),
    ):
        outcome = predict(sweep, sweep.fitted)
        over += sweeps.missed(outcome.rows)
        parts.append(_sweep(title, about, outcome, exchanged(sweep)))
        found[f"published/{sweep.name}.svg"] = _shares_plot(title, outcome.rows)
    free, again = predict(POLLING, POLLING.fitted).free, exchanged(POLLING).free
    rows = sweeps.ticks(free)
    parts.append(_ticks(rows, sweeps.ticks(again)))
    found["published/tick-rate.svg"] = _shares_plot(_TICKS_TITLE, rows)
    parts += [_counters(), _latencies(), _not_reproduced()]
    found["published/usage-counters.svg"] = _counters_plot()
    found["published/wake-latencies.svg"] = _latencies_plot()
    parts[0] = _head([*over, *sweeps.missed(rows)])
    return {**found, "published.md": "\n".join(parts)}


def _head(missed: Iterable[PredictedRow]) -> str:
    over = (f"{row.case.period_us} us, {row.case.setting} ({row.points:.2f})" for row in missed)
    return _HEAD.format(
        bistable=BISTABLE_POINTS,
        seeds=len(sweeps.SEEDS),
        aim=sweeps.AIM,
        missed="; ".join(over) or "none",
        factor=wakes.FACTOR,
        percent=wakes.ERROR_PERCENT,
    )


def _sweep(title: str, about: str, outcome: SweepOutcome, other: SweepOutcome) -> str:
    free, again = outcome.free, other.free
    rows = [
        (
            f"{row.case.period_us} us",
            row.case.setting,
            _shares(row.case.measured),
            _shares(row.simulated),
            f"{row.points:.2f}",
            "fitted" if row.fitted else "predicted",
            ("**bistable**, " if row.bistable else "") + _range(row),
            f"{reverse.points:.2f}{', bistable' if reverse.bistable else ''}"
            + (", fitted" if reverse.fitted else ""),
        )
        for row, reverse in zip(outcome.rows, other.rows, strict=True)
    ]
    head = (
        "period",
        "setting",
        "measured: snooze, CEDE",
        "simulated",
        "error",
        "row",
        "snooze, jitter -1 to +1 us",
        "error, halves exchanged",
    )
    text = (
        f"Fitted: {_free(free)}; mean error of the fitted rows {outcome.mean_points:.2f} points. "
        f"Greatest error of a predicted row that is not bistable: {outcome.worst:.2f}. "
        f"With the halves exchanged: {_free(again)}; there {other.worst:.2f}.\n"
    )
    picture = f"![{title}](published/{outcome.sweep.name}.svg)\n"
    return f"## {title}\n\n{about}\n{text}\n{_table(head, rows)}\n{picture}"


def _free(free: sweeps.Free) -> str:
    return (
        f"work {free.work} ns, handling {free.handling} ns, overshoot {free.overshoot} ns, "
        f"jitter {free.jitter} ns"
    )


def _shares(shares: sweeps.Measured) -> str:
    return ", ".join(f"{share:.2f}" for share in shares if share is not None)


def _range(row: PredictedRow) -> str:
    return f"{row.snooze[0]:.1f} to {row.snooze[1]:.1f}"


def _ticks(rows: Sequence[PredictedRow], others: Sequence[PredictedRow]) -> str:
    lines = [
        (
            row.case.setting,
            _shares(row.case.measured),
            f"{row.simulated[0]:.2f}",
            f"{row.points:.2f}",
            ("**bistable**, " if row.bistable else "") + _range(row),
            f"{other.points:.2f}",
        )
        for row, other in zip(rows, others, strict=True)
    ]
    head = (
        "ticks a second",
        "measured: snooze",
        "predicted",
        "error",
        "snooze, jitter -1 to +1 us",
        "error, the other half of the rows above fitted",
    )
    picture = f"![{_TICKS_TITLE}](published/tick-rate.svg)\n"
    return f"## {_TICKS_TITLE}\n\n{_TICKS}\n{_table(head, lines)}\n{picture}"


def _shares_plot(title: str, found: Iterable[PredictedRow]) -> str:
    rows = []
    for row in found:
        for at, state in enumerate(("snooze", "CEDE")):
            measured, simulated = row.case.measured[at], row.simulated[at]
            if measured is None:
                continue
            words = "fitted" if row.fitted else "predicted"
            words += ", bistable" if row.bistable else ""
            label = (
                f"{row.case.period_us} us, {row.case.setting}, {state}: measured {measured:.2f} %, "
                f"simulated {simulated:.2f} % ({words})"
            )
            between = row.snooze if row.bistable and state == "snooze" else None
            rows.append(PlottedPair(label, measured, simulated, between))
    ticks = tuple((float(share), f"{share} %") for share in range(0, 101, 25))
    axis = svg.Axis(0, 100, ticks, "share of the woken thread's time")
    return pairs(title, "Share of the time in each state, measured and simulated.", rows, axis)


def _counters() -> str:
    rows = []
    for number, row in enumerate(wakes.ROWS):
        found = wakes.counted(number)
        state = wakes.dominant(row.usage)
        rows.append(
            (
                row.setting,
                state,
                wakes.dominant(found.usage),
                _usage(row.usage),
                _usage(found.usage),
                _factor(wakes.dominance(row.usage)),
                _factor(found.factor),
            )
        )
    head = (
        "stop0_lite",
        "dominates, measured",
        "simulated",
        "usage, measured",
        "simulated",
        "factor, measured",
        "simulated",
    )
    text = "The factor: usage of that state to that of all others together.\n"
    title, picture = "Usage counters of stop0_lite", "published/usage-counters.svg"
    return f"## {title}\n\n{_COUNTERS}\n{text}\n{_table(head, rows)}\n![{title}]({picture})\n"


def _usage(usage: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in usage.items())


def _factor(factor: float) -> str:
    return "no others" if factor == float("inf") else f"{factor:.0f}"


def _counters_plot() -> str:
    rows = [
        PlottedPair(
            f"{row.setting}, {name}: measured {count}, simulated {simulated}",
            count,
            simulated,
        )
        for number, row in enumerate(wakes.ROWS)
        for (name, count), simulated in zip(
            row.usage.items(), wakes.counted(number).usage.values(), strict=True
        )
    ]
    ticks = ((0.1, "0"), *((float(10**power), f"{10**power}") for power in range(8)))
    axis = svg.Axis(0.1, 1e7, ticks, "idle periods; runs are not of equal length", True)
    return pairs("Usage counters of stop0_lite", "Idle periods by state.", rows, axis)


def _latencies() -> str:
    rows = []
    for wake in wakes.wakes():
        known = [value for value in wake.measured if value is not None]
        measured = f"mean {known[0]}" if len(known) == 1 else _both(known)
        cells = []
        for simulated in (wake.by_table, wake.by_timer):
            errors = (f"{wake.percent(simulated, at):+.1f} %" for at in range(len(known)))
            cells += [_both(simulated), ", ".join(errors)]
        kind = "fitted" if wake.fitted else "predicted"
        rows.append((wake.state, wake.kind, measured, *cells, kind))
    head = (
        "state",
        "woken by",
        "measured: p50, p99",
        "by the table: p50, p99",
        "error",
        "from timer: p50, p99",
        "error",
        "from timer is",
    )
    title, picture = "Wake latencies of POWER9", "published/wake-latencies.svg"
    return f"## {title}\n\n{_LATENCIES}\n{_table(head, rows)}\n![{title}]({picture})\n"


def _both(values: Sequence[int]) -> str:
    return ", ".join(str(value) for value in values)


def _latencies_plot() -> str:
    rows = [
        PlottedPair(
            f"{wake.state}, {wake.kind}, {name}: measured {measured} ns, simulated "
            f"{wake.by_timer[at]} ns ({'fitted' if wake.fitted else 'predicted'})",
            measured,
            wake.by_timer[at],
        )
        for wake in wakes.wakes()
        for at, name in enumerate(("mean" if wake.measured[1] is None else "p50", "p99"))
        if (measured := wake.measured[at]) is not None
    ]
    values = [round(row.measured) for row in rows]
    axis = svg.times(values, "from the wake-up to the first instruction; exit latency from timer")
    return pairs("Wake latencies of POWER9", "Time of a wake-up, by state.", rows, axis)


def _not_reproduced() -> str:
    rows = [wakes.counted(number) for number in range(len(wakes.ROWS))]
    gains = [
        ", ".join(f"{100 * (rate / rates[0] - 1):+.0f} %" for rate in rates[1:])
        for rates in ([row.row.switched for row in rows], [row.switched for row in rows])
    ]
    tail = max(
        abs(wake.percent(wake.by_timer, 1))
        for wake in wakes.wakes()
        if wake.measured[1] is not None and not wake.fitted
    )
    outside = [
        f"{row.case.period_us} us, {row.case.setting} (snooze {row.case.measured[0]:.2f} %)"
        for sweep in (sweeps.PERIODS, POLLING)
        for row in predict(sweep, sweep.fitted).rows
        if row.bistable and not row.snooze[0] <= row.case.measured[0] <= row.snooze[1]
    ]
    return _NOT.format(
        outside="; ".join(outside) or "none",
        measured=f"{gains[0]} (stop0_lite disabled, corrected)",
        simulated=gains[1],
        tail=tail,
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def write(directory: Path, found: Mapping[str, str]) -> None:
    """Writes what pages() returned, each file whole or not at all."""
    for name, page in found.items():
        place = directory / name
        place.parent.mkdir(exist_ok=True)
        write_file(place, page)


if __name__ == "__main__":
    write(Path(parsed(__doc__, "DIRECTORY").directory), pages())
