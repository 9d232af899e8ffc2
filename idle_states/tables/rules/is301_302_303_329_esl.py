"""IS301 esl-ec-mismatch: the ESL and EC bits of a PSSCR value are not equal.

What it does
    Compares ESL (bit 42) and EC (bit 43) of each PSSCR value. A mask of 0xf is left out: there
    the kernel fills in both bits.

Why is this bad
    Linux wants both bits or neither. It logs "Invalid psscr 0x... : ESL,EC bits unequal" and
    uses the state neither for idle nor for offlined CPUs.

Example
    extends: power9
    override:
      stop1: {psscr: {rl: 1, mtl: 3, tr: 3, ec: 1}}

Use instead
    -   stop1: {psscr: {rl: 1, mtl: 3, tr: 3, ec: 1}}
    +   stop1: {psscr: {rl: 1, mtl: 3, tr: 3, ec: 1, esl: 1}}

Ground
    Linux arch/powerpc/platforms/powernv/idle.c validate_psscr_val_mask(), since 09206b600c76
    (4.11).

IS302 full-context-loss-without-esl: a state loses full context, but its PSSCR has ESL=0.

What it does
    Looks for LOSE_FULL_CONTEXT on states whose PSSCR leaves enable-state-loss off. A mask of
    0xf is left out: there the kernel sets ESL.

Why is this bad
    With ESL=0 the processor keeps all state, so it can never reach a level that loses it. Linux
    logs "Invalid psscr 0x... : ESL cleared for deep stop-state" and drops the state.

Example
    extends: power9
    override:
      stop4: {psscr: {rl: 4, mtl: 7, tr: 3}}

Use instead
    -   stop4: {psscr: {rl: 4, mtl: 7, tr: 3}}
    +   stop4: {psscr: {rl: 4, mtl: 7, tr: 3, ec: 1, esl: 1}}

Ground
    Linux arch/powerpc/platforms/powernv/idle.c validate_psscr_val_mask(), since 09206b600c76
    (4.11).

IS303 user-context-flag-against-esl: LOSE_USER_CONTEXT and the ESL bit contradict each other.

What it does
    Compares LOSE_USER_CONTEXT with ESL of the PSSCR value: the state loses user context if and
    only if ESL=1. A mask of 0xf is left out: there the value has no ESL bit of its own.

Why is this bad
    The flag is the tree's promise to the operating system, the bit is what the processor does.
    One that believes the flag loses registers it did not save, or saves them for nothing. Linux
    goes by the bit, so the mistake stays unseen until something else reads the tree.

Example
    extends: power9
    override:
      stop0: {flags: [STOP_INST_FAST]}

Use instead
    -   stop0: {flags: [STOP_INST_FAST]}
    +   stop0: {flags: [LOSE_USER_CONTEXT, STOP_INST_FAST]}

Ground
    Power ISA 3.0B, PSSCR, ESL. skiboot 739063fb7 had it wrong for stop0, stop1_lite and
    stop2_lite; e65cecd71 corrected them.

IS329 lite-state-above-level-0: a state keeps all context at a level that could power down more.

What it does
    Notes stop states with ESL=0 and RL above 0. A mask of 0xf is left out.

Why is this bad
    With ESL=0 the thread keeps its SMT resources, so its siblings run no faster, and on POWER9
    the core goes no deeper than stop2. Beyond stop0_lite such states gain next to nothing:
    skiboot had stop1_lite and stop2_lite within 2 % of stop1 and stop2, and removed them.

Example
    extends: power9-dd1

Use instead
    extends: power9-dd1
    drop: [stop1_lite]

Ground
    skiboot 34e9c3c1e. The last DD1 table still has stop1_lite, as stop1 is not for cpuidle there.
"""

from ...base.model.table import Flag
from .is3_control import stop_rows
from .rows import StateRow
from .rule import Rule, Severity, Verdicts

UNEQUAL = Rule(
    "IS301",
    "esl-ec-mismatch",
    Severity.ERROR,
    aliases=("linux:Invalid psscr : ESL,EC bits unequal",),
)
CLEARED = Rule(
    "IS302",
    "full-context-loss-without-esl",
    Severity.ERROR,
    aliases=("linux:Invalid psscr : ESL cleared for deep stop-state",),
    requires=("IS301",),
)
FLAG = Rule("IS303", "user-context-flag-against-esl", Severity.ERROR, requires=("IS311",))
LITE = Rule("IS329", "lite-state-above-level-0", Severity.NOTE, requires=("IS301", "IS306"))
RULES = (UNEQUAL, CLEARED, FLAG, LITE)


@UNEQUAL.of_each(stop_rows)
def check_unequal(row: StateRow) -> Verdicts:
    psscr = row.state.psscr
    if psscr.esl != psscr.ec:
        bits = f"ESL={psscr.esl} and EC={psscr.ec} in PSSCR {row.state.control:#x}"
        message = f"{row.name} has {bits}; Linux accepts both bits or neither"
        yield row.verdict("control.esl", message)


@CLEARED.of_each(stop_rows)
def check_cleared(row: StateRow) -> Verdicts:
    if row.state.has(Flag.LOSE_FULL_CONTEXT) and not row.state.psscr.esl:
        found = f"LOSE_FULL_CONTEXT and ESL=0 in PSSCR {row.state.control:#x}"
        yield row.verdict("control.esl", f"{row.name} has {found}; Linux drops the state")


@FLAG.of_each(stop_rows)
def check_flag(row: StateRow) -> Verdicts:
    esl = row.state.psscr.esl
    if row.state.has(Flag.LOSE_USER_CONTEXT) != bool(esl):
        found = "lacks LOSE_USER_CONTEXT" if esl else "has LOSE_USER_CONTEXT"
        yield row.verdict(
            "flags",
            f"{row.name} {found}, but ESL={esl} in PSSCR {row.state.control:#x}",
            related=[(row.at("control.esl"), f"ESL={esl} is here")],
        )


@LITE.of_each(stop_rows)
def check_lite(row: StateRow) -> Verdicts:
    if not row.state.psscr.esl and row.state.level:
        outcome = "so the thread holds on to its SMT resources"
        message = f"{row.name} requests level {row.state.level} with ESL=0, {outcome}"
        yield row.verdict("control.esl", message)
