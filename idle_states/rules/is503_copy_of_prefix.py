"""IS503 copy-of-prefix: a C array repeats the first rows of another one.

What it does
    Compares a table with the main packaged ones of its generation that live in another C array.
    If its rows are, value by value, their first rows, it is a warning; a single row is a note,
    as one equal row is no sure sign of a copy.

Why is this bad
    A copy has to be corrected whenever the original is, and is forgotten (see IS502). The same
    states come from the original with a smaller count, or from one spec with a `drop`.

Example
    extends: power9-fused

Use instead
    extends: power9
    drop: [stop4, stop5, stop8, stop11]

Ground
    skiboot hw/slw.c power9_fusedcore_cpu_idle_states ("a subset of power9 idle states",
    1629c851c); hw/slw-p8.c nap_only_cpu_idle_states.
"""

from collections.abc import Iterator

from ..findings import Confidence, Finding, Severity
from ..identify import is_main
from ..pipeline import Subject
from ..spec.library import packaged
from .is3_control import claimed_cpu, home
from .rule import Rule

RULE = Rule("IS503", "copy-of-prefix", Severity.WARNING, forms=("spec", "c"))


def check(subject: Subject) -> Iterator[Finding]:
    table = subject.table
    count = len(table.states)
    array = home(subject).array or (table.name if subject.form == "c" else "")
    cpu = claimed_cpu(subject)
    if not subject.is_opal or not count or not array:
        return
    rows = [state.values() for state in table.states]
    for other in packaged(lambda revision: not revision.historical):
        if other.register is not table.register or not is_main(other):
            continue
        if other.firmware.array == array or len(other.states) <= count:
            continue
        if cpu and other.cpu and cpu.generation != other.cpu.generation:
            continue
        if rows != [state.values() for state in other.states[:count]]:
            continue
        what = f"the first {count} rows" if count > 1 else "the first row"
        place = other.states[0].where.get("state")
        yield RULE.finding(
            subject,
            f"{array} repeats {what} of {other.firmware.array} ({other.name})",
            subject.at(None),
            severity=Severity.WARNING if count > 1 else Severity.NOTE,
            confidence=Confidence.HIGH if count > 1 else Confidence.LOW,
            related=[(place, f"{other.name} starts here")] if place else (),
        )
