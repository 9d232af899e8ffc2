"""IS310 unknown-flag-bits: a flag word has bits that nobody defines.

What it does
    Compares each flag word with the OPAL_PM_* bits and OPAL_USE_PMICR. Words that make sense
    with their bytes reversed are left to IS311.

Why is this bad
    An undefined bit is a slip, or a bit of another time: 0x100, 0x200 and 0x400 were the
    context-loss bits of 2014, before they moved to 0x1000, 0x2000 and 0x4000. Linux ignores
    unknown bits, so the property the bit was meant for is not there.

Example
    extends: power8
    override:
      nap: {flags: [0x100, NAP_ENABLED]}

Use instead
    -   nap: {flags: [0x100, NAP_ENABLED]}
    +   nap: {flags: [LOSE_USER_CONTEXT, NAP_ENABLED]}

Ground
    skiboot include/opal-api.h; the bits moved in 7f73dfca2.

IS311 byte-swapped-flags: a flag word makes sense only with its bytes reversed.

What it does
    Takes flag words that name no class of state or have undefined bits, and looks whether the
    reversed word is whole: defined bits only, a class this processor has, and on stop states
    LOSE_USER_CONTEXT in agreement with ESL.

Why is this bad
    Property cells are big-endian. A word written in the order of a little-endian machine means
    something else to firmware and kernel: at best the state is dropped, at worst one bit reads
    as another. In 2014 bit 0x200, reversed, was SLEEP_ENABLED.

Example
    extends: power9
    override:
      stop4: {flags: [0x00702000]}

Use instead
    -   stop4: {flags: [0x00702000]}
    +   stop4: {flags: [0x00207000]}

Ground
    skiboot 7f73dfca2 (flags made endian-safe); Devicetree Specification, section 2.2.4, u32.

IS312 flags-not-monotone-in-level: a deeper state claims to lose less than a shallower one.

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

IS313 dec-stop-against-timebase-stop: only one of DEC_STOP and TIMEBASE_STOP is set.

What it does
    Compares the two flags of each state.

Why is this bad
    The decrementer counts timebase ticks, so both stop together. Linux reads TIMEBASE_STOP
    alone: without it, a state whose decrementer stops is used with no other timer to wake it.
    All tables set both or neither.

Example
    extends: power9
    override:
      stop8:
        flags: [DEC_STOP, LOSE_USER_CONTEXT, LOSE_HYP_CONTEXT, LOSE_FULL_CONTEXT, STOP_INST_DEEP]

Use instead
    -     flags: [DEC_STOP, LOSE_USER_CONTEXT, LOSE_HYP_CONTEXT, LOSE_FULL_CONTEXT, STOP_INST_DEEP]
    +     flags: [DEC_STOP, TIMEBASE_STOP, LOSE_USER_CONTEXT, LOSE_HYP_CONTEXT,
    +             LOSE_FULL_CONTEXT, STOP_INST_DEEP]

Ground
    skiboot include/opal-api.h OPAL_PM_DEC_STOP, OPAL_PM_TIMEBASE_STOP; Linux
    drivers/cpuidle/cpuidle-powernv.c powernv_add_idle_states(), CPUIDLE_FLAG_TIMER_STOP.

IS328 incomplete-context-loss: a state loses more context without losing less.

What it does
    Expects LOSE_HYP_CONTEXT wherever LOSE_FULL_CONTEXT is set, LOSE_USER_CONTEXT wherever
    LOSE_HYP_CONTEXT is, and LOSE_USER_CONTEXT on every nap, sleep and winkle. Words with
    context-loss bits of 2014 are left to IS310.

Why is this bad
    The three are steps: user registers go first, hypervisor registers next, the rest of the core
    last. A step left out says that deeper state is lost while shallower survives, which no
    hardware does; a reader that restores by these flags leaves that step out as well. Before
    POWER9 there is no state that keeps user context.

Example
    extends: power9
    override:
      stop4: {flags: [LOSE_USER_CONTEXT, LOSE_FULL_CONTEXT, STOP_INST_DEEP]}

Use instead
    -   stop4: {flags: [LOSE_USER_CONTEXT, LOSE_FULL_CONTEXT, STOP_INST_DEEP]}
    +   stop4: {flags: [LOSE_USER_CONTEXT, LOSE_HYP_CONTEXT, LOSE_FULL_CONTEXT, STOP_INST_DEEP]}

Ground
    skiboot include/opal-api.h OPAL_PM_LOSE_* ("restore GPRs like nap" is the first step); every
    table in skiboot's history that sets one step sets those before it.

IS333 timebase-flag-against-level: TIMEBASE_STOP is set or missing against the hardware.

What it does
    Compares TIMEBASE_STOP with the stop level from which the processor's timebase and decrementer
    stop: 8 on POWER9. A state that cannot reach that level, by RL and MTL, must not have the flag;
    a state with ESL=1 that requests it must. Not reported for processors with an unknown level
    (POWER10, POWER11), and for Mambo's table, whose deep rows no machine sees (IS322).

Why is this bad
    A flag too many makes Linux give up the CPU's own timer in that state, so that another CPU has
    to wake it by broadcast; and the first thread of a core that wakes resynchronises the timebase
    through OPAL, at every level from there on. A flag missing leaves a CPU asleep with a stopped
    decrementer and no other timer to wake it.

Example
    extends: power9
    override:
      stop4:
        flags: [DEC_STOP, TIMEBASE_STOP, LOSE_USER_CONTEXT, LOSE_HYP_CONTEXT,
                LOSE_FULL_CONTEXT, STOP_INST_DEEP]

Use instead
    -     flags: [DEC_STOP, TIMEBASE_STOP, LOSE_USER_CONTEXT, LOSE_HYP_CONTEXT,
    -             LOSE_FULL_CONTEXT, STOP_INST_DEEP]
    +     flags: [LOSE_USER_CONTEXT, LOSE_HYP_CONTEXT, LOSE_FULL_CONTEXT, STOP_INST_DEEP]

Ground
    skiboot 58913880c took both timebase flags from POWER9's stop4: the core loses neither the
    decrementer nor the timebase there. POWER9's microcode tells a thread that wakes from levels 4
    to 7 the same (open-power/hcode, stop_cme/p9_cme_stop_exit.c,
    SOME_STATE_LOSS_BUT_NOT_TIMEBASE), and from 8 on MOST_STATE_LOSS. Linux
    arch/powerpc/platforms/powernv/idle.c power9_idle_stop(), pnv_first_tb_loss_level;
    drivers/cpuidle/cpuidle-powernv.c, CPUIDLE_FLAG_TIMER_STOP.
"""

