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
    name: Annotated[str, "What the command line takes as SERIES."]
    subject: str
    since: Annotated[str, "First skiboot release it is meant for; empty for no bound."]
    until: Annotated[str, "Last one."]
    of: Annotated[Literal["skiboot", "device-tree source"], "What trees it is for."] = derived(
        lambda patch: "device-tree source" if patch.dts else "skiboot"
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
    before: Annotated[str, "As a person writes it; empty for a row that comes."]
    after: Annotated[str, "Likewise; empty for a row that goes."]


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
    lines: Annotated[list[int], "Of the file as it is after the patch."]


class Added(Form[revision.AddedRevision]):
    """A revision that the tree did not have, or not for its machines."""

    array: str = derived("claim.array")
    machines: Annotated[str, "Those that take it."] = derived(lambda made: str(made.claim))
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
        "Of a new generation: where the tree names the one beside it, and may have to name the new "
        "one, too. The patch does nothing there; it is never said to be all that is needed.",
    ]


class Step(Form[plan.PatchStep]):
    name: str = derived("patch.name")
    subject: Annotated[str, "Subject of the patch's mail."] = derived("patch.subject")
    status: Annotated[
        Literal["made", "already there", "not for this skiboot"], "made: it changes something."
    ]
    reason: Annotated[str, "Why it is not for this skiboot; else empty."]
    changes: list[Change]
    added: Annotated[Added | None, "Of a TABLE that the tree lacked; else null."]
    tables: Annotated[
        list[Boards], "Of device-tree source: the boards that it changes, grouped by their tables."
    ]


class Planned(Form[plan.Plan]):
    equal: Annotated[bool, "True if the tree needs no change."] = derived(
        lambda found: not found.made
    )
    version: Annotated[
        str, "skiboot release the tree is of or comes after; empty where nothing says."
    ] = derived("tree.version")
    patches: Annotated[list[Step], "What came of each patch, in the order of the series."] = (
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
        "What the patches bring that is as bad as --fail-on, in review's words: nothing is written "
        "then but by --force. Not looked for with --check.",
    ] = GIVEN
    written: Annotated[list[str], "Files written: patches, or the tree's own with --apply."] = GIVEN


Patch = Packaged | Planned


def planned(
    found: plan.Plan, absent: Sequence[str], written: Sequence[str], bad: Sequence[findings.Finding]
) -> With:
    """Returns the values that Planned writes."""
    return With(found, absent=absent, written=written, findings=bad)
