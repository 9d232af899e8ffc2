"""Two boots of a powernv machine: of a tree as it is, and with patches."""

from pathlib import Path

from ....base.dataclass import dataclass
from ...patches.tree import PatchedTree
from ..request import BootRequest
from ..run import Surroundings, fetched, run_prepared
from . import image as boot_image
from .boot import PowernvBoot, PowernvResult
from .change import UNCHANGED, change_of


@dataclass(frozen=True, slots=True)
class BootPair:
    """Two boots: of a tree as it is, and with patches.

    subjects   of the patches that make a difference to the tree
    remarks    on how they were read, and which of them were left out
    directory  directory of the logs, with a directory for each boot
    """

    subjects: tuple[str, ...]
    remarks: tuple[str, ...]
    before: PowernvResult
    after: PowernvResult
    directory: Path

    @property
    def agree(self) -> bool:
        """Tells whether both boots came out as predicted."""
        return self.before.agree and self.after.agree

    @property
    def changes_table(self) -> bool:
        """Tells whether the patches change the table that this machine uses."""
        rows = [
            [state.values() for state in each.predicted.table.states]
            for each in (self.before, self.after)
        ]
        return rows[0] != rows[1]

    @property
    def inputs(self) -> tuple[tuple[str, str], ...]:
        return tuple(dict.fromkeys((*self.before.inputs, *self.after.inputs)))


def run_before_and_after(request: BootRequest, around: Surroundings = Surroundings()) -> BootPair:
    """Builds the tree as it is and with the patches, and boots both. Everything is built before the
    first boot. Raises what `run` and `change_of` raise."""
    assert request.tree is not None
    assert request.patch is not None
    tree = PatchedTree(request.tree)
    change = change_of(tree, request.patch)
    with around.directory(request.machine) as directory:
        parts = fetched(request, around)
        cache = around.cache_directory / "skiboot"
        firmware = [
            boot_image.from_tree(tree, request.machine, None, cache, around.say, each)
            for each in (UNCHANGED, change)
        ]
        prepared = {
            name: PowernvBoot.of(request, parts, each, directory / name)
            for name, each in zip(("before", "after"), firmware, strict=True)
        }
    before, after = (_ran(name, each, around) for name, each in prepared.items())
    return BootPair(change.subjects, change.remarks, before, after, directory)


def _ran(name: str, prepared: PowernvBoot, around: Surroundings) -> PowernvResult:
    result = run_prepared(
        prepared, lambda stage, elapsed_s: around.progress(f"{name}: {stage}", elapsed_s)
    )
    assert isinstance(result, PowernvResult)
    return result
