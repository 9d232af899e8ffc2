"""A batch's events as tests write them down."""

from idle_states.lab.traces.text import Batch

Event = tuple[tuple[int, int], int]
"""((CPU, what), time in ns)."""


def events_of(batch: Batch) -> list[Event]:
    return [((cpu, what), ns) for cpu, what, ns, _ in batch.events()]


def lines_of(batch: Batch) -> list[int]:
    return [line for *_, line in batch.events()]