from bisect import bisect_left
from itertools import pairwise

from ...base.model.table import KNOWN_FLAGS, Flag
from ...base.wording import joined
from .is3_control import (
    FLAGS_OF_2014,
    POWER8_CLASSES,
    claimed_cpu,
    effective_psscr,
    flags_text,
    home,
    swapped_flags,
)
from .rows import StateRow, every_row, opal_rows, psscr_rows
from .rule import Rule, Severity, Subject, Verdicts

UNKNOWN = Rule("IS310", "unknown-flag-bits", Severity.ERROR, requires=("IS311",))
SWAPPED = Rule("IS311", "byte-swapped-flags", Severity.ERROR)
UNEVEN = Rule("IS312", "flags-not-monotone-in-level", Severity.WARNING, requires=("IS311", "IS315"))
DEC_STOP = Rule("IS313", "dec-stop-against-timebase-stop", Severity.WARNING, requires=("IS311",))
LOSSES = Rule("IS328", "incomplete-context-loss", Severity.WARNING, requires=("IS311", "IS315"))
TIMEBASE = Rule(
    "IS333",
    "timebase-flag-against-level",
    Severity.WARNING,
    requires=("IS304", "IS306", "IS311", "IS313", "IS319"),
)
RULES = (UNKNOWN, SWAPPED, UNEVEN, DEC_STOP, LOSSES, TIMEBASE)
_SHOWN = 4


@UNKNOWN.of_each(every_row)
def check_bits(row: StateRow) -> Verdicts:
    unknown = row.state.flags & ~KNOWN_FLAGS
    if not unknown or swapped_flags(row.subject, row.state) is not None:
        return
    old = unknown & FLAGS_OF_2014
    hint = f"; {old:#x} are context-loss bits of 2014, today {old << 4:#x}" if old else ""
    found = f"undefined bits {unknown:#x} in flags {row.state.flags:#010x}{hint}"
    yield row.verdict("flags", f"{row.name} has {found}")


@SWAPPED.of_each(opal_rows)
def check_order(row: StateRow) -> Verdicts:
    swapped = swapped_flags(row.subject, row.state)
    if swapped is not None:
        yield row.verdict(
            "flags",
            f"{row.name}'s flags {row.state.flags:#010x} make no sense, with their bytes reversed "
            f"they are {flags_text(swapped)}",
        )


@UNEVEN.of_table
def check_levels(subject: Subject) -> Verdicts:
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
        row = every_row(subject)[index]
        rows = [every_row(subject)[other] for _, other in against]
        names = joined([f"{other.name} ({other.state.level})" for other in rows])
        yield row.verdict(
            "flags",
            f"{row.name} (level {level}) {problem}: {names}",
            related=[(other.at("flags"), other.name) for other in rows],
        )


@DEC_STOP.of_each(every_row)
def check_dec_stop(row: StateRow) -> Verdicts:
    found, missing = Flag.DEC_STOP, Flag.TIMEBASE_STOP
    if row.state.has(missing):
        found, missing = missing, found
    if row.state.has(found) and not row.state.has(missing):
        yield row.verdict("flags", f"{row.name} has {found.name} without {missing.name}")


@LOSSES.of_each(every_row)
def check_losses(row: StateRow) -> Verdicts:
    state = row.state
    if state.flags & FLAGS_OF_2014:
        return
    steps = (Flag.LOSE_FULL_CONTEXT, Flag.LOSE_HYP_CONTEXT, Flag.LOSE_USER_CONTEXT)
    for more, less in pairwise(steps):
        if state.has(more) and not state.has(less):
            yield row.verdict("flags", f"{row.name} has {more.name} without {less.name}")
    if state.flags & POWER8_CLASSES and not state.has(Flag.LOSE_USER_CONTEXT):
        missing = "no LOSE_USER_CONTEXT, which nap, sleep and winkle all lose"
        yield row.verdict("flags", f"{row.name} has {missing}")


@TIMEBASE.of_each(psscr_rows)
def check_timebase(row: StateRow) -> Verdicts:
    cpu = claimed_cpu(row.subject)
    stops_from = cpu.processor.timebase_stops_from if cpu else None
    if cpu is None or stops_from is None or home(row.subject).quirk == "mambo":
        return
    psscr = effective_psscr(row.state)
    has = row.state.has(Flag.TIMEBASE_STOP)
    if has and max(psscr.rl, psscr.mtl) < stops_from:
        problem = f"has TIMEBASE_STOP, but {cpu.generation}'s timebase runs on below level"
    elif not has and psscr.esl and psscr.rl >= stops_from:
        problem = f"lacks TIMEBASE_STOP, but {cpu.generation}'s timebase stops from level"
    else:
        return
    yield row.verdict("flags", f"{row.name} (level {row.state.level}) {problem} {stops_from}")
