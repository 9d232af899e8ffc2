"""The packaged figures that stand for a release: those of the last tree of its series that was read
up to it, or of the series before."""

from collections.abc import Iterator
from functools import cache

from ....base.dataclass import dataclass
from ....base.model.beyond_opal import MatchedCpu
from ....base.model.history import History, Since, rows_of
from ..grounds import INTEL_TABLES, ground
from ..releases import Release, folded, version_key, version_name
from . import tables
from .known import BUILDS, NUMBERED, driver_data
from .states import IntelIdleData, StartedState


@dataclass(frozen=True, slots=True)
class IntelTables:
    """The origin of a release's figures.

    tree  the release whose source a release's tables are taken from
    """

    tree: str = "4.4"


since = rows_of(IntelTables)


def _rows() -> Iterator[Since]:
    """Yields since when each tree's figures stand: the first of a series for the whole of it, and
    for the series up to the next that was read; the others from themselves on."""
    begun: set[str] = set()
    for name in tables.TREES.split():
        if name in BUILDS:
            yield since(name, "", tree=name)
            continue
        series = version_name(version_key(name)[:2])
        yield since(name if series in begun else series, "", tree=name)
        begun.add(series)


CHANGES = tuple(_rows())
HISTORY = History(IntelTables(), CHANGES)


def tree_of(release: Release) -> str:
    """Returns the tree, one of `tables.TREES`, whose figures are taken for a release."""
    return folded(HISTORY, release).tree


def data_of(release: Release) -> IntelIdleData:
    """Returns the driver's data of a release. Raises Unreadable where a source tree's cannot be
    told."""
    if release.source is not None:
        from .in_source import data_in

        if (found := data_in(release.source.tree)) is not None:
            return found
    return driver_data(tree_of(release))


@cache
def basis(release: Release, model: int) -> str:
    """Says in words how well the figures for a processor are known in a release; "" where the
    release itself was read. model: of family 6."""
    if ground(release, INTEL_TABLES).kind in ("compiled", "read"):
        return ""
    tree = tree_of(release)
    if tree in BUILDS:
        return f"figures in Linux {release.name} as in {tree}"
    trees = NUMBERED
    key, own = ((*each, 0)[:3] for each in (version_key(tree), release.version))
    at = trees.index(tree)
    beside = trees[at - 1 : at] if key > own else trees[at + 1 : at + 2]
    for other in beside:
        pair = " and ".join(sorted((tree, other), key=version_key))
        if listed_in(tree, model) == listed_in(other, model):
            return f"figures of Linux {release.name} not checked themselves; {pair} have the same"
        return f"figures in Linux {release.name} as in {tree}; {other} has others"
    return f"figures in Linux {release.name} as in {tree}"


@cache
def listed_in(tree: str, model: int) -> tuple[MatchedCpu, tuple[StartedState, ...]] | None:
    """A processor of family 6 in a tree's list, and its rows; None if it is not listed."""
    data = driver_data(tree)
    found = next((cpu for cpu in data.cpus if (cpu.family, cpu.model) == (6, model)), None)
    return None if found is None else (found, data.arrays.get(found.table, ()))


def untold(release: Release) -> str:
    """Says that a distribution's kernel may have processors that the tree lacks whose figures are
    taken for it; "" where its own were read, or a release has no others."""
    line, _ = release.way[-1]
    if "-" not in line or ground(release, INTEL_TABLES).kind != "taken":
        return ""
    return f"{release.name} itself was not read, and may have it"
