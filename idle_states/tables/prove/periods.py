"""The equal idle periods that keep a state once it is selected, and the time the selection takes to
follow when the period changes.

Interrupts end the idle periods, the next timer is far, the tick runs at first. Both are found by
trying: each period until the selection repeats.
"""

from collections.abc import Sequence
from typing import Annotated

from ...base.dataclass import dataclass
from ...base.model.forms import Count, KeyName
from ..linux.governors import Governor
from ..linux.request_parts import FAR_NS
from .history import IdleStep, Memory, Played
from .wandering import US
from .witness import Search

_SETTLING = 80
"""Idle periods until a selection counts as settled: governors forget an eighth each time."""
_OBSERVED = 16
_TRIED = 16
"""Lengths tried below a target residency."""


@dataclass(frozen=True, slots=True)
class StateKept:
    """A state that equal idle periods keep selected."""

    state: Annotated[Count, KeyName("index"), "Number of the state."]
    first_ns: Annotated[
        Count | None, "The shortest period tried that leads to it from boot on; null: none does."
    ]
    least_ns: Annotated[
        Count | None,
        "The shortest that keeps it after those, or after the witness; null: none does.",
    ]
    itself: Annotated[bool, "True if that is below its target residency."]


@dataclass(frozen=True, slots=True)
class Followed:
    """A change of the period, after which the selection takes longest to follow."""

    from_ns: Annotated[Count, "The period before."]
    to_ns: Annotated[Count, "The period after."]
    states: Annotated[tuple[int, ...], "The states selected in the end, by number; -1: no state."]
    idles: Annotated[Count, "Idle periods until nothing else is."]
    time_ns: Annotated[Count, "Their duration."]


class PeriodTrial:
    """Tries periods for one governor over one table."""

    def __init__(self, search: Search) -> None:
        self.search = search
        self.states = search.governor.states

    def kept(self, state: int, witness: Sequence[Played]) -> StateKept:
        """Returns the periods that lead to a state, and those that keep it."""
        lengths = self._lengths(state)
        first = next((each for each in lengths if self._settles([], each, state)), None)
        before = [one.step for one in witness]
        if first is not None:
            before = [IdleStep(FAR_NS, first)] * _SETTLING
        least = next((each for each in lengths if self._settles(before, each, state)), None)
        itself = least is not None and least < self.states[state].residency_ns
        return StateKept(state, first, least, itself)

    def slowest(self) -> Followed | None:
        """The worst change between periods that suit the states; None for a single one."""
        periods = sorted({self._suiting(state) for state in range(len(self.states))})
        worst: Followed | None = None
        for before in periods:
            for after in periods:
                if before == after:
                    continue
                found = self._followed(before, after)
                if worst is None or found.idles > worst.idles:
                    worst = found
        return worst

    def _suiting(self, state: int) -> int:
        this = self.states[state]
        return this.residency_ns + 2 * this.exit_ns + US

    def _lengths(self, state: int) -> list[int]:
        """Ascending: below the target residency, and what suits the state."""
        residency = self.states[state].residency_ns
        below = {residency * part // _TRIED // US * US for part in range(_TRIED)}
        suiting = {self._suiting(state), residency, 2 * residency, 4 * residency}
        return sorted({max(US, each) for each in below | suiting})

    def _settles(self, before: Sequence[IdleStep], length: int, state: int) -> bool:
        governor, memory = self._after(before)
        states, _ = self._play(governor, memory, length, _SETTLING)
        return set(states[-_OBSERVED:]) == {state}

    def _followed(self, before: int, after: int) -> Followed:
        governor, memory = self._after([])
        _, memory = self._play(governor, memory, before, _SETTLING)
        start = memory.clock_ns
        clocks: list[int] = []
        states, _ = self._play(governor, memory, after, _SETTLING, clocks)
        at_last = set(states[-_OBSERVED:])
        idles = len(states)
        while idles and states[idles - 1] in at_last:
            idles -= 1
        time_ns = clocks[idles - 1] - start if idles else 0
        return Followed(before, after, tuple(sorted(at_last)), idles, time_ns)

    def _after(self, steps: Sequence[IdleStep]) -> tuple[Governor, Memory]:
        governor, memory = self.search.make(), Memory()
        for step in steps:
            _, memory = self.search.scene.play(governor, step, memory)
        return governor, memory

    def _play(
        self,
        governor: Governor,
        memory: Memory,
        length: int,
        count: int,
        clocks: list[int] | None = None,
    ) -> tuple[list[int], Memory]:
        step, states = IdleStep(FAR_NS, length), []
        for _ in range(count):
            played, memory = self.search.scene.play(governor, step, memory)
            states.append(played.decision.state)
            if clocks is not None:
                clocks.append(memory.clock_ns)
        return states, memory
