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
    -     flags: [LOSE_USER_CONTEXT, LOSE_HYP_CONTEXT, STOP_INST_DEEP]
    +     flags: [DEC_STOP, TIMEBASE_STOP, LOSE_USER_CONTEXT, LOSE_HYP_CONTEXT,
    +             LOSE_FULL_CONTEXT, STOP_INST_DEEP]

Ground
    Linux arch/powerpc/platforms/powernv/idle.c pnv_arch300_idle_init(): deep_spr_loss_state,
    pnv_first_tb_loss_level.
"""

from bisect import bisect_left

from ...base.model.table import Flag
from ...base.wording import joined
from .is3_control import effective_psscr
from .rows import psscr_rows, row_at
from .rule import Rule, Severity, Subject, Verdicts

RULE = Rule("IS312", "flags-not-monotone-in-level", Severity.WARNING, requires=("IS311", "IS315"))

_SHOWN = 4


@RULE.of_table
def check(subject: Subject) -> Verdicts:
    for flag in (Flag.TIMEBASE_STOP, Flag.LOSE_HYP_CONTEXT, Flag.LOSE_FULL_CONTEXT):
        yield from _check_flag(subject, flag)


def _check_flag(subject: Subject, flag: Flag) -> Verdicts:
    """Rows with ESL=1 split by the flag; those on the wrong side of the other's first or last."""
    having: list[tuple[int, int]] = []
    lacking: list[tuple[int, int]] = []
    for row in psscr_rows(subject):
        if effective_psscr(row.state).esl:
            (having if row.state.has(flag) else lacking).append((row.state.level, row.number))
    if not having or not lacking:
        return
    first, last = min(having)[0], max(lacking)[0]
    too_low = sorted(each for each in having if each[0] <= last)
    too_high = sorted(each for each in lacking if each[0] >= first)
    has = len(too_low) < len(too_high)
    culprits, others = (too_low, too_high) if has else (too_high, too_low)
    for level, index in culprits:
        if has:
            against = others[bisect_left(others, (level, 0)) :][:_SHOWN]
            problem = f"has {flag.name}, but levels from there on lack it"
        else:
            against = others[: bisect_left(others, (level + 1, 0))][:_SHOWN]
            problem = f"lacks {flag.name}, but levels up to there have it"
        row = row_at(subject, index)
        rows = [row_at(subject, other) for _, other in against]
        names = joined([f"{other.name} ({other.state.level})" for other in rows])
        yield row.verdict(
            "flags",
            f"{row.name} (level {level}) {problem}: {names}",
            related=[(other.at("flags"), other.name) for other in rows],
        )
