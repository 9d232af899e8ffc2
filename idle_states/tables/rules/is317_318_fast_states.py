"""IS317 no-fast-state: no state of a stop table has STOP_INST_FAST.

What it does
    Looks for at least one STOP_INST_FAST state in each table of POWER9 and later that has
    states.

Why is this bad
    The default stop state, which CPUs use before cpuidle takes over and whenever it is off, is
    the first valid FAST state. Without one Linux logs "No suitable default stop state found.
    Disabling platform idle." and idle CPUs spin. On a machine without a wakeup engine nothing is
    exported at all.

Example
    extends: power9
    drop: [stop0_lite, stop0, stop1, stop2]

Use instead
    extends: power9
    drop: [stop0_lite, stop1, stop2]

Ground
    Linux arch/powerpc/platforms/powernv/idle.c pnv_arch300_idle_init(); skiboot hw/slw.c
    add_cpu_idle_state_properties(), supported_states_mask.

IS318 first-fast-loses-full-context: the default stop state would lose full context.

What it does
    Takes the first STOP_INST_FAST state whose PSSCR Linux accepts, and looks whether it has
    LOSE_FULL_CONTEXT.

Why is this bad
    That state is the default stop. Every idle CPU enters it before cpuidle runs, with nothing
    arranged to restore it; Linux only warns (WARN_ON) and goes on.

Example
    extends: power9
    drop: [stop0_lite]
    override:
      stop0:
        flags: [LOSE_USER_CONTEXT, LOSE_HYP_CONTEXT, LOSE_FULL_CONTEXT, STOP_INST_FAST]

Use instead
    -   stop0:
    -     flags: [LOSE_USER_CONTEXT, LOSE_HYP_CONTEXT, LOSE_FULL_CONTEXT, STOP_INST_FAST]
    +   stop0: {flags: [LOSE_USER_CONTEXT, STOP_INST_FAST]}

Ground
    Linux arch/powerpc/platforms/powernv/idle.c pnv_arch300_idle_init(), WARN_ON on
    pnv_default_stop_val's state.
"""

from ...base.model.table import Flag
from .is3_control import effective_psscr
from .rows import StateRow, psscr_rows
from .rule import Rule, Severity, Subject, Verdict, Verdicts

NONE = Rule(
    "IS317",
    "no-fast-state",
    Severity.ERROR,
    aliases=("linux:No suitable default stop state found",),
)
LOSING = Rule("IS318", "first-fast-loses-full-context", Severity.ERROR, requires=("IS315",))
RULES = (NONE, LOSING)


@NONE.of_table
def check_any(subject: Subject) -> Verdicts:
    states = subject.table.states
    if not subject.is_stop or not states:
        return
    if not any(state.has(Flag.STOP_INST_FAST) for state in states):
        yield Verdict(
            subject.at(None, "states"),
            f"none of the {len(states)} states has STOP_INST_FAST, so there is no default stop "
            "state",
        )


@LOSING.of_table
def check_first(subject: Subject) -> Verdicts:
    row = next(filter(_is_default, psscr_rows(subject)), None)
    if row and row.state.has(Flag.LOSE_FULL_CONTEXT):
        yield row.verdict(
            "flags",
            f"{row.name} is the first STOP_INST_FAST state, hence the default stop, and has "
            "LOSE_FULL_CONTEXT",
        )


def _is_default(row: StateRow) -> bool:
    """Tells whether Linux takes a row as the default stop if it is the first such."""
    psscr = effective_psscr(row.state)
    valid = psscr.esl == psscr.ec and (psscr.esl or not row.state.has(Flag.LOSE_FULL_CONTEXT))
    return bool(valid) and row.state.has(Flag.STOP_INST_FAST)
