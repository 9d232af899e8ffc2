"""The result of `prove` for a state: a witness, a proof that there is none, or neither."""

from typing import Annotated

from ...base.dataclass import dataclass
from .history import Played


@dataclass(frozen=True, slots=True)
class Bound:
    """Something that holds of the governor's memory or of its inputs, whatever the history."""

    name: Annotated[str, "How proofs refer to it."]
    holds: Annotated[str, "The inequality."]
    because: Annotated[str, "The kernel's code that makes it so."]


@dataclass(frozen=True, slots=True)
class Way:
    """One way by which the governor might select a state, and why it cannot."""

    text: Annotated[str, "The way, by its place in the kernel's code."]
    contradiction: Annotated[
        tuple[str, ...], "Inequalities that it needs, and that exclude each other."
    ]


@dataclass(frozen=True, slots=True)
class Unreachable:
    """A proof that no history selects a state."""

    because: Annotated[str, "Why, in a sentence."]
    ways: Annotated[tuple[Way, ...], "All ways to select the state."] = ()
    bounds: Annotated[tuple[Bound, ...], "Bounds that the refutations assume."] = ()


@dataclass(frozen=True, slots=True)
class StateProof:
    """A state, and whether it can be selected: `witness` or `unreachable`, or neither where it is
    undecided.

    witness  the idle periods from boot on, the last of which the governor spends in the state
    """

    number: int
    name: str
    witness: tuple[Played, ...] | None = None
    unreachable: Unreachable | None = None

    @property
    def undecided(self) -> bool:
        return self.witness is None and self.unreachable is None
