"""A simulator for small machines, written apart from simulation/simulate.py and in another way:
CPUs are coroutines that hold for a time or wait to be kicked. One thread a core, one last-level
cache, fixed times, no sharing of CPUs' time. It shares the governors with the tool, and nothing
else.
"""

import heapq
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from typing import Any

from idle_states.tables.linux.governors import Governor, Outcome, Situation

SWITCH, WAKE, ENTRY, TURN, IPI, OVERSHOOT = 613, 509, 307, 1009, 1103, 503
BACKGROUND = 1_000_000_000
FOREVER = (1 << 63) - 1
NO_LIMIT_US = 2_000_000_000

Steps = Generator[Any, Any, None]


@dataclass
class Thread:
    """A task. script: what it does, a function that gives steps again and again."""

    name: str
    script: Callable[["Machine", "Thread"], Iterator[tuple[Any, ...]]]
    bound: int | None = None
    follows: bool = False
    at: int = 0
    recent_cpu: int = 0
    asleep: bool = False
    pending_wakes: int = 0


@dataclass
class Cpu:
    """A CPU."""

    number: int
    governor: Governor
    queue: list[tuple[Thread, Any]] = field(default_factory=list)
    timers: list[int] = field(default_factory=list)
    expired: list[Thread] = field(default_factory=list)
    state: str = "starting"
    kick: Callable[[int], None] | None = None
    tick_off: bool = False
    interrupted_ns: int = 0
    usage: Counter[int] = field(default_factory=Counter)
    time: Counter[int] = field(default_factory=Counter)

    @property
    def free(self) -> bool:
        return self.state != "running" and not self.queue


