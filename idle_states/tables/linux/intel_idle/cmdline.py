"""intel_idle.table= written: from the times that states are to have, checked by the driver's own
rules before it is handed out."""

import itertools
from collections.abc import Mapping, Sequence

from ....base.dataclass import dataclass, replace
from ....base.model.findings import UsageError
from ....base.wording import joined, suggestion
from .table_parameter import (
    MOST_BYTES,
    MOST_LATENCY_US,
    MOST_RESIDENCY_US,
    Adjustable,
    adjusted,
    faults,
    unfit,
)

Times = tuple[int, int]
"""Exit latency and target residency in us."""


@dataclass(frozen=True, slots=True)
class TableArgument:
    """A value of intel_idle.table= that the driver accepts.

    value     NAME:LATENCY:RESIDENCY,...; "" where nothing is to change
    states    as the kernel then has them, POLL first
    repaired  sentences: states that are changed only because the driver refuses every value that
              leaves them as they are
    """

    value: str
    states: tuple[Adjustable, ...]
    repaired: tuple[str, ...] = ()

    @property
    def argument(self) -> str:
        """The argument as a boot loader passes it."""
        return f"intel_idle.table={self.value}"


def table_argument(stock: Sequence[Adjustable], wanted: Mapping[str, Times]) -> TableArgument:
    """Returns the value that gives states their wanted times. Only what differs is named.

    stock   what the driver registers without the parameter, POLL first
    wanted  state's name -> its times in us; states that are not named stay
    Raises UsageError, in the words of the driver's rules, if it would refuse the value.
    """
    known = [state.name for state in stock[1:]]
    for name in wanted:
        if name not in known:
            raise UsageError(
                f"expected a state that Linux registers ({', '.join(known)}), found {name!r}"
                f"{suggestion(name, known)}: intel_idle.table= adds no states"
            )
    target = [
        replace(
            state, exit_latency_us=wanted[state.name][0], target_residency_us=wanted[state.name][1]
        )
        if at and state.name in wanted
        else state
        for at, state in enumerate(stock)
    ]
    if target == list(stock):
        return TableArgument("", tuple(stock))
    repaired = _repair(target, stock)
    value = ",".join(_entry(old, new) for old, new in zip(stock, target, strict=True) if old != new)
    result = adjusted(stock, value)
    if result.verdict == "too long":
        raise UsageError(
            f"expected at most {MOST_BYTES} bytes of intel_idle.table=, found {len(value)}"
        )
    if result.verdict != "accepted" or result.states != tuple(target):
        raise UsageError(_refusal(target))
    return TableArgument(value, result.states, tuple(repaired))


def _entry(old: Adjustable, new: Adjustable) -> str:
    """Empty fields keep what the state has."""
    pairs = (
        (old.exit_latency_us, new.exit_latency_us),
        (old.target_residency_us, new.target_residency_us),
    )
    return ":".join((new.name, *("" if before == after else str(after) for before, after in pairs)))


def _repair(target: list[Adjustable], stock: Sequence[Adjustable]) -> list[str]:
    """Changes in place, as little as possible, states that were unfit from the start and are not
    to have other times. Returns what it did, in words."""
    messages = []
    spoilt = set(unfit(stock))
    for at in range(1, len(target)):
        state, before = target[at], target[at - 1]
        if state != stock[at] or state.name not in spoilt or state.name not in unfit(target):
            continue
        latency = max(min(state.exit_latency_us, MOST_LATENCY_US), before.exit_latency_us + 1)
        residency = max(
            min(state.target_residency_us, MOST_RESIDENCY_US),
            before.target_residency_us + 1,
            latency,
        )
        target[at] = replace(state, exit_latency_us=latency, target_residency_us=residency)
        messages.append(
            f"{state.name} becomes {latency}/{residency} us from {state.exit_latency_us}/"
            f"{state.target_residency_us}: the driver refuses every table= that leaves it as it is"
        )
    return messages


def _refusal(target: Sequence[Adjustable]) -> str:
    """Says which states the driver refuses, and why."""
    refused = [
        f"{state.name}: {joined(why)}"
        for before, state in itertools.pairwise(target)
        if (why := [words for _, words in faults(before, state)])
    ]
    return f"intel_idle refuses such a table=: {'; '.join(refused)}"
