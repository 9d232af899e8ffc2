"""A review as JSON (schemas/output.schema.json)."""

from collections.abc import Iterable, Sequence
from typing import Any

from ..diff import Difference
from ..review.review import Change, PerKernel, Review, TableChange
from ..sources import Source
from .json_output import envelope, finding_json, findings_body


def inputs(review: Review) -> list[tuple[str, str]]:
    """(file, SHA-256) of what was compared, as it is after the change."""
    return list(
        dict.fromkeys(
            (table.source.file, table.source.sha256)
            for change in review.changes
            for table in change.tables
        )
    )


def render(review: Review, read: Sequence[tuple[str, str]]) -> str:
    """findings: the new ones, as everywhere; those of each change are within it again."""
    body = {
        "base": review.base,
        "head": review.head,
        "commits": review.commits,
        "kernels": list(review.kernels),
        "governor": review.governor,
        **findings_body(review.new),
        "fixed": [finding_json(finding) for finding in review.fixed],
        "changes": [_change(change) for change in review.changes],
    }
    return envelope("review", body, read)


def _change(change: Change) -> dict[str, Any]:
    return {
        "base": change.base,
        "head": change.head,
        "subject": None if change.commit is None else change.commit.subject,
        "tables": [_table(table) for table in change.tables],
        "message": [finding_json(finding) for finding in change.message],
        "unread": list(change.unread),
    }


def _table(table: TableChange) -> dict[str, Any]:
    return {
        "before": _source(table.before),
        "after": _source(table.after),
        "differences": _differences(table.differences),
        "linux": _per_kernel(table.linux),
        "selection": _per_kernel(table.selection),
        "new": [finding_json(finding) for finding in table.outcome.new],
        "fixed": [finding_json(finding) for finding in table.outcome.fixed],
        "silenced": [finding_json(finding) for finding in table.outcome.silenced],
    }


def _source(source: Source | None) -> dict[str, str] | None:
    if source is None:
        return None
    return {"name": source.name, "file": source.file, "sha256": source.sha256}


def _per_kernel(groups: Iterable[PerKernel]) -> list[dict[str, Any]]:
    return [
        {
            "kernels": list(group.kernels),
            "differences": [{"path": d.path, "a": d.a, "b": d.b} for d in group.differences],
        }
        for group in groups
    ]


def _differences(differences: Iterable[Difference]) -> list[dict[str, str]]:
    return [{"stage": d.stage, "path": d.path, "a": d.a, "b": d.b} for d in differences]
