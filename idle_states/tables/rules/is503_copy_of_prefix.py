"""IS503 copy-of-prefix: a C array repeats the first rows of another one.

What it does
    Compares a table with the main ones of its generation that live in another C array: those of
    the same tree, where a tree is checked or reviewed, else the packaged ones. If its rows are,
    value by value, their first rows, it is a warning; a note, if IS502 compares the two anyway
    and so names the one that a correction forgets, and for a single row, which is no sure sign of
    a copy. `review` leaves the former out: there two that agree are as they should be.

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

from ..identify import is_main
from .is3_control import claimed_cpu, home
from .is5_siblings import siblings
from .rule import Confidence, Rule, Severity, Subject, Verdict, Verdicts

RULE = Rule("IS503", "copy-of-prefix", Severity.WARNING, forms=("spec", "c"))


@RULE.of_table
def check(subject: Subject) -> Verdicts:
    table = subject.table
    count = len(table.states)
    array = home(subject).array or (table.name if subject.form == "c" else "")
    cpu = claimed_cpu(subject)
    if not subject.is_opal or not count or not array:
        return
    rows = [state.values() for state in table.states]
    compared = list(siblings(subject))
    for other in subject.others:
        if other.register is not table.register or not is_main(other):
            continue
        if other.firmware.array == array or len(other.states) <= count:
            continue
        if cpu and other.cpu and cpu.generation != other.cpu.generation:
            continue
        if rows != [state.values() for state in other.states[:count]]:
            continue
        is_watched = any(sibling is other for sibling in compared)
        if is_watched and subject.by_change:
            continue
        what = f"the first {count} rows" if count > 1 else "the first row"
        place = other.states[0].where.get("state")
        also = f" ({other.name})" if other.name != other.firmware.array else ""
        yield Verdict(
            subject.at(None),
            f"{array} repeats {what} of {other.firmware.array}{also}",
            Severity.WARNING if count > 1 and not is_watched else Severity.NOTE,
            Confidence.HIGH if count > 1 else Confidence.LOW,
            related=((place, f"{other.name} starts here"),) if place else (),
        )
