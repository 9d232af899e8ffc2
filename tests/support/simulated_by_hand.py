"""A simulator for small machines, written apart from workload/simulate.py and in another way: CPUs
are coroutines that hold for a time or wait to be kicked. One thread a core, one last-level cache,
fixed times, no sharing of CPUs' time. It shares the governors with the tool, and nothing else.
"""

import heapq
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from typing import Any

from idle_states.linux.governors import Governor, Outcome, Situation

SWITCH, WAKE, ENTRY, TURN, IPI, OVERSHOOT = 613, 509, 307, 1009, 1103, 503
BACKGROUND = 1_000_000_000
FOREVER = (1 << 63) - 1
NO_LIMIT_US = 2_000_000_000

Steps = Generator[Any, Any, None]


@dataclass
class Person:
    """A task. script: what it does, a function that gives steps again and again."""

    name: str
    script: Callable[["World", "Person"], Iterator[tuple[Any, ...]]]
    bound: int | None = None
    follows: bool = False
    at: int = 0
    lately: int = 0
    asleep: bool = False
    credit: int = 0


@dataclass
class Seat:
    """A CPU."""

    number: int
    governor: Governor
    line: list[tuple[Person, Any]] = field(default_factory=list)
    alarms: list[int] = field(default_factory=list)
    late: list[Person] = field(default_factory=list)
    doing: str = "starting"
    kick: Callable[[int], None] | None = None
    tick_off: bool = False
    stolen: int = 0
    usage: Counter[int] = field(default_factory=Counter)
    time: Counter[int] = field(default_factory=Counter)

    @property
    def free(self) -> bool:
        return self.doing != "working" and not self.line


