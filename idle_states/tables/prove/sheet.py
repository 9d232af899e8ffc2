"""prove, for people."""

from collections.abc import Iterator, Sequence

from ...base.model.units import format_time
from ...base.report.sheet import (
    NO_NUMBERS,
    Either,
    Line,
    Lines,
    Marked,
    Part,
    Rows,
    Section,
    Sheet,
    Worded,
)
from ...base.wording import joined, plural
from ..linux import grounds
from ..linux.qos import NO_LIMIT_US
from .answer import Proven
from .drawn import entered, history
from .periods import StateKept
from .proof import StateProof, Unreachable

_WAYS = ("Way to select it", "Needed, but contradictory")


def sheet(found: Proven) -> Sheet:
    """Returns a section for each state: its witness, or the proof that there is none."""
    request = found.request
    of = f"{request.of.table}: " if request.of.table else ""
    limit = "" if request.limit_us >= NO_LIMIT_US else f", latency limit {request.limit_us} us"
    how = f"{request.of.governor} of Linux {request.release.name}, HZ {request.of.hz}{limit}"
    names = [proof.name for proof in found.proofs]
    sections = [_state(proof, names) for proof in found.proofs]
    if found.kept is not None:
        head = Worded(
            "equal idle periods, ended by interrupts, the timer far:",
            "Equal idle periods, ended by interrupts, the timer far",
        )
        periods = Lines((*_periods(found, found.kept, names),), first="  ", further="      ")
        sections.append(Section(head, (periods,)))
    notes = grounds.remarks([request.release], request.of.governor, grounds.LOOP)
    sections.append(Section(Worded("", "Summary"), (Lines((_counted(found), *notes)),)))
    about = Section("Request", (Lines((Marked("strong", f"{of}{how}"),)),))
    return Sheet(f"{of}{how}", tuple(_headline(found, how)), tuple(sections), about)


def _kinds(found: Proven) -> tuple[list[str], list[str], list[str]]:
    """Returns the names of the states that are selected, never selected, and undecided."""
    return (
        [proof.name for proof in found.proofs if proof.witness is not None],
        [proof.name for proof in found.proofs if proof.unreachable is not None],
        [proof.name for proof in found.proofs if proof.undecided],
    )


def _headline(found: Proven, how: str) -> Iterator[Line]:
    """Yields the answer, a sentence for each kind of state, what is wrong first. how: governor and
    circumstances."""
    selected, never, undecided = _kinds(found)
    if never:
        kind = "note" if found.all_selected else "error"
        yield Marked(kind, f"Proven: {how}, never selects {joined(never, 'or')}.")
    if undecided:
        unknown = f"whether it selects {joined(undecided, 'or')}"
        yield Marked("warning", f"Not decided: {unknown}; no witness was found and no proof.")
    if selected:
        every = len(selected) == len(found.proofs)
        states = f"each of {plural(len(selected), 'state')}" if every else joined(selected)
        yield f"Proven by a history: {how}, selects {states}."


def _periods(found: Proven, kept: Sequence[StateKept], names: Sequence[str]) -> Iterator[str]:
    for each in kept:
        witness = "no period tried leads to it"
        if each.first_ns is not None:
            witness = f"selected from {format_time(each.first_ns)} on"
        if each.least_ns is not None and each.least_ns != each.first_ns:
            witness += f", kept from {format_time(each.least_ns)} on"
        if each.itself:
            residency = found.states[each.state].residency_ns
            witness += f", below its target residency of {format_time(residency)}"
        yield f"{names[each.state]}: {witness}"
    if found.slowest is not None:
        worst = found.slowest
        at_last = joined([entered(names, state) for state in worst.states])
        yield (
            f"slowest to follow: from {format_time(worst.from_ns)} to {format_time(worst.to_ns)}, "
            f"{plural(worst.idles, 'idle period')} ({format_time(worst.time_ns)}) until {at_last} "
            "alone"
        )


def _counted(found: Proven) -> str:
    kinds = zip(_kinds(found), ("selected", "never selected", "undecided"), strict=True)
    counts = joined([f"{len(names)} {what}" for names, what in kinds if names])
    return f"{plural(len(found.proofs), 'state')}: {counts}."


def _state(proof: StateProof, names: Sequence[str]) -> Section:
    verdict, parts = "undecided, no witness was found and no proof", tuple[Part, ...]()
    if proof.witness is not None:
        verdict = f"selected by the last of {plural(len(proof.witness), 'idle period')}"
        parts = (history(proof.name, proof.witness, names),)
    elif proof.unreachable is not None:
        verdict, parts = "never selected", tuple(_proof(proof.unreachable))
    return Section((Marked("strong", proof.name), f": {verdict}"), parts)


def _proof(unreachable: Unreachable) -> Iterator[Part]:
    """Yields why a state is never selected: on pages the ways to select it as a table."""
    yield Lines((unreachable.because,), first="  ", further="  ")
    for way in unreachable.ways:
        lines = Lines((f"{way.text}:",), "  - ", "    "), Lines(way.contradiction, "      ")
        yield Either(lines)
    ways = tuple((way.text, "; ".join(way.contradiction)) for way in unreachable.ways)
    yield Either(
        (), (Rows(_WAYS, ways, "Ways to select it, and why none is possible", NO_NUMBERS),)
    )
    if unreachable.bounds:
        yield Lines(("where, for every history:",), first="  ")
    bounds = (f"{bound.holds} ({bound.name}: {bound.because})" for bound in unreachable.bounds)
    yield Lines((*bounds,), first="    ", further="      ")
