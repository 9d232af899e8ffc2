"""IS324 unusual-psscr-field: TR is not 3, or bits beside the five fields of a state are touched.

What it does
    Expects TR=3 in each PSSCR value, and nothing but RL, MTL, TR, EC and ESL in value and mask.
    A mask of 0xf is left out.

Why is this bad
    TR sets how fast the hardware moves from RL to MTL; every table has had the same value since
    there is one. PSLL limits what a guest may ask for, SD controls what PLS shows; the rest is
    status or reserved. A state that writes them changes more than itself.

Example
    extends: power9
    override:
      stop4: {psscr: {rl: 4, mtl: 7, tr: 1, ec: 1, esl: 1}}

Use instead
    extends: power9
    override:
      stop4: {psscr: {rl: 4, mtl: 7, tr: 3, ec: 1, esl: 1}}

Ground
    Power ISA 3.0B, PSSCR; skiboot include/opal-api.h OPAL_PM_PSSCR_MASK, all tables since
    739063fb7.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from ..table import PSSCR_MASK, field_mask
from .is3_control import stop_rows
from .rule import Rule

RULE = Rule("IS324", "unusual-psscr-field", Severity.WARNING)
_USUAL_TR = 3
_PSLL = field_mask(["psll"])


def check(subject: Subject) -> Iterator[Finding]:
    for index, state in stop_rows(subject):
        psscr = state.psscr
        if psscr.tr != _USUAL_TR:
            yield RULE.finding(
                subject,
                f"{state.name} has TR={psscr.tr}; every table so far has TR={_USUAL_TR}",
                subject.at(index, "control.tr"),
            )
        for what, value, field in (
            ("PSSCR value", state.control, "control"),
            ("mask", state.mask, "mask"),
        ):
            extra = value & ~PSSCR_MASK
            if extra:
                also = " (PSLL)" if not extra & ~_PSLL else ""
                yield RULE.finding(
                    subject,
                    f"{state.name}'s {what} {value:#x} has bits {extra:#x}{also} beside RL, MTL, "
                    "TR, EC and ESL",
                    subject.at(index, field),
                )
