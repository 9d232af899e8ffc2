"""IS504 unsupported-revision: the table is for a chip revision that skiboot no longer carries.

What it does
    Notes specs that say `supported: no` of their processor, C arrays known from such a spec, and
    trees that are exactly what it would export.

Why is this bad
    Nothing tests the table any more: skiboot has no code to choose it, and current kernels are
    not run on such chips. Figures from it should not be carried over to supported revisions.

Example
    extends: power9-dd1

Use instead
    extends: power9

Ground
    skiboot 0b0d15e3c and 40b99f58e dropped POWER9 DD1, c5424f683 the rest of it.
"""

from ...base.model.table import IdleTable
from ..identify import claim, drift
from .rule import Rule, Severity, Subject, Verdict, Verdicts

RULE = Rule("IS504", "unsupported-revision", Severity.NOTE)


@RULE.of_table
def check(subject: Subject) -> Verdicts:
    table = _known_as(subject)
    if table.cpu and not table.cpu.supported:
        yield Verdict(subject.at(None, "cpu"), f"skiboot no longer carries {table.name}")


def _known_as(subject: Subject) -> IdleTable:
    """The table itself if it names its processor, else the packaged one it equals or claims."""
    table = subject.table
    if subject.form != "dt" and table.cpu:
        return table
    claimed = claim(subject)
    if claimed is None:
        return table
    if subject.form == "dt" and drift(subject):
        return table
    return claimed.table
