"""The states that a latency limit leaves, and the values that leave the same.

A governor compares a state's exit latency with the limit: a state is allowed if its latency is not
greater. Up to 5.4 kernels compare whole microseconds, from 5.5 on nanoseconds, which are the same
for what drivers register, in whole microseconds.
"""

from collections.abc import Collection, Iterable, Sequence

from ...base.dataclass import dataclass
from ..linux.governors.interface import State
from ..linux.qos import NO_LIMIT_US

_US = 1000


@dataclass(frozen=True, slots=True)
class StateUnderLimit:
    """A registered state under a limit.

    needs_us  the least limit that allows it: its exit latency
    within    whether the limit allows it
    off       it is registered switched off: nothing selects it, whatever the limit
    """

    number: int
    name: str
    needs_us: int
    residency_us: int
    polling: bool
    within: bool
    off: bool = False


def needs_us(state: State, *, nanoseconds: bool) -> int:
    """The least limit, in us, that allows a state. nanoseconds: whether the kernel compares ns, so
    that a latency with a fraction of a us needs the next whole one."""
    return -(-state.exit_ns // _US) if nanoseconds else state.exit_ns // _US


def under_limit(
    names: Sequence[str],
    states: Sequence[State],
    needs: Sequence[int],
    limit_us: int,
    off: Collection[int] = (),
) -> tuple[StateUnderLimit, ...]:
    """The states of a table under a limit. needs: see needs_us(); off: numbers of states that are
    registered switched off."""
    rows = enumerate(zip(names, states, needs, strict=True))
    return tuple(
        StateUnderLimit(
            number,
            name,
            need,
            state.residency_ns // _US,
            state.polling,
            need <= limit_us,
            number in off,
        )
        for number, (name, state, need) in rows
    )


def same_values(needs: Iterable[int], limit_us: int) -> tuple[int, int | None]:
    """The first and the last limit that allow the same states as this one; None: no limit at all
    does so, too."""
    found = list(needs)
    above = [need for need in found if need > limit_us]
    first = max((need for need in found if need <= limit_us), default=0)
    return first, min(above) - 1 if above and min(above) <= NO_LIMIT_US else None


def deepest(states: Sequence[StateUnderLimit]) -> StateUnderLimit | None:
    """The deepest state within the limit that is not off; None if there is none."""
    return next((state for state in reversed(states) if state.within and not state.off), None)


def following(states: Sequence[StateUnderLimit]) -> StateUnderLimit | None:
    """The state that a greater limit would allow first; None if all are."""
    excluded = (state for state in states if not state.within and not state.off)
    return min(excluded, key=_needs, default=None)


def _needs(state: StateUnderLimit) -> tuple[int, int]:
    return state.needs_us, state.number


def unexpected(
    states: Sequence[StateUnderLimit], kept: Sequence[int]
) -> tuple[StateUnderLimit, ...]:
    """States that a limit of the exit latency of state `kept[0]` does not treat as their depth
    says: deeper ones that it allows as well, but for the others to be kept, and shallower ones that
    it excludes. Without states to be kept there are none."""
    if not kept:
        return ()
    need = states[kept[0]].needs_us
    return tuple(
        state
        for state in states
        if (state.number > kept[0] and state.needs_us <= need and state.number not in kept)
        or (state.number < kept[0] and state.needs_us > need)
    )
