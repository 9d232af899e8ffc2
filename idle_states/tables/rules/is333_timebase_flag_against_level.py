"""IS333 timebase-flag-against-level: TIMEBASE_STOP is set or missing against the hardware.

What it does
    Compares TIMEBASE_STOP with the stop level from which the processor's timebase and decrementer
    stop: 8 on POWER9. A state that cannot reach that level, by RL and MTL, must not have the flag;
    a state with ESL=1 that requests it must. Silent for processors of which the level is not
    known (POWER10, POWER11), and for Mambo's table, whose deep rows no machine sees (IS322).

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

from ...base.model.table import Flag
from .is3_control import claimed_cpu, effective_psscr, home
from .rows import StateRow, psscr_rows
from .rule import Rule, Severity, Verdicts

RULE = Rule(
    "IS333",
    "timebase-flag-against-level",
    Severity.WARNING,
    requires=("IS304", "IS306", "IS311", "IS313", "IS319"),
)


@RULE.of_each(psscr_rows)
def check(row: StateRow) -> Verdicts:
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
