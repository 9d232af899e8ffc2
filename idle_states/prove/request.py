"""The request that `prove` makes, and its result."""

from collections.abc import Callable

from ..dataclass import dataclass, replace
from ..findings import UsageError
from ..linux.driver_table import DriverTable
from ..linux.governors import Governor, State, names_of
from ..linux.governors.given import GovernorRequest
from ..linux.governors.haltpoll_features import HaltpollFeatures
from ..linux.governors.ladder_features import LadderFeatures
from ..linux.governors.menu_features import MenuFeatures
from ..linux.governors.settling import FAR_NS
from ..linux.governors.teo_features import TeoFeatures
from ..linux.idle_loop import NO_LIMIT_US, features
from ..linux.releases import Release
from ..pipeline import crashes, held_by
from . import of_haltpoll
from .history import Scene
from .of_ladder import LadderProof
from .of_menu import MenuProof
from .of_teo import TeoProof
from .periods import Followed, PeriodTrial, StateKept
from .proof import StateProof, Unreachable
from .smt import Solver
from .witness import Search

__all__ = ["ProveRequest", "Proven", "prove", "proven", "refuting", "scene_of"]


@dataclass(frozen=True, slots=True)
class ProveRequest:
    """A request for what histories a governor selects each state after.

    of        the governor, and the TABLE or states it selects from
    release   the kernel
    limit_us  the latency limit that holds all the time
    wake_ns   how much waking up lengthens what is measured of states that do not poll
    periods   try, too, which equal idle periods keep each state
    check     have z3 check each proof
    Raises UsageError for a limit or a time to wake that cannot be.
    """

    of: GovernorRequest
    release: Release
    limit_us: int = NO_LIMIT_US
    wake_ns: int = 0
    check: bool = False
    periods: bool = False

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
    kept      for each state with a witness, which periods keep it; None: not asked for
    slowest   the change of period that the selection follows last; None: not asked for, or none
    """

    request: ProveRequest
    states: tuple[State, ...]
    disabled: frozenset[int]
    proofs: tuple[StateProof, ...]
    kept: tuple[StateKept, ...] | None = None
    slowest: Followed | None = None

    @property
    def all_selected(self) -> bool:
        """Whether there is a witness for each state that is not switched off."""
        return all(each.witness or each.number in self.disabled for each in self.proofs)


def prove(request: ProveRequest, say: Callable[[str], None] = lambda message: None) -> Proven:
    """Finds a witness for each state, or a proof. say: called with notes for the user.

    Raises UsageError, UnknownGovernor, MissingPackage without the solver that was asked for, and
    what reading a table raises.
    """
    held = held_by(request.release, request.of, say)
    for note in crashes([held]):
        say(note)
    return proven(request, held)


def proven(request: ProveRequest, held: DriverTable | list[State]) -> Proven:
    """Finds a witness for each of the states that a driver registered, or of plain ones, or a
    proof. Raises MissingPackage without the solver that was asked for, UnknownGovernor."""
    of = request.of

    def make() -> Governor:
        return Governor.for_kernel(of.governor, request.release, held, of.hz)

    governor, scene = make(), scene_of(request, held)
    names = names_of(held, governor.states)
    search = Search(make, scene)
    refutes = refuting(governor, scene, names)
    found, proofs = search.quickly(), []
    solver = Solver(governor, scene) if request.check else None
    for number, name in enumerate(names):
        unreachable = None if number in found else refutes(number)
        if unreachable is None and (number in found or search.thoroughly(number)):
            proofs.append(StateProof(number, name, search.witness(number)))
            continue
        if unreachable is not None and solver is not None:
            unreachable = _checked(solver, number, unreachable)
        proofs.append(StateProof(number, name, None, unreachable))
    result = Proven(request, governor.states, scene.disabled, tuple(proofs))
    if not request.periods:
        return result
    periods = PeriodTrial(search)
    kept = tuple(periods.kept(each.number, each.witness) for each in proofs if each.witness)
    return replace(result, kept=kept, slowest=periods.slowest())


def _checked(solver: Solver, number: int, unreachable: Unreachable) -> Unreachable | None:
    """The proof as the solver confirms it; None, and the state is undecided, where it objects."""
    selects = solver.selects(number)
    if selects is None:
        return unreachable
    return None if selects else replace(unreachable, checked=solver.name)


def scene_of(request: ProveRequest, held: DriverTable | list[State]) -> Scene:
    """What is the same in all steps, by the request and the states that are held."""
    off = frozenset[int]()
    if isinstance(held, DriverTable):
        off, snoozes = held.off, held.states[0].enter == "snooze"
    else:
        snoozes = not held[0].polling
    loop = features(request.release)
    return Scene(loop, snoozes, request.limit_us, off, request.wake_ns)


def refuting(
    governor: Governor,
    scene: Scene,
    names: tuple[str, ...],
    features: object | None = None,
    ticking: bool = False,
) -> Callable[[int], Unreachable | None]:
    """What proves of a state that the governor never selects it. features: in place of its own;
    ticking: that menu or teo does not while the tick runs."""
    match features or governor.features:
        case MenuFeatures() as menu:
            return MenuProof(governor, menu, scene, names, ticking).unreachable
        case LadderFeatures() as ladder:
            return LadderProof(governor, ladder, scene, names).unreachable
        case HaltpollFeatures():
            return lambda state: of_haltpoll.unreachable(state, names[state], scene.limit_us)
        case TeoFeatures() as teo:
            return TeoProof(governor, teo, scene, names, ticking).unreachable
        case _:
            return lambda state: None
