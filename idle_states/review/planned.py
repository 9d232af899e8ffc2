"""Reviews patches that are about to be written, on the tree they are made for."""

from collections.abc import Mapping

from ..check.config import FILES
from ..check.criteria import Criteria
from ..findings import Finding, Severity
from ..linux.releases import DEFAULT, release
from ..patches.plan import Plan
from ..patches.work_tree import WorkTree
from ..reading.git import HeldCommits
from ..rules.engine import RuleSelection
from ..skiboot.layout import HEADERS
from ..skiboot.platform import ALL_LEVELS
from .result import Review
from .review import Yardstick, review


def review_of(made: Plan) -> Review:
    """The review of all patches of a plan together, without workloads; nothing is written.

    As `review` of these patches on that tree: its headers and the suppressions of its setup.cfg
    count. Raises Unreadable (IS930) where one of these leads out of the tree.
    """
    by = Criteria(tuple(map(release, DEFAULT)), ALL_LEVELS, RuleSelection())
    return review(*as_commits(made), Yardstick(by))


def as_commits(made: Plan) -> tuple[HeldCommits, str, str]:
    """The patches of a plan as commits, the one before them, and the last."""
    held = HeldCommits(None, made.tree.root.as_posix())
    head = base = held.add("", "the tree", files_of(made.tree), is_patch=False)
    for step in made.made:
        message = f"{step.patch.subject}\n\n{step.patch.body}"
        named = f"the patch {step.patch.name}"
        head = held.add(head, message, _encoded(step.after), mailed=named)
    return held, base, head


def refusing(found: Review, as_bad_as: Severity) -> list[Finding]:
    """The new findings for which patches are refused."""
    return [one for one in found.new if one.counts and one.severity >= as_bad_as]


def files_of(tree: WorkTree) -> dict[str, bytes | None]:
    """The tree's files with tables, and those that reading and judging the tables takes."""
    beside = {name: tree.content(name) for name in (*HEADERS, *FILES)}
    return {name: data for name, data in beside.items() if data is not None} | _encoded(tree.files)


def _encoded(texts: Mapping[str, str]) -> dict[str, bytes | None]:
    return {name: text.encode("utf-8", "surrogateescape") for name, text in texts.items()}
