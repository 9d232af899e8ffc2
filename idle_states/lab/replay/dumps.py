"""Counters of the kernel itself: dumps of cpuidle's sysfs, alone and around a trace."""

from collections.abc import Mapping, Sequence

from ...base.model.beyond_opal import Dump, SysfsState
from ...base.reading import sysfs
from ...base.reading.inputs import InputKind
from ...base.reading.problems import InputProblems
from .counters import Figures, StateFigures
from .machine import TracedMachine
from .results import EXACT, Account, Bracketed, Read, ReplayResult

COMPARED = ("usage", "time_us", "above", "below", "rejected")
"""The counters of StateFigures, in its order."""


def from_dumps(before: Dump | None, after: Dump, machine: TracedMachine) -> ReplayResult:
    """Returns the kernel's counts between two dumps, or since boot if `before` is None."""
    counted = sysfs.difference(before, after)
    cpus = {cpu: _dumped(states) for cpu, states in counted.items()}
    account = Account(machine.name, None, cpus)
    since = "since boot" if before is None else "between the dumps"
    assumptions = (f"counters are the kernel's own, {since}",)
    read = Read(str(InputKind.SYSFS), periods=account.total.usage)
    return ReplayResult(EXACT, assumptions, read, account, (account,), ())


def _dumped(states: Sequence[SysfsState]) -> Figures:
    figures = [
        StateFigures(number, state.name, *(getattr(state, name) or 0 for name in COMPARED))
        for number, state in enumerate(states)
    ]
    return Figures.of(figures, (state.latency_us * 1000 for state in states))


def bracket(
    observed: Account, counted: Mapping[int, Sequence[SysfsState]], problems: InputProblems
) -> tuple[Bracketed, ...]:
    """Compares counters of the trace with the kernel's, which covered a longer time and must not be
    less."""
    found = []
    for cpu, states in sorted(counted.items()):
        ours = observed.cpus.get(cpu)
        for number, state in enumerate(states):
            row = None
            if ours is not None and number < len(ours.states):
                row = ours.states[number]
            for counter in COMPARED:
                theirs = getattr(state, counter)
                if theirs is None:
                    continue
                mine = 0 if row is None else getattr(row, counter)
                found.append(Bracketed(cpu, number, state.name, counter, mine, theirs))
                if mine > theirs:
                    message = (
                        f"CPU {cpu}, {state.name}: {counter} is {mine} by the trace, "
                        f"{theirs} by the dumps"
                    )
                    problems.add("counter-exceeds-dumps", message)
    return tuple(found)
