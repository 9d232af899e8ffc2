"""IS502 sibling-drift: a state of a special table differs from the same state of the main one.

What it does
    Compares the states of a table for a simulator or fused cores, of a declared copy, and of a
    processor that shares another's C array, with the states of the same name in the table of the
    processor: the one of the same tree, where a tree is checked or reviewed, else the packaged
    one. Chip revisions of their own (POWER9 DD1) are not siblings.

Why is this bad
    The tables describe the same hardware and are corrected one at a time. POWER9's stop4 lost its
    timebase flags in 58913880c and got ten times the residency in 87f33f499; Mambo's stop4 kept
    the old values both times.

Example
    extends: power9-mambo

Use instead
    extends: power9-mambo
    override:
      stop4:
        residency: 10ms
        flags: [LOSE_USER_CONTEXT, LOSE_HYP_CONTEXT, LOSE_FULL_CONTEXT, STOP_INST_DEEP]

Ground
    skiboot hw/slw.c: power9_mambo_cpu_idle_states and power9_fusedcore_cpu_idle_states beside
    power9_cpu_idle_states; 8cd82f715 gives POWER11 the array of POWER10.
"""

from collections.abc import Sequence

from ...base.model.findings import Location
from ...base.model.table import IdleTable
from ...base.wording import joined, possessive
from ..identify import field_differences
from .is5_siblings import siblings
from .rows import StateRow, every_row
from .rule import Rule, Severity, Subject, Verdicts

RULE = Rule("IS502", "sibling-drift", Severity.WARNING, forms=("spec", "c"), requires=("IS501",))


@RULE.of_table
def check(subject: Subject) -> Verdicts:
    known = list(siblings(subject))
    for row in every_row(subject):
        yield from _compare(row, known)


def _compare(row: StateRow, known: Sequence[IdleTable]) -> Verdicts:
    """One verdict for each field that a row's difference from its siblings begins with."""
    field2texts: dict[str, dict[str, list[str]]] = {}
    field2places: dict[str, list[tuple[Location, str]]] = {}
    for sibling in known:
        other = sibling.state(row.name)
        found = other and list(field_differences(row.state, other, row.subject.table.register))
        if not other or not found:
            continue
        texts = field2texts.setdefault(found[0][0], {})
        texts.setdefault("; ".join(text for _, text in found), []).append(possessive(sibling.name))
        places = field2places.setdefault(found[0][0], [])
        if place := other.where.get("state"):
            places.append((place, f"{sibling.name} has it here"))
    for field, texts in field2texts.items():
        differences = [f"{joined(names)}: {text}" for text, names in texts.items()]
        message = f"{row.name} differs from {', and from '.join(differences)}"
        yield row.verdict(field, message, related=field2places[field])
