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
    extends: power9
    override:
      stop1: {psscr: {rl: 1, mtl: 3, tr: 3, ec: 1, esl: 1}}

Ground
    Linux arch/powerpc/platforms/powernv/idle.c validate_psscr_val_mask(), since 09206b600c76
    (4.11).
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from .is3_control import stop_rows
from .rule import Rule

RULE = Rule(
    "IS301",
    "esl-ec-mismatch",
    Severity.ERROR,
    aliases=("linux:Invalid psscr : ESL,EC bits unequal",),
)


def check(subject: Subject) -> Iterator[Finding]:
    for index, state in stop_rows(subject):
        psscr = state.psscr
        if psscr.esl != psscr.ec:
            yield RULE.finding(
                subject,
                f"{state.name} has ESL={psscr.esl} and EC={psscr.ec} in PSSCR "
                f"{state.control:#x}; Linux accepts both bits or neither",
                subject.at(index, "control.esl"),
            )
