"""Tables to try: the present one scaled, its states' residencies one at a time, break-evens."""

from collections.abc import Iterable, Sequence
from math import isqrt

from ..replay.energy import PowerModel, break_even
from ..replay.machine import CpuTable
from .evaluate import Candidate, candidate_of

HALVINGS = 8
"""A table is scaled as a whole by 2^-4 to 2^4, in steps of the square root of 2."""
RESIDENCY_MAX_US = 4_294_967
"""What firmware can say in ns, 32 bits wide."""
_STEPS = 45
"""From 1 us to the greatest, or back."""


def scaled(residency_us: int, halves: int) -> int:
    """2^(halves / 2) of it, in whole us from 1 on."""
    square = residency_us * residency_us
    square = square << halves if halves >= 0 else square >> -halves
    return min(max(isqrt(square), 1), RESIDENCY_MAX_US)


def break_evens(table: CpuTable, model: PowerModel) -> Candidate:
    """Of each state against the one before, with figures in the middle of their bounds; rounded up
    to whole us, and not below the one before. A state that never pays keeps its residency."""
    middle = model.middles()
    found: list[int] = []
    own = candidate_of(table)
    for number, (before, after) in enumerate(zip(table.names, table.names[1:], strict=False)):
        at = break_even(middle.awake, middle.states[before], middle.states[after])
        least = own[number] if at is None else max(-(-at[0] // 1000), 1)
        found.append(min(max(least, *found[-1:], 1), RESIDENCY_MAX_US))
    return tuple(found)


def _between(own: int, even: int, exit_us: int) -> list[int]:
    """From a 16th of the lesser one to 16 times the greater one, in steps of the square root of 2
    from its own on: some 50 at most. None below the exit latency but its own and the break-even: a
    state is not entered for less than it takes to leave."""
    least = max(scaled(min(own, even), -HALVINGS), exit_us)
    greatest = scaled(max(own, even), HALVINGS)
    steps = {scaled(max(own, 1), halves) for halves in range(-_STEPS, _STEPS + 1)}
    return sorted({own, even, least, greatest, *(v for v in steps if least < v < greatest)})


class Grid:
    """Residencies to try, by state, and the candidates made of them."""

    def __init__(self, table: CpuTable, model: PowerModel) -> None:
        self.present = candidate_of(table)
        self.even = break_evens(table, model)
        self.exits = tuple(state.exit_ns // 1000 for state in table.states[1:])
        limits = zip(self.present, self.even, self.exits, strict=True)
        self.values = [_between(own, even, exit_us) for own, even, exit_us in limits]

    def first(self) -> list[Candidate]:
        """The present table, break-evens, and the present one scaled as a whole."""
        wholes = (
            tuple(
                max(scaled(own, halves), min(own, exit_us))
                for own, exit_us in zip(self.present, self.exits, strict=True)
            )
            for halves in range(-HALVINGS, HALVINGS + 1)
        )
        return _once((self.present, self.even, *wholes))

    def around(self, base: Candidate) -> list[Candidate]:
        """One residency changed, and with it those that it passes: states stay in order."""
        return _once(
            (
                *(min(own, value) for own in base[:place]),
                value,
                *(max(own, value) for own in base[place + 1 :]),
            )
            for place, values in enumerate(self.values)
            for value in values
        )

    def cuts(self) -> list[int]:
        """Lengths in ns at which a histogram is to be exact: all gaps below a residency."""
        return [1000 * value - 1 for values in self.values for value in values]


def together(base: Candidate, changes: Sequence[Candidate]) -> Candidate | None:
    """All changes at once; None if residencies would not ascend."""
    found = list(base)
    for change in changes:
        for place, value in enumerate(change):
            if value != base[place]:
                found[place] = value
    return tuple(found) if found == sorted(found) else None


def _once(candidates: Iterable[Candidate]) -> list[Candidate]:
    return list(dict.fromkeys(candidates))
