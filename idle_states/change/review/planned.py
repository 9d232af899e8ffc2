"""Reviews patches that are about to be written, on the tree they are made for."""

from ...base.model.findings import Finding, Severity
from ...base.reading.git import Commit, HeldCommits
from ...tables.check.config import FILES
from ...tables.check.criteria import Criteria
from ...tables.devicetree.idle_nodes import lists_of
from ...tables.linux.releases import DEFAULT, release
from ...tables.rules.selection import RuleSelection
from ...tables.skiboot.layout import HEADERS
from ...tables.skiboot.platform import ALL_LEVELS
from ...tables.sources import Source
from ...tables.sources.source import together
from ..patches.plan import Plan
from ..patches.source_tree import SourcesTree
from ..patches.work_tree import WorkTree, as_bytes
from .boards import parted, sources_on
from .result import Review
from .review import Yardstick, review
from .tree import End, TreeReader


def review_of(made: Plan) -> Review:
    """The review of all patches of a plan together, without workloads; nothing is written.

    As `review` of these patches on that tree: its headers and the suppressions of its setup.cfg
    count. Raises Unreadable (IS930) where one of these leads out of the tree.
    """
    by = Criteria(tuple(map(release, DEFAULT)), ALL_LEVELS, RuleSelection())
    held, base, head = as_commits(made)
    tree = PlannedBoards(held, made, base) if isinstance(made.tree, SourcesTree) else None
    return review(held, base, head, Yardstick(by), tree=tree)


class PlannedBoards(TreeReader):
    """The tables of boards that patches of device-tree sources change, before and after all of
    them."""

    def __init__(self, held: HeldCommits, made: Plan, base: str) -> None:
        super().__init__(held)
        self._made = made
        self._base = base

    def commits(self, base: str, head: str) -> list[Commit]:
        return self.repository.commits(base, head, sorted(self._made.files))

    def _read(self, commit: str) -> End:
        sources: list[Source] = []
        for group in self._made.boards:
            sides = group.before, group.after
            parts = parted([lists_of(side.root, side.shown) for side in sides])
            board = sides[commit != self._base]
            sources += together(list(sources_on(board, group.boards, parts)))
        return End(tuple(sources))


def as_commits(made: Plan) -> tuple[HeldCommits, str, str]:
    """The patches of a plan as commits, the one before them, and the last."""
    held = HeldCommits(None, made.tree.root.as_posix())
    head = base = held.add("", "the tree", files_of(made.tree), is_patch=False)
    for step in made.made:
        message = f"{step.patch.subject}\n\n{step.patch.body}"
        named = f"the patch {step.patch.name}"
        head = held.add(head, message, as_bytes(step.after), mailed=named)
    return held, base, head


def refusing(found: Review, as_bad_as: Severity) -> list[Finding]:
    """The new findings for which patches are refused."""
    return [one for one in found.new if one.counts and one.severity >= as_bad_as]


def files_of(tree: WorkTree) -> dict[str, bytes | None]:
    """The tree's files with tables, and those that reading and judging the tables takes."""
    beside = {name: tree.content(name) for name in (*HEADERS, *FILES)}
    return {name: data for name, data in beside.items() if data is not None} | as_bytes(tree.files)
