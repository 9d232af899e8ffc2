"""The proof that menu never selects a state: each way there is to it, and what excludes it.

menu's step looks at five quantities: what it predicts, the time to the next timer and to the next
event, the latency limit in force, and whether the tick runs. What the history makes of the first
is not looked into: it may be anything within `BOUNDS`. That gives a state more ways than it has, so
that all of them being closed proves that it is never selected; one that is open proves nothing.
"""

from collections.abc import Iterator

from ...base.dataclass import dataclass
from ...base.model.units import format_time
from ..linux.governors import Governor
from ..linux.governors.interface import KTIME_MAX, U32_MAX
from ..linux.governors.menu_features import MenuFeatures
from ..linux.governors.menu_search import MenuTable
from ..linux.qos import NO_LIMIT_US
from .history import Scene
from .inequalities import Inequality, at_least, at_most, contradiction
from .proof import Bound, Unreachable, Way

SHARE = Bound(
    "share",
    "predicted <= next timer + 0.5 us",
    "menu_update() replaces an eighth of a factor by at most RESOLUTION, so that none exceeds "
    "RESOLUTION * DECAY; menu_select() takes the lesser of the timer corrected, to the nearest us, "
    "and the typical interval",
)
WIDTH = Bound("width", "predicted <= 4294967295 us", "both are unsigned int in us")
SHORT = Bound(
    "short",
    "predicted <= 15 us where timers are not asked",
    "RESIDENCY_THRESHOLD_NS, menu_select()",
)
EVENT = Bound(
    "event",
    "next event <= next timer; <= a tick where it runs; half a tick where timers are not asked",
    "tick_nohz_get_sleep_length() stores the time to the clock event device's next event",
)
LIMIT = Bound(
    "limit",
    "latency limit = the limit given or predicted / (1 + 10 tasks waiting for I/O + 2 load), the "
    "lesser",
    "menu_select(); without the second where the tick is stopped, and from 6.17 on; without tasks "
    "from 6.13, without load from 4.20 on",
)
DUE = Bound(
    "due",
    "next timer, next event, predicted and latency limit >= 0",
    "an overdue timer counts as due now: in the history, and from 5.13 on in menu_select()",
)
BOUNDS = (SHARE, WIDTH, SHORT, EVENT, LIMIT, DUE)


@dataclass(frozen=True, slots=True)
class _Case:
    """The circumstances of a step: the quantities' bounds, and whether the tick is stopped."""

    text: str
    stopped: bool
    holds: tuple[Inequality, ...]


_Needs = tuple[str, bool | None, list[Inequality]]
"""A way: what happens, whether the tick is stopped (None: either), what it needs."""


