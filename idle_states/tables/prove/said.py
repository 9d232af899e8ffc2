"""prove, for people."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from ...base.model.units import format_time
from ...base.report.escapes.text import printable
from ...base.report.style import Style
from ...base.report.tables import wrapped
from ...base.wording import joined, plural
from ..linux import grounds
from ..linux.qos import NO_LIMIT_US
from .answer import Proven
from .history import IdleStep, Played
from .periods import StateKept
from .proof import StateProof, Unreachable


def text(found: Proven, style: Style) -> str:
    """Returns a block for each state: its witness, or the proof that there is none."""
    request = found.request
    of = f"{printable(request.of.table)}: " if request.of.table else ""
    limit = "" if request.limit_us >= NO_LIMIT_US else f", latency limit {request.limit_us} us"
    governor = f"{request.of.governor} of Linux {request.release.name}, HZ {request.of.hz}"
    lines = [style("strong", f"{of}{governor}{limit}")]
    names = [printable(proof.name) for proof in found.proofs]
    for proof in found.proofs:
        lines += ["", *_state(proof, names, style)]
    notes = [*grounds.remarks([request.release], request.of.governor, grounds.LOOP)]
    if found.kept is not None:
        lines += ["", style("strong", "equal idle periods, ended by interrupts, the timer far:")]
        lines += _periods(found, found.kept, names)
    lines += ["", _counted(found), *notes]
    return "\n".join(lines) + "\n"


def _periods(found: Proven, kept: Sequence[StateKept], names: Sequence[str]) -> Iterator[str]:
    for each in kept:
        said = "no period tried leads to it"
        if each.first_ns is not None:
            said = f"selected from {format_time(each.first_ns)} on"
        if each.least_ns is not None and each.least_ns != each.first_ns:
            said += f", kept from {format_time(each.least_ns)} on"
        if each.itself:
            residency = found.states[each.state].residency_ns
            said += f", below its target residency of {format_time(residency)}"
        yield from wrapped(f"{names[each.state]}: {said}", "  ", "      ")
    if found.slowest is not None:
        worst = found.slowest
        at_last = joined([_name(names, state) for state in worst.states])
        said = (
            f"slowest to follow: from {format_time(worst.from_ns)} to {format_time(worst.to_ns)}, "
            f"{plural(worst.idles, 'idle period')} ({format_time(worst.time_ns)}) until {at_last} "
            "alone"
        )
        yield from wrapped(said, "  ", "      ")


def _counted(found: Proven) -> str:
    kinds = (
        (sum(proof.witness is not None for proof in found.proofs), "selected"),
        (sum(proof.unreachable is not None for proof in found.proofs), "never selected"),
        (sum(proof.undecided for proof in found.proofs), "undecided"),
    )
    said = joined([f"{count} {what}" for count, what in kinds if count])
    return f"{plural(len(found.proofs), 'state')}: {said}."


def _state(proof: StateProof, names: Sequence[str], style: Style) -> Iterator[str]:
    name = style("strong", names[proof.number])
    if proof.witness is not None:
        yield f"{name}: selected by the last of {plural(len(proof.witness), 'idle period')}"
        yield from _witness(proof.witness, names)
    elif proof.unreachable is not None:
        yield f"{name}: never selected"
        yield from _proof(proof.unreachable)
    else:
        yield f"{name}: undecided, no witness was found and no proof"


def _witness(witness: Sequence[Played], names: Sequence[str]) -> Iterator[str]:
    rows = [_idle(one, names) for one in witness]
    for row, equal in groupby(rows):
        yield from wrapped(f"{len(list(equal))} x {row}", "  ", "      ")


def _idle(one: Played, names: Sequence[str]) -> str:
    outcome, state = one.outcome, one.decision.state
    entered = _name(names, state)
    until = ", until the tick" if outcome.got_tick else ""
    return f"{_surroundings(one.step)}: {entered} for {format_time(outcome.residency_ns)}{until}"


def _name(names: Sequence[str], state: int) -> str:
    return names[state] if 0 <= state < len(names) else "default idle"


def _surroundings(step: IdleStep) -> str:
    said = [f"timer in {format_time(step.timer_ns)}"]
    if step.interrupt_ns is not None:
        said.append(f"interrupt in {format_time(step.interrupt_ns)}")
    if step.tick_stopped:
        said.append("tick stopped")
    elif step.tick_ns is not None:
        said.append(f"tick in {format_time(step.tick_ns)}")
    if step.iowaiters:
        said.append(f"{plural(step.iowaiters, 'task')} waiting for I/O")
    if step.cpu_util:
        said.append("CPU utilised")
    if step.late_ns:
        said.append(f"polling ends {format_time(step.late_ns)} late")
    return ", ".join(said)


def _proof(unreachable: Unreachable) -> Iterator[str]:
    yield from wrapped(unreachable.because, "  ", "  ")
    for way in unreachable.ways:
        yield from wrapped(f"{way.text}:", "  - ", "    ")
        yield from (f"      {line}" for line in way.contradiction)
    if unreachable.bounds:
        yield "  where, whatever the history:"
    for bound in unreachable.bounds:
        said = f"{bound.holds} ({bound.name}: {bound.because})"
        yield from wrapped(said, "    ", "      ")
