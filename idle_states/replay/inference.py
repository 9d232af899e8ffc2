"""Inputs that a traced CPU's governor may have had, period by period, and what others make of them.

A trace of cpu_idle says which state a governor selected and not of what. But its model, asked with
every next timer that there may have been, tells which of them lead to the state that was entered.
So each period gets inputs that explain it, and the governor's memory goes on with what really
happened:

  timer    Not before the period's end less the state's exit latency: it would have ended the
           period. Tried are that time, the period's end, the end of the next period that no tick
           ended, a timer that is far, the values at which a state begins to fit, and powers of two.
  tick     A period that lasts across a tick (phase.py) had it stopped, by this decision or by one
           before it if no task has run since; one that ends with the tick and had it kept was
           ended by it.
  polling  A period in state 0 that lasts as long as polling may was ended by that.
  load     Where the governor asks for it, the CPU is utilised or not. A task waits for I/O only
           where nothing else explains a period.

Where several inputs explain a period, what is likely decides, or where the search begins: a history
is one such choice all the way. The likely one takes the timer that alone has explained most periods
before; others the earliest, the latest, or any. A history that comes to explain a period no more
goes on as one that does.

Other tables are replayed along each history, with its inputs. In a period, such a table's governor
may select every state that it does with any inputs that explain the period in any history: `open`
has these. After a period that no inputs explain, governors may know anything until they have
forgotten: for that and the FORGOTTEN next ones all states are open.
"""

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ..core.packing import AS_SELECTED, ENTERED, ROW, mask
from ..linux import idle_loop
from ..linux.governors import asks_utilisation
from ..linux.governors.interface import CPU_CAPACITY, KTIME_MAX, tick_ns
from ..linux.idle_call import tick_stops
from ..traces.recording import WAKE_OVERHEAD_NS
from .machine import CpuTable
from .polling import polling
from .replay import Settings
from .steps import Steps, steps_of

SLACK_NS = 20_000
"""A wake-up may be this late, besides the state's exit latency."""
SHORT_AWAKE_NS = 10_000
"""A CPU awake for less has probably not run a task: a stopped tick stays stopped."""
FORGOTTEN = 8
"""menu knows eight idle periods, and each takes an eighth off what teo knows of those before."""
_FIRST = 4
"""Timers that a period has of its own come before those that all have."""
_POWERS = tuple(1 << bit for bit in range(10, 36))
_MIX = 0x9E3779B97F4A7C15
_U64 = (1 << 64) - 1
_NOT_AGAIN = -100


@dataclass(frozen=True, slots=True)
class Inferred:
    """What was inferred of one CPU.

    rows         the likely history in the form of an exact recording, packed for the core
    decided      the traced governor's decisions in it, two bytes each: state, and whether the tick
                 stops; where nothing explains the state entered, they are others
    unexplained  indices of the periods that no inputs explain
    tick_ended   number of periods that the tick ended
    stopped      number of periods that began with a stopped tick
    others       for each other table its decisions in the likely history, and for each period the
                 states that are open, as a mask
    """

    rows: bytes
    decided: bytes
    unexplained: tuple[int, ...]
    tick_ended: int
    stopped: int
    others: tuple[tuple[bytes, "array[int]"], ...]


@dataclass(frozen=True, slots=True)
class _Kind:
    """What a history prefers: of the timers the likeliest, the earliest, the latest or any; and
    whether the tick was stopped and the CPU pressed. None: as is likely, and as before."""

    timer: Literal["likeliest", "earliest", "latest", "any"]
    stopped: bool | None = None
    pressed: bool | None = None


_KINDS = (
    _Kind("likeliest"),
    _Kind("latest", False, False),
    _Kind("earliest", False, True),
    _Kind("latest", True, True),
    _Kind("latest", False, True),
    _Kind("any"),
)


@dataclass(slots=True)
class _Period:
    """One period, and what its place on the clock says of it.

    timers      times from its start to the next timer that are tried, in ns: _FIRST of its own,
                then those that all periods have, ascending
    possible    where those begin that are not too near
    to_tick_ns  from its start to the next tick
    crosses     it lasts across a tick
    at_tick     it ends with one
    short       the CPU was hardly awake before
    polled_out  it ends with the polling limit
    """

    index: int
    state: int
    start_ns: int
    length_ns: int
    timers: "array[int]"
    possible: int
    to_tick_ns: int
    crosses: bool
    at_tick: bool
    short: bool
    polled_out: bool


