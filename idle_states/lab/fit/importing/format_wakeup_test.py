"""Logs of avocado's cpuidle_wakeup_test: one thread wakes another through a pipe, which sleeps in
between; the mean alone is known.

A log has a latency if one state had more than ATTRIBUTED of all entries.

Source: avocado-misc-tests, pull request 3298.
"""

import re
from collections.abc import Mapping

from ....base.model.measured import Latency, Measured, SummaryOnly
from .output import Facts, ToolOutput, Unit

TITLE = "a log of avocado's cpuidle_wakeup_test"
ATTRIBUTED = 0.95
MIXED = "a mean over several idle states, none with more than 95 % of all entries"
UNMEASURED = "wake-ups by timer, whose latency the test does not measure"
_DONE = re.compile(r"Test complete\. Wakee wakeups: (\S+), Total wake time: (\S+) ns\s*")
_MEAN = re.compile(r"Wakee thread average wakeup latency\s*=\s*(\S+) (ns|us|ms)\s*")
_SLEEP = re.compile(r"Wakee thread sleep interval\s*=\s*(\S+) (ns|us|ms)\s*")
_STATE = re.compile(r"State ([0-9]{1,3}) \((.{1,40})\):\s*")
_USAGE = re.compile(r"\s*Usage diff:\s*(\S+)(?: \(.*\))?\s*")
_FAILED = re.compile(r"FAIL REASON\s*:\s*(?!None\b|-|N/A)(\S.*)")
_UNITS: dict[str, Unit] = {"ns": "ns", "us": "us", "ms": "ms"}


def recognises(output: ToolOutput) -> bool:
    lines = output.head.split("\n")
    return any(pattern.match(line) for line in lines for pattern in (_DONE, _MEAN, _SLEEP))


def read(output: ToolOutput, facts: Facts) -> Measured:
    usage: dict[str, int] = {}
    state: str | None = None
    mean: float | None = None
    interval: float | None = None
    wakeups: int | None = None
    line_of_mean = 1
    notes: list[str] = []
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
            state = match[2]
            if state in usage:
                raise output.unexpected("states of different names", state, number)
            usage[state] = 0
        elif state is not None and (match := _USAGE.fullmatch(line)):
            usage[state] = output.count(match[1], number, "Usage diff")
        elif failed := _FAILED.match(line):
            notes.append(f"the test did not pass: {failed[1].strip()[:200]}")
    if mean is None and not usage:
        raise output.refused("expected an average wakeup latency or states, found neither")
    main = _most_entered(usage)
    latencies = []
    if mean is None:
        output.leave_out(UNMEASURED)
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
        output.leave_out(MIXED)
    return output.measured(
        "avocado cpuidle_wakeup_test",
        *notes,
        "the mean of wake-ups through a pipe, including the scheduler's work",
        latencies=latencies,
    )


def _most_entered(state2usage: Mapping[str, int]) -> str | None:
    """The state that has more than ATTRIBUTED of all entries; None if none has."""
    least = ATTRIBUTED * sum(state2usage.values())
    return next((state for state, usage in state2usage.items() if usage > least), None)
