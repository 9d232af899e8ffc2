"""Which of the packaged figures stand for a release: those of the tree of its series that was read,
or of the series before."""

from functools import cache

from ....base.dataclass import dataclass
from ....base.model.beyond_opal import MatchedCpu
from ....base.model.history import History, rows_of
from ..releases import Release, folded, version_key, version_name
from . import tables
from .known import driver_data
from .states import IntelIdleData, StartedState


@dataclass(frozen=True, slots=True)
class IntelTables:
    """Where the figures of a release are from.

    tree  the release whose source a release's tables are taken from
    """

    tree: str = "5.2.1"


since = rows_of(IntelTables)
CHANGES = tuple(
    since(version_name(version_key(name)[:2]), "", tree=name) for name in tables.TREES.split()
)
"""A tree stands for its whole series, and for those up to the next one that was read."""
HISTORY = History(IntelTables(), CHANGES)


def tree_of(release: Release) -> str:
    """Returns the tree, one of `tables.TREES`, whose figures are taken for a release."""
    return folded(HISTORY, release).tree


def data_of(release: Release) -> IntelIdleData:
    """What the driver of a release has."""
    return driver_data(tree_of(release))


@cache
def basis(release: Release, model: int) -> str:
    """Says in words how well the figures for a processor are known in a release; "" where the
    release itself was read. model: of family 6."""
    trees = tables.TREES.split()
    tree = tree_of(release)
    key, own = ((*each, 0)[:3] for each in (version_key(tree), release.version))
    if key == own:
        return ""
    at = trees.index(tree)
    beside = trees[at - 1 : at] if key > own else trees[at + 1 : at + 2]
    for other in beside:
        pair = " and ".join(sorted((tree, other), key=version_key))
        if listed_in(tree, model) == listed_in(other, model):
            return f"figures in Linux {release.name} as in {pair}, which agree"
        return f"figures in Linux {release.name} as in {tree}; {other} has others"
    return f"figures in Linux {release.name} as in {tree}"


@cache
def listed_in(tree: str, model: int) -> tuple[MatchedCpu, tuple[StartedState, ...]] | None:
    """A processor of family 6 in a tree's list, and its rows; None if it is not listed."""
    data = driver_data(tree)
    found = next((cpu for cpu in data.cpus if (cpu.family, cpu.model) == (6, model)), None)
    return None if found is None else (found, data.arrays.get(found.table, ()))
