"""IS312 flags-not-monotone-in-level: a deeper state claims to lose less than a shallower one.

What it does
    Looks at LOSE_HYP_CONTEXT, LOSE_FULL_CONTEXT and TIMEBASE_STOP of the states with ESL=1: once
    a level has one of them, every level from there on must have it. The side with fewer states
    is reported.

Why is this bad
    Linux keeps one number for SPR loss and one for timebase loss, the lowest level that has the
    flag, and treats every level from there on alike. A flag too many on a shallow state makes it
    save, restore and resynchronise on all of them; a flag missing on a deep one is ignored, or
    the state is used without a timer.

Example
    extends: power9
    override:
      stop8:
        flags: [LOSE_USER_CONTEXT, LOSE_HYP_CONTEXT, STOP_INST_DEEP]

Use instead
    extends: power9
    override:
      stop8:
        flags: [DEC_STOP, TIMEBASE_STOP, LOSE_USER_CONTEXT, LOSE_HYP_CONTEXT,
                LOSE_FULL_CONTEXT, STOP_INST_DEEP]

Ground
    Linux arch/powerpc/platforms/powernv/idle.c pnv_arch300_idle_init(): deep_spr_loss_state,
    pnv_first_tb_loss_level.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..table import Flag
from .is3_control import effective_psscr, joined
from .rule import Rule
from .subject import Subject

RULE = Rule("IS312", "flags-not-monotone-in-level", Severity.WARNING)


def check(subject: Subject) -> Iterator[Finding]:
    if not subject.is_stop:
        return
    for flag in (Flag.TIMEBASE_STOP, Flag.LOSE_HYP_CONTEXT, Flag.LOSE_FULL_CONTEXT):
        yield from _check_flag(subject, flag)


def _check_flag(subject: Subject, flag: Flag) -> Iterator[Finding]:
    states = subject.table.states
    rows = [i for i, state in enumerate(states) if effective_psscr(state).esl]
    having = [i for i in rows if states[i].has(flag)]
    lacking = [i for i in rows if not states[i].has(flag)]
    too_low = [i for i in having if any(states[j].level >= states[i].level for j in lacking)]
    too_high = [j for j in lacking if any(states[i].level <= states[j].level for i in having)]
    culprits, others = (too_low, too_high) if len(too_low) < len(too_high) else (too_high, too_low)
    for index in culprits:
        state = states[index]
        has = state.has(flag)
        against = [
            other
            for other in others
            if (states[other].level >= state.level if has else states[other].level <= state.level)
        ]
        names = joined([f"{states[other].name} ({states[other].level})" for other in against])
        side, relation = ("has", "at or above it lack") if has else ("lacks", "at or below it have")
        yield RULE.finding(
            subject,
            f"{state.name} (level {state.level}) {side} {flag.name}, levels {relation} it: {names}",
            subject.at(index, "flags"),
            related=[(subject.at(other, "flags"), states[other].name) for other in against],
        )
