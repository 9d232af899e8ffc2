"""What `prove` finds of a state: a witness, a proof that there is none, or neither."""

from ...base.dataclass import dataclass
from .history import Played


@dataclass(frozen=True, slots=True)
class Bound:
    """Something that holds of the governor's memory or of its inputs, whatever the history.

    name    by which a proof refers to it
    holds   the inequality
    because the kernel's code that makes it so
    """

    name: str
    holds: str
    because: str


@dataclass(frozen=True, slots=True)
class Way:
    """One way by which the governor might select a state, and why it cannot.

    text           the place in the kernel's code
    contradiction  inequalities that this way needs and that cannot hold together
    """

    text: str
    contradiction: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unreachable:
    """A proof that no history selects a state.

    because  in one sentence
    ways     every way there is to select a state, refuted
    bounds   what the refutations rest on
    """

    because: str
    ways: tuple[Way, ...] = ()
    bounds: tuple[Bound, ...] = ()


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
