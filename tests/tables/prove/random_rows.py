"""Random idle periods that lie about the thresholds of a table, for what must not be found."""

from collections.abc import Iterator, Sequence
from random import Random

from idle_states.tables.linux.governors import Outcome, Situation, State
from idle_states.tables.linux.governors.interface import KTIME_MAX, tick_ns


def random_rows(
    random: Random, states: Sequence[State], hz: int, limit_us: int, disabled: frozenset[int]
) -> Iterator[tuple[Situation, Outcome]]:
    """Endless. More than can happen: the tick stops and wakes at random, entries are refused, and
    idles last longer than until the timer. Of 16 rows on end, most are alike."""
    tick = tick_ns(hz)
    edges = [0, 1000, 15_000, 50_000_000, 10**8, tick // 2, tick, 2 * tick, KTIME_MAX, 10**10]
    for state in states:
        edges += [state.residency_ns, state.exit_ns, state.residency_ns + state.exit_ns]
        edges += [11 * state.exit_ns, 21 * state.exit_ns, 2 * state.residency_ns]

    def near() -> int:
        time = random.choice(edges) + random.choice((-1000, -1, 0, 0, 1, 500, 1000))
        return min(max(0, time), KTIME_MAX)

    clock = 0
    while True:
        timer, length, stopped = near(), near(), random.random() < 0.3
        waiting = random.choice((0, 0, 0, 1, 2, 9))
        for _ in range(16):
            if random.random() < 0.2:
                length = near()
            if random.random() < 0.2:
                timer = near()
            delta = timer if stopped else min(timer, random.choice((tick, random.randint(0, tick))))
            situation = Situation(
                limit_us,
                timer,
                delta,
                stopped,
                waiting,
                clock_ns=clock,
                disabled=disabled,
                cpu_util=random.choice((0, 0, 1024)),
            )
            clock += length
            yield (
                situation,
                Outcome(
                    random.randrange(len(states)),
                    length,
                    rejected=random.random() < 0.03,
                    got_tick=random.random() < 0.2,
                    poll_time_limit=random.random() < 0.1,
                    clock_ns=clock,
                ),
            )
