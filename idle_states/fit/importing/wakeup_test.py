"""Logs of avocado's cpuidle_wakeup_test: one thread wakes another through a pipe, which sleeps in
between; the mean alone is known.

A log has a latency if one state had more than ATTRIBUTED of all entries. `Time diff` is sysfs's
`time`, which is microseconds, though the log says ns.

Source: avocado-misc-tests, pull request 3298.
"""

import re

from ...measured import Latency, Measured, Stay, SummaryOnly
from .collected import counted
from .output import Told, ToolOutput, Unit

ATTRIBUTED = 0.95
MIXED = "a mean over several idle states, none with more than 95 % of all entries"
UNMEASURED = "wake-ups by timer, whose latency the test does not measure"
_DONE = re.compile(r"Test complete\. Wakee wakeups: (\S+), Total wake time: (\S+) ns\s*")
_MEAN = re.compile(r"Wakee thread average wakeup latency\s*=\s*(\S+) (ns|us|ms)\s*")
_SLEEP = re.compile(r"Wakee thread sleep interval\s*=\s*(\S+) (ns|us|ms)\s*")
_STATE = re.compile(r"State ([0-9]{1,3}) \((.{1,40})\):\s*")
_COUNT = re.compile(r"\s*(Usage|Time|Above|Below) diff:\s*(\S+)(?: ns)?(?: \(.*\))?\s*")
_FAILED = re.compile(r"FAIL REASON\s*:\s*(?!None\b|-|N/A)(\S.*)")
_UNITS: dict[str, Unit] = {"ns": "ns", "us": "us", "ms": "ms"}


def recognises(output: ToolOutput) -> bool:
    lines = output.head.split("\n")
    return any(pattern.match(line) for line in lines for pattern in (_DONE, _MEAN, _SLEEP))


def read(output: ToolOutput, told: Told) -> Measured:
    states: dict[str, dict[str, int]] = {}
    current: dict[str, int] | None = None
    mean: float | None = None
    interval: float | None = None
    wakeups: int | None = None
    line_of_mean = 1
    notes: list[str] = []
    left_out: dict[str, int] = {}
    for number, line in output.numbered():
        if done := _DONE.fullmatch(line):
            wakeups = output.count(done[1].rstrip(","), number, "wake-ups")
        elif match := _MEAN.fullmatch(line):
            if mean is not None:
                raise output.refused("expected one run, found another", number)
            mean = output.time_ns(match[1], number, "a mean latency", _UNITS[match[2]])
            line_of_mean = number
        elif match := _SLEEP.fullmatch(line):
            interval = output.time_ns(match[1], number, "a sleep interval", _UNITS[match[2]])
        elif match := _STATE.fullmatch(line):
            if match[2] in states:
                raise output.unexpected("states of different names", match[2], number)
            current = states.setdefault(match[2], {})
        elif current is not None and (match := _COUNT.fullmatch(line)):
            current[match[1]] = output.count(match[2], number, f"{match[1]} diff")
        elif failed := _FAILED.match(line):
            notes.append(f"the test did not pass: {failed[1].strip()[:200]}")
    if mean is None and not states:
        raise output.refused("expected an average wakeup latency or states, found neither")
    main = _most_entered(states)
    latencies = []
    if mean is None:
        counted(left_out, UNMEASURED)
    elif main is not None:
        group = "" if interval is None else f"woken every {interval / 1000:g} us"
        latencies.append(
            Latency(
                main,
                "pipe",
                SummaryOnly(wakeups, mean),
                group=group,
                where=output.place(line_of_mean),
            )
        )
    else:
        counted(left_out, MIXED)
    return output.measured(
        "avocado cpuidle_wakeup_test",
        *notes,
        "the mean of wake-ups through a pipe, the scheduler's work in it",
        latencies=latencies,
        stays=tuple(_stay(name, counts) for name, counts in states.items()),
        left_out=left_out,
    )


def _most_entered(states: dict[str, dict[str, int]]) -> str | None:
    """The state that has more than ATTRIBUTED of all entries; None if none has."""
    name2usage = {name: counts.get("Usage", 0) for name, counts in states.items()}
    least = ATTRIBUTED * sum(name2usage.values())
    return next((name for name, usage in name2usage.items() if usage > least), None)


def _stay(name: str, counts: dict[str, int]) -> Stay:
    return Stay(
        name,
        time_ns=None if "Time" not in counts else counts["Time"] * 1000.0,
        usage=counts.get("Usage"),
        above=counts.get("Above"),
        below=counts.get("Below"),
    )
