"""IS305 mtl-crosses-loss-level: the hardware may take a state to a level that loses more.

What it does
    Finds the lowest level from which Linux takes SPRs for lost (RL of the first state with
    LOSE_FULL_CONTEXT or TIMEBASE_STOP) and the timebase for stopped (TIMEBASE_STOP). A state
    requested below one of them must have its MTL below it too.

Why is this bad
    Linux saves SPRs by the level it requests, and restores by the level it was in. A CPU that
    asked for stop2 and was taken on to level 4 wakes with its SPRs gone and nothing saved:
    BUG_ON(!sprs_saved). If the timebase stops under a state that does not say so, its timer
    stops too and nothing was arranged to wake the CPU.

Example
    extends: power9
    override:
      stop2: {psscr: {rl: 2, mtl: 7, tr: 3, ec: 1, esl: 1}}

Use instead
    extends: power9
    override:
      stop2: {psscr: {rl: 2, mtl: 3, tr: 3, ec: 1, esl: 1}}

Ground
    Linux arch/powerpc/platforms/powernv/idle.c power9_idle_stop(), deep_spr_loss_state and
    pnv_first_tb_loss_level, since 10d91611f426 (5.2). Concluded from the code; no report of the
    crash is known.
"""

from collections.abc import Iterator

from ..findings import Finding, Location, Severity
from ..pipeline import Subject
from ..table import Flag
from ..wording import joined
from .is3_control import stop_rows
from .rule import Rule

RULE = Rule("IS305", "mtl-crosses-loss-level", Severity.ERROR)
_SPR_LOSS = Flag.LOSE_FULL_CONTEXT | Flag.TIMEBASE_STOP


def check(subject: Subject) -> Iterator[Finding]:
    losses = [
        (index, what)
        for flags, what in ((_SPR_LOSS, "loses SPRs"), (Flag.TIMEBASE_STOP, "stops the timebase"))
        if (index := _first(subject, flags)) is not None
    ]
    states = subject.table.states
    for index, state in stop_rows(subject):
        psscr = state.psscr
        crossed = [
            (first, what) for first, what in losses if psscr.rl < states[first].level <= psscr.mtl
        ]
        if not crossed:
            continue
        levels = [f"level {states[first].level}, which {what}" for first, what in crossed]
        places: dict[Location, str] = {
            subject.at(first, "flags"): f"by {states[first].name}" for first, _ in crossed
        }
        yield RULE.finding(
            subject,
            f"{state.name} requests level {psscr.rl}, but MTL={psscr.mtl} lets it reach "
            + joined(levels),
            subject.at(index, "control.mtl"),
            related=places.items(),
        )


def _first(subject: Subject, flags: int) -> int | None:
    """Row with the lowest level among those with one of the flags."""
    rows = [
        (state.level, index)
        for index, state in enumerate(subject.table.states)
        if state.flags & flags
    ]
    return min(rows)[1] if rows else None
