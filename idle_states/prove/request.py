"""The request that `prove` makes, and its result."""

from collections.abc import Callable
from dataclasses import dataclass

from ..findings import UsageError
from ..linux.driver_table import DriverTable
from ..linux.governors import Governor, State, names_of
from ..linux.governors.given import GovernorRequest
from ..linux.governors.settling import FAR_NS
from ..linux.idle_loop import NO_LIMIT_US, features
from ..linux.releases import Release
from ..pipeline import crashes, held_by
from .history import Scene
from .proof import StateProof
from .witness import Search

__all__ = ["ProveRequest", "Proven", "prove", "proven"]


@dataclass(frozen=True, slots=True)
class ProveRequest:
    """A request for what histories a governor selects each state after.

    of        the governor, and the TABLE or states it selects from
    release   the kernel
    limit_us  the latency limit that holds all the time
    wake_ns   how much waking up lengthens what is measured of states that do not poll
    Raises UsageError for a limit or a time to wake that cannot be.
    """

    of: GovernorRequest
    release: Release
    limit_us: int = NO_LIMIT_US
    wake_ns: int = 0

    def __post_init__(self) -> None:
        for option, value, most in (
            ("--latency-limit", self.limit_us, NO_LIMIT_US),
            ("--wake", self.wake_ns, FAR_NS),
        ):
            if not 0 <= value <= most:
                raise UsageError(f"expected {option} from 0 to {most}, found {value}")


@dataclass(frozen=True, slots=True)
class Proven:
    """A result of a request.

    states    what the governor selects from
    disabled  numbers of the states that the driver registers switched off
    proofs    one for each state
    """

    request: ProveRequest
    states: tuple[State, ...]
    disabled: frozenset[int]
    proofs: tuple[StateProof, ...]

    @property
    def all_selected(self) -> bool:
        """Whether there is a witness for each state that is not switched off."""
        return all(each.witness or each.number in self.disabled for each in self.proofs)


def prove(request: ProveRequest, say: Callable[[str], None] = lambda message: None) -> Proven:
    """Finds a witness for each state, or a proof. say: called with notes for the user.

    Raises UsageError, UnknownGovernor and what reading a table raises.
    """
    held = held_by(request.release, request.of, say)
    for note in crashes([held]):
        say(note)
    return proven(request, held)


def proven(request: ProveRequest, held: DriverTable | list[State]) -> Proven:
    """As prove(), for the states that a driver registered or for plain ones."""
    of, release = request.of, request.release

    def make() -> Governor:
        return Governor.for_kernel(of.governor, release, held, of.hz)

    states = make().states
    off = held.off if isinstance(held, DriverTable) else frozenset()
    snoozes = isinstance(held, DriverTable) and held.states[0].enter == "snooze"
    scene = Scene(features(release), snoozes, request.limit_us, off, request.wake_ns)
    search = Search(make, scene)
    witnesses = search.witnesses()
    proofs = tuple(
        StateProof(number, name, witnesses.get(number))
        for number, name in enumerate(names_of(held, states))
    )
    return Proven(request, states, off, proofs)
