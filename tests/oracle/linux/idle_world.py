"""The model of the idle loop in the same world as the oracle's, and idle loops drawn at random."""

from collections.abc import Sequence
from random import Random

from idle_states.tables.linux.governors.interface import State, tick_ns
from idle_states.tables.linux.idle_loop import IdleLoopFeatures, latency_limit_us

from . import idle_model
from .governors import STATE_MAX
from .idle_loop import MOST_POLLED_NS, RELAX_NS, Call, IdleCpu, IdleLoopOracle, IdleState, Turn

__all__ = ["modelled", "random_cpu"]

NO_WAKEUP_LIMIT = (1 << 31) - 1


class _OutOfTurns(Exception):
    """The CPU has had all its turns."""


class _World:
    """Answers as the oracle's shim does; see tests/oracle/linux/shim/idle_loop.c."""

    def __init__(
        self,
        features: IdleLoopFeatures,
        cpu: IdleCpu,
        states: Sequence[State],
        kernel: IdleLoopOracle,
    ) -> None:
        self.calls: list[Call] = []
        self._features = features
        self._turns = iter(cpu.turns)
        self._polling = frozenset(i for i, each in enumerate(cpu.states) if each.polls)
        self._poll_limit = idle_model.PollLimit(features, states, tick_ns(250))
        self._kernel = kernel
        self._tick = self._stopped = self._resched = False
        self._load()

    def _load(self) -> None:
        turn = next(self._turns, None)
        if turn is None:
            raise _OutOfTurns
        self._turn = turn
        self._forced = turn.forced or turn.expired
        self._left = turn.resched_at

    def schedule(self) -> None:
        self.calls.append(("q", 0))
        self._resched = self._stopped = False
        self._left = max(self._turn.resched_at, 1)

    def need_resched(self) -> bool:
        if not self._resched:
            self._resched = self._left == 0
            self._left -= 1
        return self._resched

    def polling_forced(self) -> bool:
        return self._forced

    def relax(self) -> None:
        self.calls.append(("x", 0))
        self._forced = False

    def available(self) -> bool:
        return not self._turn.unavailable

    def suspends(self) -> bool:
        return self._turn.suspends

    def forced_ns(self) -> int:
        return self._turn.forced_ns

    def wakeup_limit_us(self) -> int:
        return self._turn.wakeup_us

    def disabled(self) -> frozenset[int]:
        return self._turn.disabled

    def select(self) -> tuple[int, bool]:
        turn = self._turn
        if self._kernel.asks_limit:
            limit = latency_limit_us(self._features, turn.limit_us, turn.resume_us, turn.wakeup_us)
            unit = 1000 if self._features.nanoseconds else 1
            self.calls.append(("l", limit * unit))
        self.calls.append(("s", turn.selects))
        return turn.selects, turn.stop_tick

    def reflect(self, state: int) -> None:
        if self._turn.no_reflect:
            return
        self.calls.append(("r", state))
        if self._turn.asks_tick:
            self.calls.append(("g", int(self.got_tick())))

    def tick_stopped(self) -> bool:
        return self._stopped

    def stop_tick(self) -> None:
        self.calls.append(("t", 1))
        self._stopped = self._stopped or not self._turn.tick_stays

    def retain_tick(self) -> None:
        self.calls.append(("t", 0))

    def restart_tick(self) -> None:
        self.calls.append(("t", 2))
        self._stopped = False

    def got_tick(self) -> bool:
        got, self._tick = self._tick, False
        return got

    def broadcast(self) -> bool:
        return not self._turn.no_broadcast

    def enter(self, state: int) -> tuple[int, int]:
        self._tick = self._tick or self._turn.tick
        if state in self._polling:
            return state, self._poll()
        self.calls.append(("e", state))
        entered = self._turn.enters
        return state if entered is None else entered, self._turn.idle_ns

    def _poll(self) -> int:
        """poll_idle(): returns how long it polled, in ns."""
        elapsed_ns, told = 0, False
        if not self.need_resched():
            self._left = -1
            rounds = -(-(self._turn.idle_ns % MOST_POLLED_NS) // RELAX_NS)
            limit_ns = self._poll_limit.ns(self._turn.disabled)
            # of a wake-up in the round that reads the clock, nothing is noticed
            polled = idle_model.poll(
                rounds * RELAX_NS + 1, limit_ns, idle_model.POLL_CHECK_RELAXES * RELAX_NS
            )
            elapsed_ns, told = polled.ns - (not polled.timed_out), polled.time_limit
            self._resched = not polled.timed_out
        if self._kernel.tells_limit:
            self.calls.append(("p", int(told)))
        return elapsed_ns

    def suspend(self, state: int) -> None:
        self.calls.append(("z", state))

    def default_idle(self) -> None:
        self.calls.append(("d", 0))
        self._tick = self._tick or self._turn.tick

    def exits(self) -> None:
        self.calls.append((".", 0))
        self._load()


def modelled(features: IdleLoopFeatures, cpu: IdleCpu, kernel: IdleLoopOracle) -> list[Call]:
    """Returns what the model's idle loop does with a CPU, in the words of the kernel's oracle."""
    states = [State(each.exit_ns, each.residency_ns) for each in cpu.states]
    idling = idle_model.IdlingCpu(
        features,
        states,
        idle_model.Counters(features, states),
        frozenset(i for i, each in enumerate(cpu.states) if each.timer_stop),
        frozenset(i for i, each in enumerate(cpu.states) if each.s2idle),
    )
    world = _World(features, cpu, states, kernel)
    try:
        while True:
            idle_model.do_idle(idling, world)
            world.schedule()
    except _OutOfTurns:
        pass
    counters = idling.counters
    for i in range(len(states)):
        world.calls += [("u", counters.usage[i]), ("n", counters.time_us(i))]
        if features.judged:
            world.calls += [("a", counters.above[i]), ("b", counters.below[i])]
        if features.rejected:
            world.calls.append(("j", counters.rejected[i]))
    world.calls.append(("i", idling.residency_ns))
    return world.calls


def random_cpu(random: Random, turns: int, *, no_state: bool = False) -> IdleCpu:
    """Returns a CPU of 1 to 10 states and its turns.

    no_state: the governor may say that no state fits, which kernels before 4.5 know.
    """
    count = random.choice((1, 1, 1, 2, 3, random.randint(1, STATE_MAX)))
    states = [
        IdleState(
            0 if random.random() < 0.15 else int(10 ** random.uniform(0, 7)),
            int(10 ** random.uniform(0, 8)),
            random.random() < 0.25,
            random.random() < 0.5,
        )
        for _ in range(count)
    ]
    # exit latencies that are equal, in ns or in us only
    for i in range(1, count):
        if random.random() < 0.2:
            states[i] = states[i]._replace(exit_ns=states[i - 1].exit_ns + random.choice((0, 1)))
    if random.random() < 0.4:
        states[0] = IdleState(0, 0, polls=True)
        # close to limits of a poll: 10 us, a sixteenth of a tick, a tick
        for i in range(1, count):
            if random.random() < 0.5:
                near = random.choice((0, 9_999, 10_000, 249_000, 250_000, 251_000, 4_000_000))
                states[i] = states[i]._replace(residency_ns=near)
    return IdleCpu(states, [_turn(random, states, no_state) for _ in range(turns)])


def _turn(random: Random, states: Sequence[IdleState], no_state: bool) -> Turn:
    def rarely(share: float = 0.1) -> bool:
        return random.random() < share

    count = len(states)
    near = random.choice(states)
    limit_ns = max(near.exit_ns + random.randint(-1001, 1001), 1)
    return Turn(
        idle_ns=random.choice(
            (
                int(10 ** random.uniform(0, 10)),
                max(near.residency_ns + random.randint(-1, 1), 0),
                max(near.exit_ns + random.choice(states).residency_ns + random.randint(-1, 1), 0),
            )
        ),
        forced_ns=random.choice((limit_ns, 1, (1 << 63) - 1)) if rarely() else 0,
        selects=-1 if no_state and rarely() else random.randrange(count),
        enters=random.choice((-16, -22, random.randrange(count))) if rarely(0.2) else None,
        limit_us=random.choice((0, limit_ns // 1000, 2_000_000_000, 2_000_000_000)),
        resume_us=random.choice((0, limit_ns // 1000, NO_WAKEUP_LIMIT)),
        wakeup_us=random.choice((0, limit_ns // 1000, NO_WAKEUP_LIMIT)),
        resched_at=random.randrange(6) if rarely(0.3) else 1 << 30,
        disabled=frozenset(i for i in range(count) if rarely(0.15)),
        stop_tick=rarely(0.5),
        tick=rarely(0.5),
        tick_stays=rarely(0.2),
        forced=rarely(0.05),
        expired=rarely(0.05),
        unavailable=rarely(0.05),
        suspends=rarely(0.05),
        no_broadcast=rarely(0.3),
        asks_tick=rarely(0.3),
        no_reflect=rarely(),
    )
