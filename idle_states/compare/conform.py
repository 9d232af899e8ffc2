"""conform: recorded decisions of a real governor against the model's, decision by decision."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from ..linux.governors import Decision, Governor
from ..workload.recording import Row


@dataclass(frozen=True, slots=True)
class Disagreement:
    """number counts from 1. row: what was recorded; decision: the model's, with intermediates."""

    number: int
    row: Row
    decision: Decision


@dataclass(frozen=True, slots=True)
class Conformity:
    """How many decisions there were, how many the model made too, and the first it did not."""

    decisions: int
    agree: int
    first: Disagreement | None


def conform(
    rows: Iterable[Row], make: Callable[[], Governor], disabled: frozenset[int]
) -> Conformity:
    """Feeds recorded inputs and outcomes to one model per CPU.

    disabled  states switched off for the whole recording
    """
    governors: dict[int, Governor] = {}
    decisions = agree = 0
    first = None
    for row in rows:
        decisions += 1
        if row.cpu not in governors:
            governors[row.cpu] = make()
        governor = governors[row.cpu]
        decision = governor.select(replace(row.situation, disabled=disabled))
        governor.reflect(row.outcome)
        if (decision.state, decision.stop_tick) == (row.state, row.stop_tick):
            agree += 1
        elif first is None:
            first = Disagreement(decisions, row, decision)
    return Conformity(decisions, agree, first)
