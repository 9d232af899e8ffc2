"""The proof that haltpoll never selects a state: it knows two."""

from .proof import Bound, Unreachable, Way

_TWO = Bound("two", "state selected <= 1", "haltpoll_select() returns 0 or 1, and nothing else")


def unreachable(state: int, name: str, limit_us: int) -> Unreachable | None:
    """The proof for a state behind the first two, or behind the first with a latency limit of 0;
    None for these."""
    if state and not limit_us:
        needs = ("latency limit > 0", "latency limit = 0")
        because = "The latency limit leaves the first state alone."
        return Unreachable(
            because, (Way("haltpoll_select() looks at the last idle period", needs),)
        )
    if state < 2:
        return None
    way = Way("haltpoll_select() returns its number", (f"{state} <= 1",))
    because = f"haltpoll selects the first two states only; {name} comes later."
    return Unreachable(because, (way,), (_TWO,))
