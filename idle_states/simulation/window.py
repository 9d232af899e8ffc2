"""What a simulated machine does between two moments of a run: once its governors have settled.

The window is the difference of two runs with the same seed, one ending where it begins: up to there
both do the same, event by event.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from .setup import SCOPES, Setup, SimulationRun, bucket_top

_GROUPINGS = ("", "small_core", "pair", "quad")
"""Scope of a state -> the grouping of CPUs that it acts on."""


@dataclass(frozen=True, slots=True)
class Window:
    """Figures of the whole machine, all CPUs together.

    duration_ns  its length
    counted      how often the workload did what it counts
    usage        state -> idle periods that it was asked for
    awake_ns     CPU time outside idle states: computing, deciding, and leaving a state
    asked_ns     state -> CPU time in it, as asked for
    held_ns      state -> CPU time in which all CPUs of what the state acts on (a thread, core, pair
                 or quad) had asked for it or a deeper one: what it can save
    latencies    bucket -> wake-ups, as in SimulationRun
    """

    names: tuple[str, ...]
    cpus: int
    duration_ns: int
    counted: int
    usage: tuple[int, ...]
    awake_ns: int
    asked_ns: tuple[int, ...]
    held_ns: tuple[int, ...]
    latencies: dict[int, int]

    @property
    def wakeups(self) -> int:
        """Idle periods that ended."""
        return sum(self.usage)

    @property
    def idle_ns(self) -> int:
        return self.cpus * self.duration_ns - self.awake_ns

    def latency_ns(self, percent: int) -> int | None:
        """A percentile of the time from wake-up to first instruction, by nearest rank, rounded up
        by at most one part in 128; None without wake-ups."""
        rank = max(1, -(-percent * sum(self.latencies.values()) // 100))
        for bucket, number in sorted(self.latencies.items()):
            rank -= number
            if rank <= 0:
                return bucket_top(bucket)
        return None


def window(
    setup: Setup, seed: int, from_ns: int, simulate: Callable[[Setup, int], SimulationRun]
) -> Window:
    """Simulates a setup, and returns what follows from_ns. The topology must be regular: each core
    of as many CPUs as the others, and so for pairs and quads.

    simulate: the reference's function or the core's
    """
    first = simulate(replace(setup, duration_ns=from_ns), seed)
    whole = simulate(setup, seed)
    scopes = [
        [b - a for a, b in zip(*both, strict=True)]
        for both in zip(first.scope_ns, whole.scope_ns, strict=True)
    ]
    held = []
    for number, effect in enumerate(setup.effects):
        of = _GROUPINGS[effect.scope]
        cpus = setup.topology.cpus // setup.topology.count(of) if of else 1
        held.append(cpus * sum(scopes[effect.scope][number + 1 :]))
    latencies = {
        bucket: count - first.latencies.get(bucket, 0) for bucket, count in whole.latencies.items()
    }
    threads = scopes[SCOPES.index("thread")]
    return Window(
        setup.table.names,
        setup.topology.cpus,
        setup.duration_ns - from_ns,
        whole.counted - first.counted,
        tuple(b - a for a, b in zip(_usage(first), _usage(whole), strict=True)),
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
