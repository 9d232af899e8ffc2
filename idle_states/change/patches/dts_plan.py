"""Applies a series to a tree of device-tree sources in memory, and builds the boards of it."""

from collections.abc import Iterator, Sequence

from ...base.model.findings import Faulty, Finding
from .description import Patch
from .dts_progress import Progress
from .dts_step import Step
from .dts_tables import changed_between
from .plan import PatchStep, Plan
from .source_tree import SourcesTree


def plan_sources(tree: SourcesTree, patches: Sequence[Patch]) -> Plan:
    """Applies all patches in order, in memory. Nothing is written.

    A patch whose edits are in the tree already is PRESENT. Every board that includes an edited file
    is built before and after: where it differs otherwise than was meant, the patch is refused.
    Raises Faulty (IS934) with every reason, Unreadable.
    """
    return planned(Progress(tree), patches)


def planned(progress: Progress, patches: Sequence[Patch]) -> Plan:
    """What plan_sources() returns, with `progress` for the tree: its boards may be built
    already."""
    steps = tuple(_steps(progress, patches))
    changed = changed_between(progress.first, progress.built)
    return Plan(progress.tree, steps, tuple(changed))


def _steps(progress: Progress, patches: Sequence[Patch]) -> Iterator[PatchStep]:
    findings: list[Finding] = []
    texts: dict[str, str] = {}
    for patch in patches:
        try:
            yield Step(progress, patch).made()
        except Faulty as faulty:
            findings += faulty.findings
            texts |= faulty.texts
    if findings:
        raise Faulty(findings, texts)
