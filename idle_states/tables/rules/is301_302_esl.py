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
RULES = (UNEQUAL, CLEARED)


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