class World:
    def __init__(
        self,
        seats: int,
        governor: Callable[[], Governor],
        exits: list[int],
        snooze_limit: int,
        told: bool,
        tick: int,
        recent: bool = True,
        tick_always_stops: bool = False,
    ) -> None:
        self.now = 0
        self.agenda: list[tuple[int, int, Callable[[], None]]] = []
        self.count = 0
        self.exits, self.limit, self.told, self.tick = exits, snooze_limit, told, tick
        self.recent, self.stops = recent, tick_always_stops
        self.seats = [Seat(number, governor()) for number in range(seats)]
        self.log: list[tuple[int, int, str]] = []

    def later(self, time: int, what: Callable[[], None]) -> None:
        self.count += 1
        heapq.heappush(self.agenda, (time, self.count, what))

    def go(self, people: list[Person], until: int) -> None:
        for seat in self.seats:
            self.later(0, lambda seat=seat: self.drive(self.life(seat)))  # type: ignore[misc]
        for person in people:
            place = person.bound if person.bound is not None else self.look_around(0)
            person.at = place
            self.seats[place].line.append((person, self.script_of(person)))
        while self.agenda and self.agenda[0][0] < until:
            self.now, _, what = heapq.heappop(self.agenda)
            what()

    def drive(self, life: Steps, sent: Any = None) -> None:
        """One step of a coroutine: it asks for a time to pass, or to be kicked."""
        request = life.send(sent) if sent is not None else next(life)
        if request[0] == "hold":
            self.later(self.now + request[1], lambda: self.drive(life))
        else:
            _, seat, deadline = request
            done = []

            def answer(word: str, delay: int) -> None:
                if not done:
                    done.append(word)
                    seat.kick = None
                    self.drive(life, (word, delay))

            seat.kick = lambda delay: answer("kicked", delay)
            if deadline is not None:
                self.later(deadline, lambda: answer("deadline", 0))

    def life(self, seat: Seat) -> Steps:
        while True:
            if seat.late:
                late, seat.late = seat.late, []
                for person in late:
                    self.rouse(person, seat)
                yield "hold", WAKE * len(late)
            elif seat.line:
                person, script = seat.line.pop(0)
                yield from self.work(seat, person, script)
                seat.doing = "between"
                if not seat.line:
                    yield "hold", ENTRY
            else:
                if (yield from self.rest(seat)):
                    yield "hold", TURN
                seat.doing = "between"

    def rest(self, seat: Seat) -> Generator[Any, Any, bool]:
        """An idle period; whether it led to nothing."""
        since = self.now
        alarm = min([*seat.alarms, (since // BACKGROUND + 1) * BACKGROUND]) - since
        to_tick = (since // self.tick + 1) * self.tick - since
        asked = Situation(
            NO_LIMIT_US,
            alarm,
            min(alarm, FOREVER if seat.tick_off else to_tick),
            tick_stopped=seat.tick_off,
            clock_ns=since,
        )
        decision = seat.governor.select(asked)
        state = decision.state
        seat.tick_off = seat.tick_off or decision.stop_tick or self.stops
        polls = state == 0
        seat.doing = "polling" if polls else "asleep"
        if polls:
            deadline = since + self.limit + OVERSHOOT
        elif seat.tick_off:
            deadline = (since // BACKGROUND + 1) * BACKGROUND
        else:
            deadline = since + to_tick
        word, delay = yield "kick", seat, deadline
        timed_out = polls and word == "deadline"
        seat.doing = "coming"
        if not timed_out:
            yield "hold", delay + self.exits[state]
        passed = self.now - since
        if polls:
            ticked = not seat.tick_off and self.now // self.tick != since // self.tick
        else:
            ticked = word == "deadline" and not seat.tick_off
        seat.governor.reflect(
            Outcome(state, passed, False, ticked, timed_out and self.told, self.now)
        )
        seat.usage[state] += 1
        seat.time[state] += passed
        return not (seat.line or seat.late)

    def work(self, seat: Seat, person: Person, script: Any) -> Steps:
        seat.doing, seat.tick_off, person.at = "working", False, seat.number
        self.log.append((self.now, seat.number, person.name))
        yield from self.spend(seat, SWITCH)
        while True:
            step = next(script)
            if step[0] == "run":
                yield from self.spend(seat, step[1])
            elif step[0] == "wake":
                yield from self.spend(seat, WAKE)
                other = step[1]
                if other.asleep:
                    other.asleep = False
                    self.rouse(other, seat)
                else:
                    other.credit += 1
            elif step[0] == "wait":
                if not person.credit:
                    person.asleep = True
                    self.resume[person.name] = script
                    return
                person.credit -= 1
            else:
                due = self.now + step[1]
                if step[0] == "every":
                    due = (self.now // step[1] + 1) * step[1]
                self.resume[person.name] = script
                seat.alarms.append(due)
                self.later(due, lambda due=due: self.ring(seat, person, due))  # type: ignore[misc]
                return

    def spend(self, seat: Seat, time: int) -> Steps:
        """Time of a person's own; alarms take from it."""
        seat.stolen = 0
        while time:
            yield "hold", time
            time, seat.stolen = seat.stolen, 0

    resume: dict[str, Any]

    def ring(self, seat: Seat, person: Person, due: int) -> None:
        seat.alarms.remove(due)
        if seat.doing in ("working", "polling"):
            seat.stolen += WAKE
            self.rouse(person, seat)
        else:
            seat.late.append(person)
            if seat.kick:
                seat.kick(0)

    def script_of(self, person: Person) -> Any:
        def forever() -> Iterator[tuple[Any, ...]]:
            while True:
                yield from person.script(self, person)

        return forever()

    def rouse(self, person: Person, by: Seat) -> None:
        if person.bound is not None:
            place = person.bound
        elif person.follows:
            place = by.number
        else:
            place = self.place(person, by)
        seat = self.seats[place]
        person.at = place
        seat.line.append((person, self.resume[person.name]))
        if seat.kick:
            # by itself: an alarm that rang while it polled
            seat.kick(WAKE if seat is by else 0 if seat.doing == "polling" else IPI)

    def place(self, person: Person, by: Seat) -> int:
        before, lately = person.at, person.lately
        goal = before
        if by.free:
            goal = before if self.seats[before].free else by.number
        if self.seats[goal].free:
            return goal
        if self.seats[before].free:
            return before
        person.lately = before
        if self.recent and self.seats[lately].free:
            return lately
        return self.look_around(goal)

    def look_around(self, goal: int) -> int:
        if self.seats[goal].free:
            return goal
        for step in range(1, len(self.seats)):
            place = (goal + step) % len(self.seats)
            if self.seats[place].free:
                return place
        return goal
