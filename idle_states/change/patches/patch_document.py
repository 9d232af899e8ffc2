"""patch: what came of it, or with --list the packaged descriptions."""

from collections.abc import Sequence
from typing import Annotated, Literal

from ...base.model import findings
from ...base.model.forms import GIVEN, Form, Positive, With, derived
from ...base.report.style import Style
from ...tables.documents.findings_document import Finding
from . import by_hand, plan, revision
from .description import Evidence
from .description import Patch as Description
from .sheet import diff_text, table_text


class PackagedPatch(Form[Description]):
    name: Annotated[str, "The SERIES of the command line."]
    subject: str
    since: Annotated[str, "First skiboot release it is meant for; empty for no bound."]
    until: Annotated[str, "Last one."]
    of: Annotated[Literal["skiboot", "device-tree source"], "The kind of tree that it is for."] = (
        derived(lambda patch: "device-tree source" if patch.dts else "skiboot")
    )
    evidence: list[Evidence]


class Packaged(Form[Sequence[Description]]):
    packaged: Annotated[list[PackagedPatch], "With --list: the packaged descriptions."] = derived(
        lambda patches: patches
    )


class Place(Form[plan.ValueChange]):
    """A place in the tree."""

    file: str | None = derived(lambda change: change.file or None)
    line: Positive | None = derived(lambda change: change.line or None)
    column: Positive | None = derived(lambda change: change.column or None)
    path: str = derived(lambda change: f"{change.table}.{change.state}.{change.field}")


class Change(Form[plan.ValueChange]):
    location: Place = derived(lambda change: change)
    table: Annotated[str, "C array in the tree; of device-tree source, the file's name."]
    state: Annotated[str, "Row; of device-tree source, the node."]
    field: Annotated[
        str,
        "latency, residency, flags, control or mask; of device-tree source a property; row: a "
        "whole row or node comes or goes; order: a row moves.",
    ]
    before: Annotated[str, "The value before, as written; empty for a new row."]
    after: Annotated[str, "The value after; empty for a removed row."]


class Boards(Form[plan.BoardTables]):
    boards: Annotated[list[str], "Their paths in the tree."]
    before: Annotated[list[str], "The tables of their CPUs, as lines of text."] = derived(
        lambda found: [table_text(table) for table in found.before]
    )
    after: Annotated[list[str], "Likewise, with the patch."] = derived(
        lambda found: [table_text(table) for table in found.after]
    )


class Left(Form[by_hand.LeftByHand]):
    file: Annotated[str, "Its path in the tree."]
    lines: Annotated[list[int], "Line numbers in the patched file."]


class Added(Form[revision.AddedRevision]):
    """A revision that the tree did not have, or not for its machines."""

    array: str = derived("claim.array")
    machines: Annotated[str, "The machines that use it."] = derived(lambda made: str(made.claim))
    behind: Annotated[str, "The array behind which it is put; empty if it was there."] = derived(
        "beside"
    )
    before: Annotated[
        str, "The array that these machines take so far; empty for chips that are new to skiboot."
    ]
    names: Annotated[list[str], "New enumerators, with the header: FILE: NAME."] = derived(
        lambda made: [f"{header}: {name}" for header, name in made.names]
    )
    left: Annotated[
        list[Left],
        "Places that name the neighbouring generation, and may have to name a new one, too. The "
        "patch does not change them, and there may be others.",
    ]


class Step(Form[plan.PatchStep]):
    name: str = derived("patch.name")
    subject: Annotated[str, "Subject of the patch's mail."] = derived("patch.subject")
    status: Annotated[
        Literal["made", "already there", "not for this skiboot"], "made: it changes something."
    ]
    reason: Annotated[str, "Why it is not for this skiboot; else empty."]
    changes: list[Change]
    added: Annotated[Added | None, "The TABLE that the tree lacked; null if it lacked none."]
    tables: Annotated[
        list[Boards], "The boards that it changes in device-tree source, grouped by their tables."
    ]


class Planned(Form[plan.Plan]):
    equal: Annotated[bool, "True if the tree needs no change."] = derived(
        lambda found: not found.made
    )
    version: Annotated[
        str, "skiboot release the tree is of or comes after; empty where nothing says."
    ] = derived("tree.version")
    patches: Annotated[list[Step], "The outcome of each patch, in the order of the series."] = (
        derived("steps")
    )
    absent: Annotated[
        list[str], "Current revisions, with their array, that the tree has no table of."
    ] = GIVEN
    diff: Annotated[str, "All changes together as a unified diff; empty if there are none."] = (
        derived(lambda found: diff_text(found, Style(False)))
    )
    findings: Annotated[
        list[Finding],
        "New findings of the patches from --fail-on's severity up; with any, only --force writes "
        "patches. Not computed with --check.",
    ] = GIVEN
    written: Annotated[list[str], "Files written: patches, or the tree's own with --apply."] = GIVEN


Patch = Packaged | Planned


def planned(
    found: plan.Plan, absent: Sequence[str], written: Sequence[str], bad: Sequence[findings.Finding]
) -> With:
    """Returns the values that Planned writes."""
    return With(found, absent=absent, written=written, findings=bad)
