"""Reviews patches that are about to be written, on the tree they are made for."""

from collections.abc import Mapping

from ..check.criteria import Criteria
from ..linux.releases import DEFAULT, release
from ..patches.plan import Plan
from ..reading.git import HeldCommits
from ..rules.engine import RuleSelection
from ..skiboot.platform import ALL_LEVELS
from .review import Review, Yardstick, review


def review_of(made: Plan) -> Review:
    """The review of all patches of a plan together, without workloads; nothing is written."""
    held = HeldCommits(None, made.tree.root.as_posix())
    head = base = held.add("", "the tree", _encoded(made.tree.files), is_patch=False)
    for step in made.made:
        message = f"{step.patch.subject}\n\n{step.patch.body}"
        head = held.add(head, message, _encoded(step.after))
    by = Criteria(tuple(map(release, DEFAULT)), ALL_LEVELS, RuleSelection())
    return review(held, base, head, Yardstick(by))


def _encoded(texts: Mapping[str, str]) -> dict[str, bytes | None]:
    return {name: text.encode("utf-8", "surrogateescape") for name, text in texts.items()}
