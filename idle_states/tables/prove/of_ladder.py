"""The proof that ladder never selects a state: no rung that is reached leads to it."""

from collections.abc import Iterator

from ..linux.governors import Governor
from ..linux.governors.ladder_features import LadderFeatures
from .history import Scene
from .proof import Bound, Unreachable, Way

_RUNG = Bound(
    "rung",
    "last state is the first rung at boot, afterwards what was selected before",
    "ladder_enable_device(), ladder_reflect()",
)


class LadderProof:
    """Proofs for one table. names: of its states.

    reached  rungs that may be the last state, found by following all steps from the first
    """

    def __init__(
        self, governor: Governor, features: LadderFeatures, scene: Scene, names: tuple[str, ...]
    ) -> None:
        self.names = names
        self.disabled = scene.disabled
        self.exits = [state.exit_ns for state in governor.states]
        self.limit = scene.limit_us * 1000
        self.first = int(features.skips_polling and governor.states[0].polling)
        self.reached = self._reached()

    def unreachable(self, state: int) -> Unreachable | None:
        """The proof that a state is never selected; None if some rung may lead to it."""
        if state in self.reached:
            return None
        name = self.names[state]
        if not self.limit:
            text = "ladder_select_state() continues after its first return"
            way = Way(text, ("latency limit > 0", "latency limit = 0"))
            return Unreachable(f"The latency limit leaves {self.names[0]} alone.", (way,))
        ways = (*self._not_promoted(state), self._not_demoted(state))
        if state < self.first:
            because = f"{name} polls, and ladder's first rung is the next state."
        elif state in self.disabled:
            because = f"{name} is switched off."
        else:
            because = f"ladder goes up one rung at a time and does not reach {name}."
        return Unreachable(because, ways, (_RUNG,))

    def _reached(self) -> frozenset[int]:
        if not self.limit:
            return frozenset({0})
        reached, new = {self.first}, [self.first]
        while new:
            for state in self._following(new.pop()):
                if state not in reached:
                    reached.add(state)
                    new.append(state)
        return frozenset(reached)

    def _following(self, last: int) -> Iterator[int]:
        """States that ladder_select_state() may return, whatever the last idle period was."""
        if last + 1 < len(self.exits) and not self._barred(last + 1):
            yield last + 1
        if last > self.first:
            yield last - 1
            yield from range(self.first, last)

    def _barred(self, state: int) -> str:
        """Returns the reason why there is no promotion to a state; "": there is one."""
        if state in self.disabled:
            return f"{self.names[state]} is switched off"
        if self.exits[state] > self.limit:
            return f"its exit latency exceeds the latency limit of {self.limit // 1000}us"
        return ""

    def _not_promoted(self, state: int) -> Iterator[Way]:
        if state == 0:
            yield Way("promotion to it", ("there is no state before it",))
            return
        barred = self._barred(state)
        before = f"{self.names[state - 1]} is never the last state"
        yield Way("promotion to it", (barred or before,))

    def _not_demoted(self, state: int) -> Way:
        if state < self.first:
            return Way("demotion to it", (f"{state} < {self.first}, the first rung",))
        return Way("demotion to it", ("no deeper state is ever the last state",))
