"""The part of a run between two moments: once the simulated machine's governors have settled.

The window is the difference of two runs with the same seed, one ending where it begins: up to there
both do the same, event by event.
"""

from collections import Counter
from collections.abc import Callable, Sequence

from ...base.dataclass import dataclass, replace
from ..replay.consumption import CpuUse
from ..replay.counters import nearest_rank
from .setup import SCOPES, Setup, SimulationRun, bucket_top
from .topology import SCOPED

_GROUPINGS = ("", *SCOPED)
"""Scope of a state -> the grouping of CPUs that it acts on."""


@dataclass(frozen=True, slots=True)
class Window(CpuUse):
    """Figures of the whole machine. latencies: bucket -> wake-ups, as in SimulationRun."""

    latencies: dict[int, int]

    def latency_ns(self, percent: int) -> int | None:
        """A percentile of the time from wake-up to first instruction, by nearest rank, rounded up
        by at most one part in 128; None without wake-ups."""
        bucket = nearest_rank(sorted(self.latencies.items()), percent)
        return None if bucket is None else bucket_top(bucket)


def window(
    setup: Setup, seed: int, from_ns: int, simulate: Callable[[Setup, int], SimulationRun]
) -> Window:
    """Simulates a setup, and returns what follows from_ns. The topology must be regular. simulate:
    the reference's function or the core's"""
    first = simulate(replace(setup, duration_ns=from_ns), seed)
    return _window(setup, simulate(setup, seed), first, setup.duration_ns - from_ns)


def whole(setup: Setup, runs: Sequence[SimulationRun]) -> Window:
    """Several runs, each from its first moment to its last, as one window. The topology must be
    regular."""
    each = [_window(setup, run, None, setup.duration_ns) for run in runs]
    latencies: Counter[int] = Counter()
    for one in each:
        latencies.update(one.latencies)
    return Window(
        setup.table.names,
        setup.topology.cpus,
        sum(one.duration_ns for one in each),
        sum(one.counted for one in each),
        tuple(map(sum, zip(*(one.usage for one in each), strict=True))),
        sum(one.awake_ns for one in each),
        tuple(map(sum, zip(*(one.times_ns for one in each), strict=True))),
        tuple(map(sum, zip(*(one.held_ns for one in each), strict=True))),
        dict(latencies),
    )


def is_regular(setup: Setup) -> bool:
    """Tells whether each core, pair and quad that a state acts on has as many CPUs as the
    others."""
    of = {_GROUPINGS[effect.scope] for effect in setup.effects} - {""}
    return all(len(set(map(len, setup.topology.members[name]))) == 1 for name in of)


def _window(
    setup: Setup, run: SimulationRun, before: SimulationRun | None, duration_ns: int
) -> Window:
    """Returns the part of a run after the end of an earlier one; None: the whole run."""
    scopes = [list(times) for times in run.scope_ns]
    usage, counted, latencies = _usage(run), run.counted, dict(run.latencies)
    if before is not None:
        scopes = [
            [b - a for a, b in zip(*both, strict=True)]
            for both in zip(before.scope_ns, run.scope_ns, strict=True)
        ]
        usage = [b - a for a, b in zip(_usage(before), usage, strict=True)]
        counted -= before.counted
        latencies = {
            bucket: count - before.latencies.get(bucket, 0) for bucket, count in latencies.items()
        }
    held = []
    for number, effect in enumerate(setup.effects):
        of = _GROUPINGS[effect.scope]
        cpus = setup.topology.cpus // setup.topology.count(of) if of else 1
        held.append(cpus * sum(scopes[effect.scope][number + 1 :]))
    threads = scopes[SCOPES.index("thread")]
    return Window(
        setup.table.names,
        setup.topology.cpus,
        duration_ns,
        counted,
        tuple(usage),
        threads[0],
        tuple(threads[1:]),
        tuple(held),
        {bucket: count for bucket, count in latencies.items() if count},
    )


def _usage(run: SimulationRun) -> list[int]:
    return [
        sum(each.usage for each in states)
        for states in zip(*(cpu.states for cpu in run.cpus), strict=True)
    ]
