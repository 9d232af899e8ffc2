"""IS308 incomplete-mask: a PSSCR mask does not cover all of RL, MTL, TR, EC and ESL.

What it does
    Compares each mask with 0x3003ff, the five fields that every stop state must set. A mask of
    0xf is left to IS309.

Why is this bad
    Linux writes PSSCR as (old & ~mask) | value. A field outside the mask keeps what the last
    state left there: a lite state entered after stop4 would still have ESL=1.

Example
    extends: power9
    override:
      stop2: {mask: [rl, tr, ec, esl], psscr: {rl: 2, tr: 3, ec: 1, esl: 1}}

Use instead
    extends: power9
    override:
      stop2: {mask: [rl, mtl, tr, ec, esl]}

Ground
    skiboot include/opal-api.h OPAL_PM_PSSCR_MASK, all states since 739063fb7; Linux
    arch/powerpc/platforms/powernv/idle.c arch300_idle_type().
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from ..table import PSSCR_MASK, Psscr, field_mask
from ..wording import joined
from .is3_control import stop_rows
from .rule import Rule

RULE = Rule("IS308", "incomplete-mask", Severity.ERROR)


def check(subject: Subject) -> Iterator[Finding]:
    for index, state in stop_rows(subject):
        missing = PSSCR_MASK & ~state.mask
        if missing:
            fields = [name.upper() for name in Psscr.FIELDS if missing & field_mask([name])]
            yield RULE.finding(
                subject,
                f"{state.name}'s mask {state.mask:#x} lacks {missing:#x} of {joined(fields)}; "
                f"expected {PSSCR_MASK:#x}",
                subject.at(index, "mask"),
            )
