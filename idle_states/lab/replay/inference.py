"""Inputs that a traced CPU's governor may have had, period by period, and what others make of them.

A trace of cpu_idle says which state a governor selected and not of what. But its model, asked with
every next timer that there may have been, tells which of them lead to the state that was entered.
So each period gets inputs that explain it, and the governor's memory goes on with what really
happened:

  timer    Not before the period's end less the state's exit latency: it would have ended the
           period. Tried are that time, the period's end, the end of the next period that no tick
           ended, a timer that is far, the values at which a state begins to fit, and powers of two.
  tick     A period that lasts across a tick had it stopped, by this decision or by one
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
from collections.abc import Iterable, Sequence
from itertools import compress

from ...base.dataclass import dataclass
from ...tables.linux import idle_loop
from ...tables.linux.governors import asks_utilisation
from ...tables.linux.governors.core.packing import AS_SELECTED, ENTERED, ROW, compiled, mask
from ...tables.linux.governors.core.structs import INFER_SETTING
from ...tables.linux.governors.interface import CPU_CAPACITY, U64_MAX
from ...tables.linux.idle_loop import tick_stops
from ..traces.recording import WAKE_OVERHEAD_NS
from .histories import KINDS, InputHistory, Kind, Offer, resample
from .machine import CpuTable
from .placed import OWN_TIMERS, SHORT_AWAKE_NS, SLACK_NS, PlacedPeriod, Places
from .replay import Settings
from .steps import CoreSteps, Steps, steps_of

FORGOTTEN = 8
"""menu knows eight idle periods, and each takes an eighth off what teo knows of those before."""


@dataclass(frozen=True, slots=True)
class Inferred:
    """The inferred inputs and decisions of one CPU.

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