@dataclass(slots=True)
class _Offer:
    """Inputs but for the timer, and the places among the timers that lead to the state entered."""

    stopped: bool
    pressed: bool
    places: tuple[int, ...]


class _History:
    """pressed, stopped: the CPU in its last period, and the tick. wins: what the timers of each
    kind have explained."""

    def __init__(self, kind: _Kind, traced: Steps, others: Sequence[Steps]) -> None:
        self.kind = kind
        self.traced = traced
        self.others = others
        self.pressed = self.stopped = False
        self.wins: Counter[tuple[object, ...]] = Counter()

    def copy(self, other: "_History") -> None:
        self.traced.copy(other.traced)  # type: ignore[arg-type]
        for mine, theirs in zip(self.others, other.others, strict=True):
            mine.copy(theirs)  # type: ignore[arg-type]
        self.pressed, self.stopped = other.pressed, other.stopped


class Inference:
    """One traced CPU.

    settings  the kernel that was traced
    others    tables to replay besides
    asked     the kernel to replay them with; None: the traced one
    phase_ns  of the tick on the trace's clock; None: not known, and nothing is concluded of it
    """

    def __init__(
        self,
        table: CpuTable,
        settings: Settings,
        others: Sequence[CpuTable] = (),
        asked: Settings | None = None,
        phase_ns: int | None = None,
        *,
        by_core: bool = True,
    ) -> None:
        self._table = table
        self._settings = settings
        self._asked = asked or settings
        self._others = others
        self._by_core = by_core
        self._asked_at_all = settings.asks_governor(table)
        self._off = {id(each): mask(each.disabled) for each in (table, *others)}
        self._tick_ns = tick_ns(settings.hz)
        self._phase_ns = phase_ns
        self._loop = idle_loop.features(settings.release)
        self._late_ns = [SLACK_NS + state.exit_ns for state in table.states]
        limit = polling(table, settings.release, settings.hz)
        self._poll_ns = limit.limit_ns if limit.told else None
        begins = {state.residency_ns for each in (table, *others) for state in each.states}
        near = {begin - less for begin in begins for less in (0, 1) if begin > less}
        # menu alone compares products of the timer
        powers = _POWERS if "menu" in (settings.governor, self._asked.governor) else ()
        timers = {*near, *powers, self._tick_ns, 2 * self._tick_ns, KTIME_MAX}
        self._timers = array("Q", sorted(each for each in timers if each <= KTIME_MAX))
        self._utilises = asks_utilisation(settings.governor, settings.release)
        features = settings.governor_of(table).features
        self._waits = bool(getattr(features, "iowait", False))

    def infer(self, periods: "array[int]") -> Inferred:
        """periods: start and end in ns, and state, in turn; no state is beyond the table."""
        kinds = _KINDS if self._others else _KINDS[:2]
        histories = [self._history(kind) for kind in kinds]
        rows, decided = bytearray(), bytearray()
        found = [(bytearray(), array("H")) for _ in self._others]
        unexplained: list[int] = []
        tick_ended = began_stopped = 0
        opens = -1
        for period in self._periods(periods):
            offers = [self._offers(each, period) for each in histories]
            doubtful = not all(offers)
            if any(offers):
                self._resample(histories, offers)
            else:
                unexplained.append(period.index)
                opens = period.index + FORGOTTEN
            for number, (table, (_, masks)) in enumerate(zip(self._others, found, strict=True)):
                masks.append(self._open(number, table, histories, offers, period))
                if doubtful or period.index <= opens:
                    masks[-1] = (1 << len(table.states)) - 1 & ~self._off[id(table)]
            for history, offered in zip(histories, offers, strict=True):
                stopped, pressed, place = self._choose(history, period, offered)
                row, decision, got_tick = self._go_on(history, period, stopped, pressed, place)
                taken = [
                    each.keep(self._row(period, table, place, stopped, pressed, got_tick))
                    for each, table in zip(history.others, self._others, strict=True)
                ]
                if history is histories[0]:
                    rows += row
                    decided += decision
                    tick_ended += got_tick
                    began_stopped += stopped
                    for (decisions, _), answer in zip(found, taken, strict=True):
                        decisions += answer
                for number, (_, masks) in enumerate(found):
                    masks[-1] |= 1 << taken[number][0] if taken[number][0] < 16 else 0
        return Inferred(
            bytes(rows),
            bytes(decided),
            tuple(unexplained),
            tick_ended,
            began_stopped,
            tuple((bytes(decisions), masks) for decisions, masks in found),
        )

    def _history(self, kind: _Kind) -> _History:
        def steps(settings: Settings, table: CpuTable) -> Steps:
            return steps_of(settings.governor_of(table), by_core=self._by_core)

        others = [steps(self._asked, other) for other in self._others]
        return _History(kind, steps(self._settings, self._table), others)

    @staticmethod
    def _resample(histories: Sequence[_History], offers: list[list[_Offer]]) -> None:
        """Histories that explain a period no more go on as one that does."""
        living = [at for at, offered in enumerate(offers) if offered]
        for at, history in enumerate(histories):
            if not offers[at]:
                source = living[at % len(living)]
                history.copy(histories[source])
                offers[at] = offers[source]

    def _periods(self, periods: "array[int]") -> Iterator[_Period]:
        tick, phase = self._tick_ns, self._phase_ns
        starts, ends, states = periods[::3], periods[1::3], periods[2::3]
        at_ticks = [
            phase is not None and (end - phase) % tick < self._late_ns[state]
            for end, state in zip(ends, states, strict=True)
        ]
        later = list(ends)
        for index in range(len(later) - 2, -1, -1):
            if at_ticks[index]:
                later[index] = max(later[index + 1], ends[index])
        awake_ns = -SHORT_AWAKE_NS
        for index, (start, end, state) in enumerate(zip(starts, ends, states, strict=True)):
            length = end - start
            to_tick = tick - (start - (phase or 0)) % tick
            least = max(0, length - self._late_ns[state])
            on_time = max(0, length - self._table.states[state].exit_ns)
            own = (later[index] - start, KTIME_MAX, length, least)
            if not at_ticks[index]:
                own = on_time, KTIME_MAX, length, least
            polls = state == 0 and self._poll_ns is not None
            yield _Period(
                index,
                state,
                start,
                length,
                array("Q", own) + self._timers,
                _FIRST + bisect_left(self._timers, least),
                to_tick,
                phase is not None and least > to_tick,
                at_ticks[index],
                start - awake_ns < SHORT_AWAKE_NS,
                polls and length >= (self._poll_ns or 0),
            )
            awake_ns = end

    def _offers(self, history: _History, period: _Period) -> list[_Offer]:
        """All inputs that explain a period; with timers that are too near only if no others do.
        Without other tables to replay, the likely ones will do."""
        if not self._asked_at_all:
            return [_Offer(history.stopped and period.short, False, (0,))]
        timers = period.timers
        if not self._others and (found := self._fitting(history, period, timers[:_FIRST])):
            return found
        found = self._fitting(history, period, timers)
        possible = [
            _Offer(each.stopped, each.pressed, places)
            for each in found
            if (places := tuple(p for p in each.places if p < _FIRST or p >= period.possible))
        ]
        return possible or found

    def _fitting(self, history: _History, period: _Period, timers: "array[int]") -> list[_Offer]:
        found: list[_Offer] = []
        for pressed in (False, True) if self._utilises or self._waits else (False,):
            if pressed and found and not (self._utilises and self._others):
                break
            for stopped in (False, True) if history.stopped else (False,):
                row = self._row(period, self._table, 0, stopped, pressed, False)
                decisions = history.traced.tried(row, period.to_tick_ns, timers)
                states = decisions[::2]
                if period.state not in states:
                    continue
                places: Iterable[int] = (
                    place for place, state in enumerate(states) if state == period.state
                )
                if period.crosses and not tick_stops(self._loop, False, stopped):
                    places = (place for place in places if decisions[2 * place + 1])
                if fit := tuple(places):
                    found.append(_Offer(stopped, pressed, fit))
        return found

    def _choose(
        self, history: _History, period: _Period, offers: Sequence[_Offer]
    ) -> tuple[bool, bool, int]:
        """Whether the tick was stopped, whether the CPU was pressed, and the timer's place."""
        stays = history.stopped and period.short
        if not offers:
            return stays, False, 2
        kind = history.kind
        if kind.timer == "likeliest":
            return self._likeliest(history, period, offers, stays)
        drawn = (period.index + 1) * _MIX & _U64
        stopped = stays if kind.stopped is None else kind.stopped
        pressed = history.pressed if kind.pressed is None else kind.pressed
        best = min(offers, key=lambda each: (each.pressed != pressed, each.stopped != stopped))
        places = sorted(best.places, key=lambda place: period.timers[place])
        at = {"earliest": 0, "latest": -1, "any": (drawn >> 32) % len(places)}[kind.timer]
        return best.stopped, best.pressed, places[at]

    def _likeliest(
        self, history: _History, period: _Period, offers: Sequence[_Offer], stays: bool
    ) -> tuple[bool, bool, int]:
        best, most = None, _NOT_AGAIN - 100
        explained = {(each.stopped, place) for each in offers for place in each.places}
        for stopped in (False, True) if history.stopped else (False,):
            for place in range(3):
                kind = period.state, period.at_tick, stays, stopped, place
                if (stopped, place) not in explained:
                    history.wins[kind] = max(history.wins[kind] - 1, _NOT_AGAIN)
                    continue
                wins = history.wins[kind] + 4 * (stopped == stays) - place
                if wins > most:
                    best, most = (stopped, place), wins
        if best is None:
            offer = min(offers, key=lambda each: (each.stopped != stays, each.pressed))
            later = [place for place in offer.places if place >= _FIRST]
            return offer.stopped, offer.pressed, later[0] if later else offer.places[0]
        stopped, place = best
        fits = (each for each in offers if each.stopped == stopped and place in each.places)
        pressed = min(fits, key=lambda each: each.pressed != history.pressed).pressed
        return stopped, pressed, place

    def _go_on(
        self, history: _History, period: _Period, stopped: bool, pressed: bool, place: int
    ) -> tuple[bytes, bytearray, bool]:
        """What really happened, with these inputs. Returns the row, the decision, and whether the
        tick ended the period."""
        ends = period.at_tick and not (stopped or period.crosses or period.polled_out)
        row = self._row(period, self._table, place, stopped, pressed, ends)
        if ends:
            timer = period.timers[place : place + 1]
            _, stop_tick = history.traced.tried(row, period.to_tick_ns, timer)
            ends = not tick_stops(self._loop, bool(stop_tick), stopped)
            row = self._row(period, self._table, place, stopped, pressed, ends)
        entered = bytearray(row)
        entered[ENTERED] = period.state
        decision = bytearray((0, ends))
        if self._asked_at_all:
            decision = history.traced.keep(entered)
        history.pressed = pressed
        history.stopped = period.crosses or tick_stops(self._loop, bool(decision[1]), stopped)
        return row, decision, ends

    def _open(
        self,
        number: int,
        table: CpuTable,
        histories: Sequence[_History],
        offers: Sequence[Sequence[_Offer]],
        period: _Period,
    ) -> int:
        """The states that another table's governor may select, as a mask."""
        if not self._asked.asks_governor(table):
            return 1
        found = 0
        for history, offered in zip(histories, offers, strict=True):
            for offer in offered:
                row = self._row(period, table, 0, offer.stopped, offer.pressed, False)
                states = history.others[number].tried(row, period.to_tick_ns, period.timers)[::2]
                for state in {states[place] for place in offer.places}:
                    found |= 1 << state if state < 16 else 0
        return found

    def _row(
        self,
        period: _Period,
        table: CpuTable,
        place: int,
        stopped: bool,
        pressed: bool,
        got_tick: bool,
    ) -> bytes:
        sleep_ns = period.timers[place]
        return ROW.pack(
            sleep_ns,
            sleep_ns if stopped else min(sleep_ns, period.to_tick_ns),
            period.start_ns,
            period.start_ns + period.length_ns + WAKE_OVERHEAD_NS,
            period.length_ns,
            0,
            table.limit_us,
            pressed and not self._utilises,
            self._off[id(table)],
            stopped,
            False,
            got_tick,
            period.polled_out,
            AS_SELECTED,
            period.state,
            CPU_CAPACITY if pressed and self._utilises else 0,
            CPU_CAPACITY,
        )
