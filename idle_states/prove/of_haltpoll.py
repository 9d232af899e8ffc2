"""Why haltpoll never selects a state: it knows two."""

from .proof import Bound, Unreachable, Way

_TWO = Bound("two", "state selected <= 1", "haltpoll_select() returns 0 or 1, and nothing else")


def unreachable(state: int, name: str) -> Unreachable | None:
    """The proof for a state behind the first two; None for these."""
    if state < 2:
        return None
    way = Way("haltpoll_select() returns its number", (f"{state} <= 1",))
    because = f"haltpoll selects the first two states only; {name} is behind."
    return Unreachable(because, (way,), (_TWO,))