class Inference:
    """One traced CPU.

    settings  the kernel that was traced
    others    tables to replay besides
    wanted    the kernel to replay them with; None: the traced one
    phase_ns  of the tick on the trace's clock; None: not known, and nothing is concluded of it
    """

    def __init__(
        self,
        table: CpuTable,
        settings: Settings,
        others: Sequence[CpuTable] = (),
        wanted: Settings | None = None,
        phase_ns: int | None = None,
        *,
        by_core: bool = True,
    ) -> None:
        self._table = table
        self._settings = settings
        self._wanted = wanted or settings
        self._others = others
        self._by_core = by_core
        self._asked_at_all = settings.asks_governor(table)
        self._off = {id(each): mask(each.disabled) for each in (table, *others)}
        self._loop = idle_loop.features(settings.release)
        # menu alone compares products of the timer
        powers = "menu" in (settings.governor, self._wanted.governor)
        self._places = Places(table, settings, others, phase_ns, powers=powers)
        self._utilises = asks_utilisation(settings.governor, settings.release)
        features = settings.governor_of(table).features
        self._waits = bool(getattr(features, "heeds_waiters", False))

    def infer(self, periods: "array[int]") -> Inferred:
        """periods: start and end in ns, and state, in turn; no state is beyond the table."""
        likely = self._history(KINDS[0])
        steps = [each for each in (likely.traced, *likely.others) if isinstance(each, CoreSteps)]
        asks = self._asked_at_all and all(map(self._wanted.asks_governor, self._others))
        if asks and len(steps) == 1 + len(self._others):
            return self._inferred_by_core(periods, steps)
        kinds = KINDS if self._others else KINDS[:2]
        histories = [likely, *map(self._history, kinds[1:])]
        rows, decided = bytearray(), bytearray()
        found = [(bytearray(), array("H")) for _ in self._others]
        unexplained: list[int] = []
        tick_ended = began_stopped = 0
        opens = -1
        for period in self._places.of(periods):
            offers = [self._offers(each, period) for each in histories]
            doubtful = not all(offers)
            if any(offers):
                resample(histories, offers)
            else:
                unexplained.append(period.index)
                opens = period.index + FORGOTTEN
            for number, (table, (_, masks)) in enumerate(zip(self._others, found, strict=True)):
                masks.append(self._open(number, table, histories, offers, period))
                if doubtful or period.index <= opens:
                    masks[-1] = (1 << len(table.states)) - 1 & ~self._off[id(table)]
            for history, offered in zip(histories, offers, strict=True):
                stopped, loaded, place = history.choose(period, offered)
                row, decision, got_tick = self._go_on(history, period, stopped, loaded, place)
                likeliest = [
                    each.keep(self._row(period, table, place, stopped, loaded, got_tick))
                    for each, table in zip(history.others, self._others, strict=True)
                ]
                if history is histories[0]:
                    rows += row
                    decided += decision
                    tick_ended += got_tick
                    began_stopped += stopped
                    for (decisions, _), answer in zip(found, likeliest, strict=True):
                        decisions += answer
                for number, (_, masks) in enumerate(found):
                    masks[-1] |= 1 << likeliest[number][0] if likeliest[number][0] < 16 else 0
        return Inferred(
            bytes(rows),
            bytes(decided),
            tuple(unexplained),
            tick_ended,
            began_stopped,
            tuple((bytes(decisions), masks) for decisions, masks in found),
        )

    def _inferred_by_core(self, periods: "array[int]", steps: Sequence[CoreSteps]) -> Inferred:
        """Does the work of infer(), one call for all periods."""
        places, count = self._places, len(periods) // 3
        tables = tuple(
            (*step.given, step.memory, table.limit_us, self._off[id(table)])
            for step, table in zip(steps, (self._table, *self._others), strict=True)
        )
        setting = INFER_SETTING.pack(
            tick_ns=places.tick_ns,
            phase_ns=places.phase_ns or 0,
            poll_ns=U64_MAX if places.poll_ns is None else places.poll_ns,
            slack_ns=SLACK_NS,
            awake_ns=SHORT_AWAKE_NS,
            wake_ns=WAKE_OVERHEAD_NS,
            has_phase=places.phase_ns is not None,
            decides_tick=self._loop.governor_decides_tick,
            utilises=self._utilises,
            waits=self._waits,
        )
        rows, unexplained = bytearray(ROW.size * count), bytearray(count)
        decisions = bytearray(2 * count * len(tables))
        masks = array("H", bytes(2 * count * len(self._others)))
        tick_ended, stopped = compiled.infer(
            tables, setting, places.timers, periods, rows, unexplained, decisions, masks
        )
        own, *others = (bytes(decisions[2 * count * n :][: 2 * count]) for n in range(len(tables)))
        return Inferred(
            bytes(rows),
            own,
            tuple(compress(range(count), unexplained)),
            tick_ended,
            stopped,
            tuple((each, masks[count * n :][:count]) for n, each in enumerate(others)),
        )

    def _history(self, kind: Kind) -> InputHistory:
        def steps(settings: Settings, table: CpuTable) -> Steps:
            return steps_of(settings.governor_of(table), by_core=self._by_core)

        others = [steps(self._wanted, other) for other in self._others]
        return InputHistory(kind, steps(self._settings, self._table), others)

    def _offers(self, history: InputHistory, period: PlacedPeriod) -> list[Offer]:
        """All inputs that explain a period; with timers that are too near only if no others do.
        Without other tables to replay, the likely ones will do."""
        if not self._asked_at_all:
            return [Offer(history.stopped and period.short, False, (0,))]
        timers = period.timers
        if not self._others and (found := self._fitting(history, period, timers[:OWN_TIMERS])):
            return found
        found = self._fitting(history, period, timers)
        possible = [
            Offer(each.stopped, each.loaded, places)
            for each in found
            if (places := tuple(p for p in each.places if p < OWN_TIMERS or p >= period.possible))
        ]
        return possible or found

    def _fitting(
        self, history: InputHistory, period: PlacedPeriod, timers: "array[int]"
    ) -> list[Offer]:
        found: list[Offer] = []
        for loaded in (False, True) if self._utilises or self._waits else (False,):
            if loaded and found and not (self._utilises and self._others):
                break
            for stopped in (False, True) if history.stopped else (False,):
                row = self._row(period, self._table, 0, stopped, loaded, False)
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
                    found.append(Offer(stopped, loaded, fit))
        return found

    def _go_on(
        self, history: InputHistory, period: PlacedPeriod, stopped: bool, loaded: bool, place: int
    ) -> tuple[bytes, bytearray, bool]:
        """Continues a history by the real period, with these inputs. Returns the row, the decision,
        and whether the tick ended the period."""
        ends = period.at_tick and not (stopped or period.crosses or period.polled_out)
        row = self._row(period, self._table, place, stopped, loaded, ends)
        if ends:
            timer = period.timers[place : place + 1]
            _, stop_tick = history.traced.tried(row, period.to_tick_ns, timer)
            ends = not tick_stops(self._loop, bool(stop_tick), stopped)
            row = self._row(period, self._table, place, stopped, loaded, ends)
        entered = bytearray(row)
        entered[ENTERED] = period.state
        decision = bytearray((0, ends))
        if self._asked_at_all:
            decision = history.traced.keep(entered)
        history.loaded = loaded
        history.stopped = period.crosses or tick_stops(self._loop, bool(decision[1]), stopped)
        return row, decision, ends

    def _open(
        self,
        number: int,
        table: CpuTable,
        histories: Sequence[InputHistory],
        offers: Sequence[Sequence[Offer]],
        period: PlacedPeriod,
    ) -> int:
        """The states that another table's governor may select, as a mask."""
        if not self._wanted.asks_governor(table):
            return 1
        found = 0
        for history, offered in zip(histories, offers, strict=True):
            for offer in offered:
                row = self._row(period, table, 0, offer.stopped, offer.loaded, False)
                states = history.others[number].tried(row, period.to_tick_ns, period.timers)[::2]
                for state in {states[place] for place in offer.places}:
                    found |= 1 << state if state < 16 else 0
        return found

    def _row(
        self,
        period: PlacedPeriod,
        table: CpuTable,
        place: int,
        stopped: bool,
        loaded: bool,
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
            loaded and not self._utilises,
            self._off[id(table)],
            stopped,
            False,
            got_tick,
            period.polled_out,
            AS_SELECTED,
            period.state,
            CPU_CAPACITY if loaded and self._utilises else 0,
            CPU_CAPACITY,
        )
