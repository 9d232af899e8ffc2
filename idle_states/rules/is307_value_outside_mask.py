"""IS307 value-outside-mask: a PSSCR value has bits that its mask does not cover.

What it does
    Looks for bits that are 1 in the value and 0 in the mask. A mask of 0xf is left out: there
    the kernel replaces the mask.

Why is this bad
    Linux writes PSSCR as (old & ~mask) | value. A bit outside the mask gets in with this state,
    and no other state with the same mask ever clears it again.

Example
    extends: power9
    override:
      stop1: {mask: [rl, mtl, tr, ec]}

Use instead
    extends: power9
    override:
      stop1: {mask: [rl, mtl, tr, ec, esl]}

Ground
    Linux arch/powerpc/platforms/powernv/idle.c arch300_idle_type() (power9_idle_type() before
    POWER10), in C since 10d91611f426 (5.2).
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from .is3_control import stop_rows
from .rule import Rule

RULE = Rule("IS307", "value-outside-mask", Severity.ERROR, requires=("IS308",))


def check(subject: Subject) -> Iterator[Finding]:
    for index, state in stop_rows(subject):
        outside = state.control & ~state.mask
        if outside:
            yield RULE.finding(
                subject,
                f"{state.name} sets bits {outside:#x} of PSSCR, which its mask {state.mask:#x} "
                "does not cover",
                subject.at(index, "mask"),
                related=[(subject.at(index, "control"), f"the value {state.control:#x}")],
            )
