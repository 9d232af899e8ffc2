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
    extends: power9
    override:
      stop1: {mask: [rl, mtl, tr, ec, esl]}

Ground
    Linux arch/powerpc/platforms/powernv/idle.c validate_psscr_val_mask(); skiboot left the
    format with 739063fb7.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..linux.stop_choice import OLD_FORMAT_MASK
from ..pipeline import Subject
from .is3_control import effective_psscr
from .rule import Rule

RULE = Rule("IS309", "old-format-mask", Severity.WARNING)


def check(subject: Subject) -> Iterator[Finding]:
    if not subject.is_stop:
        return
    for index, state in enumerate(subject.table.states):
        if state.mask == OLD_FORMAT_MASK:
            yield RULE.finding(
                subject,
                f"{state.name} has the mask 0xf of old firmware, so Linux enters it with PSSCR "
                f"{int(effective_psscr(state)):#x} instead of {state.control:#x}",
                subject.at(index, "mask"),
            )
