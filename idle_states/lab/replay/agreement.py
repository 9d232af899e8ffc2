"""The agreement of a replay with its trace: the model of the traced machine against the trace.

Only with the table, governor and kernel of the trace can a model be held to it. How well it then
does is what figures for other tables are worth.
"""

from collections.abc import Mapping

from ...base.dataclass import dataclass
from ...base.wording import joined
from .counters import Figures, StateFigures

ENOUGH = 0.99
"""Share of agreement from which nothing is suspected, and that a candidate has to reach."""
WITHIN_PERCENT = 10
"""A state's usage is true if it is off by no more."""
_NEGLIGIBLE = 1000
"""Nor does it matter if it is off by less than one in so many of all idle periods."""


@dataclass(frozen=True, slots=True)
class StateAgreement:
    """One state. traced, modelled: its counters; counted: its usage between two dumps of sysfs
    around the trace, which last longer; None without them."""

    traced: StateFigures
    modelled: StateFigures
    counted: int | None = None

    @property
    def off(self) -> float | None:
        """By which share of the traced usage the modelled one is greater; None where the state was
        not entered."""
        usage = self.traced.usage
        return (self.modelled.usage - usage) / usage if usage else None


@dataclass(frozen=True, slots=True)
class Agreement:
    """The results of the traced machine's model, beside the trace.

    machine    name of the traced machine, or of the table taken for it
    governor   governor and kernel that were modelled, as words
    cpus       CPU -> number of idle periods compared, and of these for which the model's first
               decision is the state entered
    states     by state, over all CPUs
    uncalibrated  how many agree without calibration, each period taken to end with its next timer;
               None where the model is not calibrated
    """

    machine: str
    governor: str
    cpus: Mapping[int, tuple[int, int]]
    states: tuple[StateAgreement, ...]
    uncalibrated: int | None = None

    @property
    def periods(self) -> int:
        return sum(periods for periods, _ in self.cpus.values())

    @property
    def agreed(self) -> int:
        return sum(agreed for _, agreed in self.cpus.values())

    @property
    def untrue(self) -> tuple[StateAgreement, ...]:
        """States whose usage is off by more than WITHIN_PERCENT."""
        least = sum(held.traced.usage for held in self.states) / _NEGLIGIBLE
        return tuple(
            held
            for held in self.states
            if abs(held.modelled.usage - held.traced.usage)
            > max(held.traced.usage * WITHIN_PERCENT / 100, least)
        )

    @property
    def verdict(self) -> str:
        """Returns whether to trust the replay, and why, in a sentence."""
        untrue = self.untrue
        trust = "Do not trust this replay" if untrue else "Reliable"
        decided = f"{self.governor} chose the recorded state in {'only ' * bool(untrue)}"
        decided += f"{self._share(self.agreed)} of periods"
        if self.uncalibrated is not None:
            trust = trust if untrue else "Reproduced"
            decided += (
                f" with inferred inputs ({self._share(self.uncalibrated)} without, each period "
                "ended by its timer)"
            )
        if not untrue:
            within = f"the usage of each state is within {WITHIN_PERCENT} % of the recorded one"
            return f"{trust}: {decided}, and {within}."
        words = joined([_off(held) for held in untrue])
        return f"{trust}: {decided}; the usage of {words}."

    def _share(self, agreed: int) -> str:
        return f"{100 * agreed / self.periods:.2f} %" if self.periods else "none"


def _off(held: StateAgreement) -> str:
    name, modelled, traced = held.traced.name, held.modelled.usage, held.traced.usage
    if held.off is None:
        return f"{name} is {modelled} instead of 0"
    return f"{name} is {modelled} instead of {traced} ({100 * held.off:+.0f} %)"


def held(
    traced: Figures, modelled: Figures, counted: Mapping[tuple[int, str], int]
) -> tuple[StateAgreement, ...]:
    """Counters of all CPUs, state by state. counted: (number, name) -> usage between two dumps."""
    traced_by = {(state.index, state.name): state for state in traced.states}
    modelled_by = {(state.index, state.name): state for state in modelled.states}
    return tuple(
        StateAgreement(
            traced_by.get(key, StateFigures(*key)),
            modelled_by.get(key, StateFigures(*key)),
            counted.get(key),
        )
        for key in sorted({*traced_by, *modelled_by})
    )