class Machine:
    def __init__(
        self,
        cpus: int,
        governor: Callable[[], Governor],
        exits: list[int],
        snooze_limit: int,
        told: bool,
        tick: int,
        recent: bool = True,
        tick_always_stops: bool = False,
    ) -> None:
        self.now = 0
        self.events: list[tuple[int, int, Callable[[], None]]] = []
        self.count = 0
        self.exits, self.limit, self.told, self.tick = exits, snooze_limit, told, tick
        self.recent, self.stops = recent, tick_always_stops
        self.cpus = [Cpu(number, governor()) for number in range(cpus)]
        self.log: list[tuple[int, int, str]] = []

    def schedule(self, time: int, what: Callable[[], None]) -> None:
        self.count += 1
        heapq.heappush(self.events, (time, self.count, what))

    def run(self, threads: list[Thread], until: int) -> None:
        for cpu in self.cpus:
            self.schedule(0, lambda cpu=cpu: self.step(self.idle_loop(cpu)))  # type: ignore[misc]
        for thread in threads:
            place = thread.bound if thread.bound is not None else self.search_free(0)
            thread.at = place
            self.cpus[place].queue.append((thread, self.script_of(thread)))
        while self.events and self.events[0][0] < until:
            self.now, _, what = heapq.heappop(self.events)
            what()

    def step(self, coroutine: Steps, sent: Any = None) -> None:
        """One step of a coroutine: it asks for a time to pass, or to be kicked."""
        request = coroutine.send(sent) if sent is not None else next(coroutine)
        if request[0] == "hold":
            self.schedule(self.now + request[1], lambda: self.step(coroutine))
        else:
            _, cpu, deadline = request
            done = []

            def answer(word: str, delay: int) -> None:
                if not done:
                    done.append(word)
                    cpu.kick = None
                    self.step(coroutine, (word, delay))

            cpu.kick = lambda delay: answer("kicked", delay)
            if deadline is not None:
                self.schedule(deadline, lambda: answer("deadline", 0))

    def idle_loop(self, cpu: Cpu) -> Steps:
        while True:
            if cpu.expired:
                expired, cpu.expired = cpu.expired, []
                for thread in expired:
                    self.wake(thread, cpu)
                yield "hold", WAKE * len(expired)
            elif cpu.queue:
                thread, script = cpu.queue.pop(0)
                yield from self.execute(cpu, thread, script)
                cpu.state = "between"
                if not cpu.queue:
                    yield "hold", ENTRY
            else:
                if (yield from self.idle(cpu)):
                    yield "hold", TURN
                cpu.state = "between"

    def idle(self, cpu: Cpu) -> Generator[Any, Any, bool]:
        """An idle period; whether it led to nothing."""
        since = self.now
        timer = min([*cpu.timers, (since // BACKGROUND + 1) * BACKGROUND]) - since
        to_tick = (since // self.tick + 1) * self.tick - since
        asked = Situation(
            NO_LIMIT_US,
            timer,
            min(timer, FOREVER if cpu.tick_off else to_tick),
            tick_stopped=cpu.tick_off,
            clock_ns=since,
        )
        decision = cpu.governor.select(asked)
        state = decision.state
        cpu.tick_off = cpu.tick_off or decision.stop_tick or self.stops
        polls = state == 0
        cpu.state = "polling" if polls else "idle"
        if polls:
            deadline = since + self.limit + OVERSHOOT
        elif cpu.tick_off:
            deadline = (since // BACKGROUND + 1) * BACKGROUND
        else:
            deadline = since + to_tick
        word, delay = yield "kick", cpu, deadline
        timed_out = polls and word == "deadline"
        cpu.state = "leaving"
        if not timed_out:
            yield "hold", delay + self.exits[state]
        passed = self.now - since
        if polls:
            ticked = not cpu.tick_off and self.now // self.tick != since // self.tick
        else:
            ticked = word == "deadline" and not cpu.tick_off
        cpu.governor.reflect(
            Outcome(state, passed, False, ticked, timed_out and self.told, self.now)
        )
        cpu.usage[state] += 1
        cpu.time[state] += passed
        return not (cpu.queue or cpu.expired)

    def execute(self, cpu: Cpu, thread: Thread, script: Any) -> Steps:
        cpu.state, cpu.tick_off, thread.at = "running", False, cpu.number
        self.log.append((self.now, cpu.number, thread.name))
        yield from self.consume(cpu, SWITCH)
        while True:
            step = next(script)
            if step[0] == "run":
                yield from self.consume(cpu, step[1])
            elif step[0] == "wake":
                yield from self.consume(cpu, WAKE)
                other = step[1]
                if other.asleep:
                    other.asleep = False
                    self.wake(other, cpu)
                else:
                    other.pending_wakes += 1
            elif step[0] == "wait":
                if not thread.pending_wakes:
                    thread.asleep = True
                    self.resume[thread.name] = script
                    return
                thread.pending_wakes -= 1
            else:
                due = self.now + step[1]
                if step[0] == "every":
                    due = (self.now // step[1] + 1) * step[1]
                self.resume[thread.name] = script
                cpu.timers.append(due)
                self.schedule(due, lambda due=due: self.expire(cpu, thread, due))  # type: ignore[misc]
                return

    def consume(self, cpu: Cpu, time: int) -> Steps:
        """Time of a thread's own; timers take from it."""
        cpu.interrupted_ns = 0
        while time:
            yield "hold", time
            time, cpu.interrupted_ns = cpu.interrupted_ns, 0

    resume: dict[str, Any]

    def expire(self, cpu: Cpu, thread: Thread, due: int) -> None:
        cpu.timers.remove(due)
        if cpu.state in ("running", "polling"):
            cpu.interrupted_ns += WAKE
            self.wake(thread, cpu)
        else:
            cpu.expired.append(thread)
            if cpu.kick:
                cpu.kick(0)

    def script_of(self, thread: Thread) -> Any:
        def forever() -> Iterator[tuple[Any, ...]]:
            while True:
                yield from thread.script(self, thread)

        return forever()

    def wake(self, thread: Thread, by: Cpu) -> None:
        if thread.bound is not None:
            place = thread.bound
        elif thread.follows:
            place = by.number
        else:
            place = self.select_cpu(thread, by)
        cpu = self.cpus[place]
        thread.at = place
        cpu.queue.append((thread, self.resume[thread.name]))
        if cpu.kick:
            # by itself: a timer that expired while it polled
            cpu.kick(WAKE if cpu is by else 0 if cpu.state == "polling" else IPI)

    def select_cpu(self, thread: Thread, by: Cpu) -> int:
        before, recent_cpu = thread.at, thread.recent_cpu
        goal = before
        if by.free:
            goal = before if self.cpus[before].free else by.number
        if self.cpus[goal].free:
            return goal
        if self.cpus[before].free:
            return before
        thread.recent_cpu = before
        if self.recent and self.cpus[recent_cpu].free:
            return recent_cpu
        return self.search_free(goal)

    def search_free(self, goal: int) -> int:
        if self.cpus[goal].free:
            return goal
        for step in range(1, len(self.cpus)):
            place = (goal + step) % len(self.cpus)
            if self.cpus[place].free:
                return place
        return goal
