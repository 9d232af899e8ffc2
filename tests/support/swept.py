"""Several tables replayed by the core over the same rows, which tests and benchmarks compare."""

from collections.abc import Sequence

from idle_states.base.reading.threads import Threads
from idle_states.tables.linux.governors import core
from idle_states.tables.linux.governors.interface import State

_LANES = 8


def sweep(
    governor: str,
    features: object,
    tables: Sequence[Sequence[State]],
    hz: int,
    rows: core.Buffer,
    *,
    threads: int = 1,
    level: int = 4,
) -> list[core.Decisions]:
    """Runs core.run() with each of several tables on the same rows, as a core.Sweep."""
    step = max(-(-len(tables) // (max(threads, 1) * _LANES)), 1) * _LANES
    groups = [tables[start : start + step] for start in range(0, len(tables), step)]

    def group(some: Sequence[Sequence[State]]) -> list[core.Decisions]:
        streams = [core.Stream(governor, features, states, hz) for states in some]
        return core.Sweep(streams, level=level).replay(rows)

    if threads < 2:
        return [decisions for some in groups for decisions in group(some)]
    with Threads(threads) as pool:
        found = [pool.call(group, some) for some in groups]
        return [decisions for of_group in found for decisions in of_group()]
