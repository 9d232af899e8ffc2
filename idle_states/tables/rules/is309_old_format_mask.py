"""IS309 old-format-mask: a PSSCR mask of 0xf, the format of 2016.

What it does
    Looks for stop states whose mask is exactly 0xf.

Why is this bad
    Linux takes such a mask for old firmware and sets ESL, EC, PSLL, TR and MTL itself, all to
    their greatest values. No lite state can be described this way, and MTL=15 lets the hardware
    go deeper than the state's flags admit.

Example
    extends: power9
    override:
      stop1: {mask: [rl]}

Use instead
    -   stop1: {mask: [rl]}
    +   stop1: {mask: [rl, mtl, tr, ec, esl]}

Ground
    Linux arch/powerpc/platforms/powernv/idle.c validate_psscr_val_mask(); skiboot left the
    format with 739063fb7.
"""

from ..linux.stop_choice import OLD_FORMAT_MASK
from .is3_control import effective_psscr
from .rows import StateRow, psscr_rows
from .rule import Rule, Severity, Verdicts

RULE = Rule("IS309", "old-format-mask", Severity.WARNING)


@RULE.of_each(psscr_rows)
def check(row: StateRow) -> Verdicts:
    if row.state.mask == OLD_FORMAT_MASK:
        entered = f"{int(effective_psscr(row.state)):#x} instead of {row.state.control:#x}"
        message = f"{row.name} has the mask 0xf of old firmware, so Linux enters it with PSSCR"
        yield row.verdict("mask", f"{message} {entered}")
