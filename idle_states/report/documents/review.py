"""review."""

from typing import Annotated

from ... import diff
from ...forms import Count, Form, Limits, Positive, derived
from ...review import review, suppressions
from ...sources import Source
from .findings import Code, Finding, Summary

Commit = Annotated[str, Limits(pattern="^([0-9a-f]{40,64})?$")]


class Table(Form[Source]):
    name: Annotated[str, "The table's name: a C array or a spec."]
    file: Annotated[str, "Its file, from the repository's top."]
    sha256: Annotated[str, Limits(pattern="^[0-9a-f]{64}$")]


class Difference(Form[diff.Difference]):
    path: Annotated[str, "What differs: states.stop4, default_stop, idle 5us to 9us, ..."]
    a: Annotated[str, "Before; absent where there was none."]
    b: Annotated[str, "After, likewise."]


class PerKernel(Form[review.PerKernel]):
    kernels: Annotated[list[str], "Kernels that have these differences in common."]
    differences: list[Difference]


class TableChange(Form[review.TableChange]):
    before: Annotated[Table | None, "null: the table is added."]
    after: Annotated[Table | None, "null: the table is removed."]
    differences: Annotated[list[diff.Difference], "In the table and in what firmware exports."]
    linux: Annotated[list[PerKernel], "In what Linux registers."]
    selection: Annotated[
        list[PerKernel],
        "In what the governor selects at the idle lengths tried: 1, 2 and 5 of each power of ten "
        "from 1us to 50ms, and residencies that changed.",
    ]
    new: Annotated[list[Finding], "What the change brings to this table."] = derived(
        lambda table: table.outcome.new
    )
    fixed: Annotated[list[Finding], "What it takes away."] = derived(
        lambda table: table.outcome.fixed
    )
    silenced: Annotated[list[Finding], "What is still there but suppressed now."] = derived(
        lambda table: table.outcome.silenced
    )


class Added(Form[suppressions.Added]):
    rules: Annotated[list[Code], "Codes of rules."]
    path: Annotated[str, "Logical path in setup.cfg; empty for a comment in a spec."]
    reason: Annotated[str, "As given; empty: without effect."]
    until: Annotated[str, "Last day it holds, YYYY-MM-DD; empty: always."]
    file: Annotated[str, "Where it stands."] = derived(lambda added: added.where.file)
    line: Annotated[Positive, "Its line, counted from 1."] = derived(lambda added: added.where.line)


class Change(Form[review.Reviewed]):
    base: Annotated[Commit, "Commit before."]
    head: Annotated[Commit, "Commit after."]
    subject: Annotated[
        str | None, "First line of the commit's message; null for several commits in total."
    ] = derived(lambda change: None if change.commit is None else change.commit.subject)
    tables: list[TableChange]
    message: Annotated[
        list[Finding], "Where a commit's message and its change disagree; also among findings."
    ]
    unread: Annotated[
        list[str],
        "Files that could not be parsed at one end; their tables are not compared.",
    ]
    suppressions: Annotated[
        list[Added], "Suppressions that the change adds; they do not hide what it brings itself."
    ]


class Review(Form[review.Review]):
    base: Annotated[Commit, "Commit before; empty before the first one."]
    head: Annotated[Commit, "Commit after."]
    commits: Annotated[Count, "How many commits lie between."]
    kernels: Annotated[list[str], "Kernels the tables were followed into."]
    governor: Annotated[str, "Whose selection was compared."]
    assumptions: Annotated[list[str], "What the compared selections rest on."]
    remarks: Annotated[
        list[str],
        "Of mailed patches: what they were applied to, and what was repaired to read them.",
    ]
    findings: Annotated[
        list[Finding],
        "What the change brings, with places as they are after it; suppressed ones are left out.",
    ] = derived(lambda found: found.new)
    summary: Summary = derived(lambda found: found.new)
    fixed: Annotated[list[Finding], "What is gone, with places as they were."]
    changes: Annotated[
        list[Change], "One, or with --per-commit one for each commit that changes a table."
    ]


def compared(found: review.Review) -> list[tuple[str, str]]:
    """(file, SHA-256) of what was compared, as it is after the change."""
    tables = [table.source for change in found.changes for table in change.tables]
    return list(dict.fromkeys((source.file, source.sha256) for source in tables))
