"""The proof that teo never selects a state: that it is switched off, that the latency limit
excludes it, or that the next one has the same target residency.

teo's choice depends on sums over bins, which are not looked into but for one thing: the bin of a
state whose successor has the same target residency is empty. Other states are left undecided where
no witness is found.
"""

from collections.abc import Iterator

from ...base.model.units import format_time
from ..linux.governors import Governor
from ..linux.governors.teo_features import TeoFeatures
from ..linux.governors.teo_table import TeoTable
from .history import Scene
from .proof import Bound, Unreachable, Way

_EMPTY = Bound(
    "empty",
    "hits = intercepts = early hits = 0",
    "teo_update() counts a wake-up at the deepest state whose target residency is not above the "
    "time; of two with the same one that is the deeper",
)


class TeoProof:
    """Proofs for one table. names: of its states; ticking: they are about steps with the tick
    running only."""

    def __init__(
        self,
        governor: Governor,
        features: TeoFeatures,
        scene: Scene,
        names: tuple[str, ...],
        ticking: bool = False,
    ) -> None:
        self.features = features
        self.names = names
        self.table = TeoTable(governor.states, features, governor.hz)
        self.limit = self.table.latency(scene.limit_us)
        self.disabled = scene.disabled
        self.ticking = ticking
        self.enabled = [i for i in range(len(governor.states)) if i not in scene.disabled]

    def unreachable(self, state: int) -> Unreachable | None:
        """The proof that a state is never selected; None if there is none."""
        if state == 0:
            return None  # it is also what is left where nothing fits
        name = self.names[state]
        if state in self.disabled:
            text = "teo_select() passes over states that are disabled"
            return Unreachable(f"{name} is switched off.", (Way(text, ()),))
        if state == self.enabled[0]:
            return None  # taken as it is, where the search starts
        of_two = self.features.utilisation and self.table.count == 2
        if self.features.bins and state > self._constraint() and not of_two:
            return self._excluded(state)
        ways = [*self._ways(state)] if self._ties(state) else []
        if not ways or not all(way.contradiction for way in ways):
            return None
        because = (
            f"{self.names[state + 1]} has the target residency of {name}: nothing is counted "
            f"for {name}, and every period long enough for it is long enough for the deeper one."
        )
        return Unreachable(because, tuple(ways), (_EMPTY,))

    def _constraint(self) -> int:
        """The deepest state within the latency limit."""
        fast = [i for i in self.enabled if i and self.table.exit[i] <= self.limit]
        return max(fast, default=0)

    def _excluded(self, state: int) -> Unreachable:
        deepest = self.names[self._constraint()]
        lesser = Way("the search, the lookup among intercepts", (f"state <= {deepest}",))
        later = Way("timer, tick, utilisation", ("they lead to shallower states only",))
        because = f"{self.names[state]} is deeper than what the latency limit allows."
        return Unreachable(because, (lesser, later))

    def _ties(self, state: int) -> bool:
        """Tells whether the state's bin is empty, and the next state takes its place: a utilised
        CPU is given the shallower of two with the same residency."""
        following = state + 1
        return (
            following in self.enabled
            and not self.features.utilisation
            and self.table.residency[following] == self.table.residency[state]
            and max(self.table.exit[state], self.table.exit[following]) <= self.limit
        )

    def _ways(self, state: int) -> Iterator[Way]:
        """All ways to a state whose successor has its residency. One without a contradiction is
        open."""
        time = format_time(self.table.residency[state] * (1 if self.features.nanoseconds else 1000))
        deeper = self.names[state + 1]

        def between(what: str) -> tuple[str, ...]:
            return (f"{what} >= {time}", f"{what} < {time} ({deeper})")

        if self.features.bins and self.features.lazy_timers:
            yield Way("it is the deepest", (f"{deeper} is enabled",))
        else:
            yield Way("it is the deepest within the sleep length", between("sleep length"))
        if self.features.bins:
            yield from self._looked_up(state)
            yield Way(
                "it is the deepest within the latency limit", (f"{deeper} is within it, too",)
            )
        else:
            yield Way("it has most early hits", ("early hits > 0", "early hits = 0"))
            yield Way("most recent idles were shorter", between("their average"))
        if self.features.stopped_tick == "last":
            yield Way("the tick is stopped, the timer far", between("sleep length"))
        if self.features.lazy_timers:
            yield Way("the timer is nearer than a deeper one's", between("sleep length"))
        yield Way("the tick is kept, too near for a deeper one", between("next event"))

    def _looked_up(self, state: int) -> Iterator[Way]:
        """The lookup among intercepts, from the candidate down to where most of them lie."""
        deeper = self.names[state + 1]
        same = (f"intercepts from {deeper} on = intercepts from {self.names[state]} on",)
        majority = "most intercepts lie from it on"
        yield Way(majority, (*same, f"the lookup ends at {deeper} or above"))
        if self.features.peak_first:
            yield Way("no deeper bin has more intercepts", ("intercepts > 0", "intercepts = 0"))
        long = self.table.residency[state] >= self.table.tick
        if not self.features.passes_disabled:
            yield Way("the lookup may not lead to where it ends", self._led_past(state, long))
            return
        if self.features.stopped_tick == "residency" and long and not self.ticking:
            first = self.table.residency[state - 1] < self.table.tick
            # The candidate is the deepest; with the same residency it is kept.
            deepest = self.enabled[-1]
            kept = self.features.empty_bins and (
                self.table.residency[deepest] == self.table.residency[state]
            )
            text = "with the tick stopped, it is the first of a tick or more"
            yield Way(text, () if first and not kept else (f"{deeper} is kept",))
            return
        yield Way("the lookup ends with it", (f"{self.names[self.enabled[0]]} is shallower",))

    def _led_past(self, state: int, long: bool) -> tuple[str, ...]:
        """Up to 6.18, where the lookup may not lead to the state it ends at, it leads to the last
        one that it passed and might have led to. Empty: that may be this one."""
        shallower = state - 1
        if shallower in self.disabled:
            return ()
        name, table = self.names[shallower], self.table
        running = f"with the tick running, the lookup may lead to {name}, too"
        if self.ticking:
            return (running,)
        if not long:
            return running, "with the tick stopped, it may not lead to this one, below a tick"
        below = table.residency[shallower]
        if self.features.stopped_tick == "span":
            below = (below + table.residency[state]) // 2
        return (running, f"with it stopped, too, to {name}") if below >= table.tick else ()
