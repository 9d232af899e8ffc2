"""Candidate tables: the present one scaled, single residencies changed, and break-evens."""

from collections.abc import Iterable, Sequence
from math import isqrt

from ...base.dataclass import dataclass
from ...base.model.findings import UsageError
from ...tables.linux.intel_idle.boot_time import argument_for
from ...tables.linux.intel_idle.cmdline import TableArgument
from ...tables.linux.intel_idle.platform import X86Platform
from ...tables.linux.releases import Release
from ...tables.power.energy import PowerModel, break_even
from ..replay.machine import CpuTable
from .evaluate import Candidate, candidate_of

HALVINGS = 8
"""A whole table is scaled by 2^-4 to 2^4, in steps of the square root of 2."""
RESIDENCY_MAX_US = 4_294_967
"""The greatest residency that firmware can express: 32 bits of ns."""
_STEPS = 45
"""Steps of the square root of 2 between 1 us and RESIDENCY_MAX_US."""


def scaled(residency_us: int, halves: int) -> int:
    """Returns residency_us * 2^(halves / 2), floored, from 1 to RESIDENCY_MAX_US."""
    square = residency_us * residency_us
    square = square << halves if halves >= 0 else square >> -halves
    return min(max(isqrt(square), 1), RESIDENCY_MAX_US)


def break_evens(table: CpuTable, model: PowerModel) -> Candidate:
    """Returns each state's break-even against the state before it, in us, with every power figure
    in the middle of its bounds. Rounded up, and never below the residency before. A state that
    never pays keeps its residency."""
    middle = model.middles()
    found: list[int] = []
    own = candidate_of(table)
    for number, (before, after) in enumerate(zip(table.names, table.names[1:], strict=False)):
        at = break_even(middle.awake, middle.states[before], middle.states[after])
        least = own[number] if at is None else max(-(-at[0] // 1000), 1)
        found.append(min(max(least, *found[-1:], 1), RESIDENCY_MAX_US))
    return tuple(found)


def _between(own: int, even: int, exit_us: int) -> list[int]:
    """Returns the residencies to try for a state, in us: from 1/16 of the lesser of `own` and
    `even` to 16 times the greater, in steps of the square root of 2 counted from `own`; some 50 at
    most. Values below the exit latency are left out, except `own` and `even`: entering a state for
    less than its exit latency cannot pay."""
    least = max(scaled(min(own, even), -HALVINGS), exit_us)
    greatest = scaled(max(own, even), HALVINGS)
    steps = {scaled(max(own, 1), halves) for halves in range(-_STEPS, _STEPS + 1)}
    return sorted({own, even, least, greatest, *(v for v in steps if least < v < greatest)})


class Grid:
    """The residencies to try for each state, and the candidate tables made of them."""

    def __init__(self, table: CpuTable, model: PowerModel) -> None:
        self.present = candidate_of(table)
        self.even = break_evens(table, model)
        self.exits = tuple(state.exit_ns // 1000 for state in table.states[1:])
        limits = zip(self.present, self.even, self.exits, strict=True)
        self.values = [_between(own, even, exit_us) for own, even, exit_us in limits]

    def first(self) -> list[Candidate]:
        """Returns the present table, the break-evens, and the scaled versions of the former."""
        wholes = (
            tuple(
                max(scaled(own, halves), min(own, exit_us))
                for own, exit_us in zip(self.present, self.exits, strict=True)
            )
            for halves in range(-HALVINGS, HALVINGS + 1)
        )
        return _once((self.present, self.even, *wholes))

    def around(self, base: Candidate) -> list[Candidate]:
        """Returns all tables in which one residency of `base` differs. Residencies that the new one
        passes are moved along with it, so that they stay ascending."""
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
        """Returns the lengths in ns at which a gap histogram must be exact: each residency to try,
        less 1 ns."""
        return [1000 * value - 1 for values in self.values for value in values]


def together(base: Candidate, changes: Sequence[Candidate]) -> Candidate | None:
    """Applies all changes to `base`; None if the residencies would no longer ascend."""
    found = list(base)
    for change in changes:
        for place, value in enumerate(change):
            if value != base[place]:
                found[place] = value
    return tuple(found) if found == sorted(found) else None


def _once(candidates: Iterable[Candidate]) -> list[Candidate]:
    return list(dict.fromkeys(candidates))


@dataclass(frozen=True, slots=True)
class BootTimes:
    """The boot parameter for tables that are tried: its kernel, machine and exit latencies.

    release, platform  the kernel and the machine that take it
    latencies          (name, exit latency in us) of the states after the first
    """

    release: Release
    platform: X86Platform
    latencies: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, table: CpuTable, release: Release, platform: X86Platform) -> "BootTimes":
        """Raises UsageError where the kernel takes no such parameter, or not for this table."""
        pairs = list(zip(table.names, table.states, strict=True))[1:]
        found = cls(release, platform, tuple((name, s.exit_ns // 1000) for name, s in pairs))
        found.argument(tuple(state.residency_ns // 1000 for _, state in pairs))
        return found

    def argument(self, candidate: Candidate) -> TableArgument:
        """The value for residencies in us. Raises UsageError if the driver would refuse it."""
        pairs = zip(self.latencies, candidate, strict=True)
        wanted = {name: (latency, residency) for (name, latency), residency in pairs}
        return argument_for(wanted, self.release, self.platform)

    def accepts(self, candidate: Candidate) -> bool:
        try:
            self.argument(candidate)
        except UsageError:
            return False
        return True