class MenuProof:
    """Proofs for one table. names: of its states; ticking: they are about steps with the tick
    running only."""

    def __init__(
        self,
        governor: Governor,
        features: MenuFeatures,
        scene: Scene,
        names: tuple[str, ...],
        ticking: bool = False,
    ) -> None:
        self.features = features
        self.names = names
        self.table = MenuTable(governor.states, features, governor.hz)
        self.limit = scene.limit_us * self.table.per_us
        self.enabled = [i for i in range(len(governor.states)) if i not in scene.disabled]
        cases = [each for each in self._cases() if not (ticking and each.stopped)]
        self.cases = [each for each in cases if not contradiction(each.holds)]

    def unreachable(self, state: int) -> Unreachable | None:
        """The proof that a state is never selected; None if some way to it is open."""
        if state == 0 and (0 not in self.enabled or not self.limit or len(self.enabled) == 1):
            return None  # it is also what is left where nothing else is
        if state not in self.enabled:
            text = "menu_select() passes over states that are disabled"
            return Unreachable(f"{self.names[state]} is switched off.", (Way(text, ()),))
        at_once = self._at_once() if state else None
        if at_once is not None:
            because = f"The latency limit leaves {self.names[0]} alone."
            return Unreachable(because, (at_once,))
        ways: dict[Way, None] = {}
        used: set[str] = set()
        for text, stopped, needs in self._ways(state):
            cases = [each for each in self.cases if stopped in (None, each.stopped)]
            whatever = contradiction(needs)
            for case in cases[:1] if whatever else cases:
                refuted = whatever or contradiction([*needs, *case.holds])
                if refuted is None:
                    return None
                way = text if whatever else f"{text}, {case.text}"
                ways[Way(way, tuple(sorted({each.text for each in refuted})))] = None
                used |= {each.bound for each in refuted}
        bounds = tuple(bound for bound in BOUNDS if bound.name in used)
        return Unreachable(self._because(state), tuple(ways), bounds)

    def _at_once(self) -> Way | None:
        """Returns the way past menu_select()'s first return if the limit closes it, else None."""
        text = "menu_select() continues after its first return"
        if self.limit == 0:
            return Way(text, ("latency limit > 0", "latency limit = 0"))
        if self.features.early_return and 0 in self.enabled and self.limit < self.table.exit[1]:
            given = f"latency limit = {self._time(self.limit)}"
            return Way(text, (self._fast("limit", 1).text, given))
        return None

    def _because(self, state: int) -> str:
        following = self._next(state)
        table, name = self.table, self.names[state]
        if table.exit[state] > self.limit:
            return f"{name} takes longer to leave than the latency limit allows."
        if following is not None and table.residency[following] <= table.residency[state]:
            other = self.names[following]
            return (
                f"Every prediction that {name} fits, {other} fits too, and menu selects the "
                "deeper one."
            )
        return f"No prediction leads to {name}."

    def _next(self, state: int) -> int | None:
        return next((i for i in self.enabled if i > state), None)

    def _before(self, state: int) -> int | None:
        return next((i for i in reversed(self.enabled) if i < state), None)

    # The ways

    def _ways(self, state: int) -> Iterator[_Needs]:
        yield from self._found(state)
        if state == 0 and self.features.early_return:
            yield "the timer is too near for the next one", None, [self._beyond("timer", 1)]
            yield "the next one is too slow", None, [self._slow(1)]
        before = self._before(state)
        if before is not None:
            if self.features.polling_override and self.table.polling[before]:
                needs = [*self._overriding(state), *self._come_to(before)]
                yield "it is taken instead of a polling state", None, needs
            if self.features.shallow_escape:
                yield (
                    "with the tick stopped, it fits before the next event",
                    True,
                    [
                        *self._too_deep(state),
                        *self._come_to(before),
                        self._below_a_tick(before),
                        at_least("predicted", self.table.tick, "predicted >= a tick"),
                        self._within("event", state),
                    ],
                )
        following = self._next(state)
        if self.features.decides_tick and following is not None:
            needs = [self._beyond("event", following)]
            if before is not None:
                needs.append(self._within("event", state))
                if not self._may_start(state):
                    needs.append(self._fast("limit", state))
            given_up = "deeper ones are given up for the tick, which is kept"
            yield given_up, None if self.features.stopped_shallower else False, needs
            if self.features.io_waiters == "tick":
                needs = [self._beyond("limit", following), *needs[1:]]
                if before is not None:
                    needs.append(self._within("limit", state))
                yield f"{given_up} as tasks wait for I/O", False, needs

    def _may_start(self, state: int) -> bool:
        """Tells whether the search may start at a state that is not the first, whatever is
        predicted."""
        features = self.features
        polls = features.polling_loop or (features.skips_polling and self.table.polling[0])
        return state == 1 and polls

    def _come_to(self, before: int) -> list[Inequality]:
        """Returns the conditions for the search to go on from a too deep state to the next one."""
        needs = []
        following = self._next(before)
        if self.features.latency_first and following is not None:
            needs.append(self._fast("limit", following))
        if self._before(before) is not None and not self._may_start(before):
            needs += [self._within("predicted", before), self._fast("limit", before)]
        return needs

    def _found(self, state: int) -> Iterator[_Needs]:
        """The search ends here: it starts here or the state fits, and the next one does not."""
        fits = [self._within("predicted", state), self._fast("limit", state)]
        if self._before(state) is None:
            yield from self._starts("the search starts with it", state)
            return
        yield from self._ends("the search ends", state, fits)
        if self._may_start(state):
            yield from self._starts("the search starts after the polling state", state)

    def _starts(self, text: str, state: int) -> Iterator[_Needs]:
        """Yields the ways to the state where the search starts, which is taken even if it does not
        fit; then the search may end at once."""
        yield f"{text} and ends, because it does not fit", None, self._too_deep(state)
        yield f"{text} and ends, because it is too slow", None, [self._slow(state)]
        yield from self._ends(text, state, [])

    def _ends(self, text: str, state: int, fits: list[Inequality]) -> Iterator[_Needs]:
        following = self._next(state)
        if following is None:
            yield text, None, fits
            return
        if self.features.io_waiters == "first" and not self.table.polling[state]:
            yield f"{text}, because tasks wait for I/O", None, fits
        yield f"{text}, before a deeper state", None, [*fits, *self._too_deep(following)]
        yield f"{text}, before a slower state", None, [*fits, self._slow(following)]

    def _overriding(self, state: int) -> list[Inequality]:
        features, table = self.features, self.table
        needs = [*self._too_deep(state), self._within("timer", state)]
        if features.override_in_limit:
            needs.append(self._fast("limit", state))
        if features.override_in_time:
            needs.append(self._fast("predicted", state))
        if features.override_short:
            text = f"target residency {self._time(table.residency[state])} < 15us"
            needs.append(Inequality("", "", table.threshold - 1 - table.residency[state], text))
        return needs

    def _within(self, quantity: str, state: int) -> Inequality:
        return at_least(quantity, self.table.residency[state], self._text(quantity, ">=", state))

    def _beyond(self, quantity: str, state: int) -> Inequality:
        return at_most(quantity, self.table.residency[state] - 1, self._text(quantity, "<", state))

    def _slow(self, state: int) -> Inequality:
        latency = self.table.exit[state]
        text = f"latency limit < {self._time(latency)} ({self.names[state]}'s exit latency)"
        return at_most("limit", latency - 1, text)

    def _below_a_tick(self, state: int) -> Inequality:
        residency = self.table.residency[state]
        text = f"{self.names[state]}'s target residency {self._time(residency)} < a tick"
        return Inequality("", "", self.table.tick - 1 - residency, text)

    def _too_deep(self, state: int) -> list[Inequality]:
        return [self._beyond("predicted", state)]

    def _fast(self, quantity: str, state: int) -> Inequality:
        latency = self.table.exit[state]
        text = f"{_NAMES[quantity]} >= {self._time(latency)} ({self.names[state]}'s exit latency)"
        return at_least(quantity, latency, text)

    def _text(self, quantity: str, sign: str, state: int) -> str:
        residency = self._time(self.table.residency[state])
        return f"{_NAMES[quantity]} {sign} {residency} ({self.names[state]}'s target residency)"

    def _time(self, time: int) -> str:
        return format_time(time * 1000 // self.table.per_us)

    # The bounds

    def _cases(self) -> Iterator[_Case]:
        least = [at_least(each, 0, f"{_NAMES[each]} >= 0", DUE.name) for each in _NAMES]
        for stopped in (False, True):
            tick = "tick stopped" if stopped else "tick running"
            yield from self._limited(f"{tick}", stopped, least + self._with_timers(stopped))
            if self.features.typical_first:
                text = f"{tick}, timers not asked"
                yield from self._limited(text, stopped, least + self._without_timers(stopped))

    def _with_timers(self, stopped: bool) -> list[Inequality]:
        per_us = self.table.per_us
        holds = [
            Inequality("event", "timer", 0, "next event <= next timer", EVENT.name),
            at_most("timer", KTIME_MAX, "next timer <= KTIME_MAX", EVENT.name),
        ]
        if not stopped:
            holds.append(at_most("event", self.table.tick, "next event <= a tick", EVENT.name))
        if not (stopped and self.features.stopped_tick not in ("", "kept")):
            holds.append(Inequality("predicted", "timer", per_us // 2, SHARE.holds, SHARE.name))
            holds.append(at_most("predicted", U32_MAX * per_us, WIDTH.holds, WIDTH.name))
        return holds

    def _without_timers(self, stopped: bool) -> list[Inequality]:
        half = self.table.tick // 2
        holds = [at_most("event", half, "next event = half a tick", EVENT.name)]
        holds.append(at_least("event", half, "next event = half a tick", EVENT.name))
        if not (stopped and self.features.stopped_tick not in ("", "kept")):
            holds.append(at_most("predicted", self.table.threshold, SHORT.holds, SHORT.name))
        return holds

    def _limited(self, text: str, stopped: bool, holds: list[Inequality]) -> Iterator[_Case]:
        none = self.limit >= NO_LIMIT_US * self.table.per_us
        given = f"latency limit = {'none' if none else self._time(self.limit)}"
        full = at_least("limit", self.limit, given, LIMIT.name)
        least = at_most("limit", self.limit, given, LIMIT.name)
        features = self.features
        if not features.predicted_limit or (stopped and features.stopped_tick):
            yield _Case(text, stopped, (*holds, least, full))
            return
        divided = features.iowait or features.load
        relation = f"latency limit {'<=' if divided else '='} predicted"
        by_prediction = Inequality("limit", "predicted", 0, relation, LIMIT.name)
        if divided:
            yield _Case(text, stopped, (*holds, least, by_prediction))
            return
        whole = Inequality("predicted", "limit", 0, relation, LIMIT.name)
        yield _Case(text, stopped, (*holds, least, by_prediction, whole))
        yield _Case(text, stopped, (*holds, least, by_prediction, full))


_NAMES = {
    "predicted": "predicted",
    "timer": "next timer",
    "event": "next event",
    "limit": "latency limit",
}
