"""While what a governor selects a state: what rules ask of states that tie."""

from collections.abc import Iterator

from ...base.dataclass import dataclass, replace
from ..linux.driver_table import DriverTable
from ..linux.governors import Governor
from ..linux.governors.menu_features import MenuFeatures
from ..linux.governors.teo_features import TeoFeatures
from ..linux.releases import Release
from ..linux.request_parts import GovernorRequest
from .answer import refuting, scene_of
from .request import ProveRequest
from .witness import Search

_HZ = 250
_STOPPED = "the tick is stopped"


@dataclass(frozen=True, slots=True)
class Selectable:
    """The conditions under which a governor selects a state, without a latency limit.

    never  it is proven that no history selects it
    only   what must be so while it does, one of these, which is proven; empty: nothing is known
    found  there is a witness
    """

    never: bool = False
    only: tuple[str, ...] = ()
    found: bool = False


class Conditions:
    """Answers for one governor and many kernels; equal questions are worked out once."""

    def __init__(self, governor: str) -> None:
        self.governor = governor
        self._known: dict[object, Selectable] = {}

    def of(self, release: Release, held: DriverTable, state: int) -> Selectable:
        """Returns the conditions for the kernel's governor to select a state that its driver
        registered. Raises UnknownGovernor for a kernel that does not have it."""

        def make() -> Governor:
            return Governor.for_kernel(self.governor, release, held, _HZ)

        request = ProveRequest(GovernorRequest(self.governor, _HZ, held.kernel), release)
        governor, scene = make(), scene_of(request, held)
        key = governor.features, governor.states, scene, state
        if key in self._known:
            return self._known[key]
        names = tuple(each.name for each in held.states)

        def refuted(features: object, ticking: bool) -> bool:
            return refuting(governor, scene, names, features, ticking)(state) is not None

        if refuted(governor.features, False):
            return self._known.setdefault(key, Selectable(never=True))
        only = next(
            (circumstances for features, ticking, circumstances in _less(governor.features)
             if refuted(features, ticking)),
            (),
        )  # fmt: skip
        found = Search(make, scene).anyhow(state)
        return self._known.setdefault(key, Selectable(only=only, found=found))


def _less(features: object) -> Iterator[tuple[object, bool, tuple[str, ...]]]:
    """Ways to leave something out of what happens, the least first: features that do not ask for
    it, whether the tick is taken to run, and what is left out."""
    calm, circumstance = features, ""
    match features:
        case MenuFeatures() if features.heeds_waiters or features.load:
            calm = replace(features, iowait=False, load=False, io_waiters="")
            circumstance = f"tasks wait for I/O{' or load the CPU' if features.load else ''}"
        case TeoFeatures() if features.utilisation:
            calm, circumstance = replace(features, utilisation=""), "the CPU is utilised"
    if circumstance:
        yield calm, False, (circumstance,)
    yield features, True, (_STOPPED,)
    if circumstance:
        yield calm, True, (circumstance, _STOPPED)
