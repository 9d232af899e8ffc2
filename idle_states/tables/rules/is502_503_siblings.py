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
    firmware: {quirk: mambo}

Use instead
    extends: power9-mambo
    firmware: {quirk: mambo}
    override:
      stop4:
        residency: 10ms
        flags: [LOSE_USER_CONTEXT, LOSE_HYP_CONTEXT, LOSE_FULL_CONTEXT, STOP_INST_DEEP]

Ground
    skiboot hw/slw.c: power9_mambo_cpu_idle_states and power9_fusedcore_cpu_idle_states beside
    power9_cpu_idle_states; 8cd82f715 gives POWER11 the array of POWER10.

IS503 copy-of-prefix: a C array repeats the first rows of another one.

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
    firmware: {array: example_cpu_idle_states, fused-core: yes}

Use instead
    extends: power9
    drop: [stop4, stop5, stop8, stop11]

Ground
    skiboot hw/slw.c power9_fusedcore_cpu_idle_states ("a subset of power9 idle states",
    1629c851c); hw/slw-p8.c nap_only_cpu_idle_states.
"""

from collections.abc import Iterator, Sequence

from ...base.model.findings import Location
from ...base.model.table import IdleTable
from ...base.wording import joined, possessive
from ..identify import field_differences, is_called
from ..spec.library import is_main
from .is3_control import claimed_cpu, home
from .rows import StateRow, every_row
from .rule import Confidence, Rule, Severity, Subject, Verdict, Verdicts

DRIFT = Rule("IS502", "sibling-drift", Severity.WARNING, forms=("spec", "c"), requires=("IS501",))
COPY = Rule("IS503", "copy-of-prefix", Severity.WARNING, forms=("spec", "c"))
RULES = (DRIFT, COPY)


def siblings(subject: Subject) -> Iterator[IdleTable]:
    """Tables whose rows the subject's should equal where the names are the same."""
    own = home(subject)
    cpu = claimed_cpu(subject)
    chips = set(cpu.chips) if cpu else set()
    special = bool(own.quirk or own.fused_core)
    names = {subject.table.name, subject.reference.name if subject.reference else ""}
    for sibling in subject.others:
        if sibling.name in names:
            continue
        if sibling.register is not subject.table.register or not sibling.cpu:
            continue
        same_chips = bool(chips & set(sibling.cpu.chips))
        shares = own.array != "" and own.array == sibling.firmware.array
        if (
            (special and is_main(sibling) and same_chips)
            or (shares and not same_chips)
            or is_called(sibling, own.copy_of)
        ):
            yield sibling


@DRIFT.of_table
def check_drift(subject: Subject) -> Verdicts:
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


@COPY.of_table
def check_copy(subject: Subject) -> Verdicts:
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
