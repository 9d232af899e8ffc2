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
    -   stop4: {psscr: {rl: 4, mtl: 7, tr: 1, ec: 1, esl: 1}}
    +   stop4: {psscr: {rl: 4, mtl: 7, tr: 3, ec: 1, esl: 1}}

Ground
    Power ISA 3.0B, PSSCR; skiboot include/opal-api.h OPAL_PM_PSSCR_MASK, all tables since
    739063fb7.
"""

from ...base.model.table import PSSCR_MASK, field_mask
from .is3_control import stop_rows
from .rows import StateRow
from .rule import Rule, Severity, Verdicts

RULE = Rule("IS324", "unusual-psscr-field", Severity.WARNING)

_USUAL_TR = 3
_PSLL = field_mask(["psll"])


@RULE.of_each(stop_rows)
def check_tr(row: StateRow) -> Verdicts:
    tr = row.state.psscr.tr
    if tr != _USUAL_TR:
        message = f"{row.name} has TR={tr}; every table so far has TR={_USUAL_TR}"
        yield row.verdict("control.tr", message)


@RULE.of_each(stop_rows)
def check_other_bits(row: StateRow) -> Verdicts:
    for field, kind, value in (
        ("control", "PSSCR value", row.state.control),
        ("mask", "mask", row.state.mask),
    ):
        extra = value & ~PSSCR_MASK
        if extra:
            also = " (PSLL)" if not extra & ~_PSLL else ""
            found = f"{kind} {value:#x} has bits {extra:#x}{also} beside RL, MTL, TR, EC and ESL"
            yield row.verdict(field, f"{row.name}'s {found}")
