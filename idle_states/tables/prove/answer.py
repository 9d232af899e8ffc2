"""The answer to `prove`."""

from collections.abc import Callable

from ...base.dataclass import dataclass, replace
from ..linux.driver_table import DriverTable
from ..linux.governors import Governor, State, names_of
from ..linux.governors.haltpoll_features import HaltpollFeatures
from ..linux.governors.ladder_features import LadderFeatures
from ..linux.governors.menu_features import MenuFeatures
from ..linux.governors.teo_features import TeoFeatures
from ..linux.idle_loop import features
from ..pipeline import crashes, held_by
from . import of_haltpoll
from .history import Scene
from .of_ladder import LadderProof
from .of_menu import MenuProof
from .of_teo import TeoProof
from .periods import Followed, PeriodTrial, StateKept
from .proof import StateProof, Unreachable
from .request import ProveRequest
from .witness import Search

__all__ = ["Proven", "prove", "proven", "refuting", "scene_of"]


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
        """Tells whether there is a witness for each state that is not switched off."""
        return all(each.witness or each.number in self.disabled for each in self.proofs)


def prove(request: ProveRequest, say: Callable[[str], None] = lambda message: None) -> Proven:
    """Finds a witness for each state, or a proof. say: called with notes for the user. Raises
    UsageError, UnknownGovernor, and what reading a table raises."""
    held = held_by(request.release, request.of)
    for note in crashes([held]):
        say(note)
    return proven(request, held)


def proven(request: ProveRequest, held: DriverTable | list[State]) -> Proven:
    """Finds a witness for each of the states that a driver registered, or of plain ones, or a
    proof. Raises UnknownGovernor."""
    of = request.of

    def make() -> Governor:
        return Governor.for_kernel(of.governor, request.release, held, of.hz)

    governor, scene = make(), scene_of(request, held)
    names = names_of(held, governor.states)
    search = Search(make, scene)
    refutes = refuting(governor, scene, names)
    found = search.quickly()
    refuted = {number: refutes(number) for number in range(len(names)) if number not in found}
    undecided = [number for number, unreachable in refuted.items() if unreachable is None]
    if left := [number for number in undecided if not search.thoroughly(number)]:
        search.at_random(left)
    proofs = [
        StateProof(number, name, search.witness(number) if number in search.found else None,
                   refuted.get(number))
        for number, name in enumerate(names)
    ]  # fmt: skip
    result = Proven(request, governor.states, scene.disabled, tuple(proofs))
    if not request.periods:
        return result
    periods = PeriodTrial(search)
    kept = tuple(periods.kept(each.number, each.witness) for each in proofs if each.witness)
    return replace(result, kept=kept, slowest=periods.slowest())


def scene_of(request: ProveRequest, held: DriverTable | list[State]) -> Scene:
    """The part that is the same in all steps, by the request and the states that are held."""
    off, limit_us = frozenset[int](), request.limit_us
    if isinstance(held, DriverTable):
        limit_us = min(limit_us, held.limit_us)
        off, snoozes = held.off, held.states[0].enter == "snooze"
    else:
        snoozes = not held[0].polling
    loop = features(request.release)
    return Scene(loop, snoozes, limit_us, off, request.wake_ns)


def refuting(
    governor: Governor,
    scene: Scene,
    names: tuple[str, ...],
    features: object | None = None,
    ticking: bool = False,
) -> Callable[[int], Unreachable | None]:
    """Returns a function that proves of a state that the governor never selects it. features: in
    place of its own; ticking: that menu or teo does not while the tick runs."""
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
