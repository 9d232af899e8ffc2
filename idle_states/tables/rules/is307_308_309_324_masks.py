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
    -   stop1: {mask: [rl, mtl, tr, ec]}
    +   stop1: {mask: [rl, mtl, tr, ec, esl]}

Ground
    Linux arch/powerpc/platforms/powernv/idle.c arch300_idle_type() (power9_idle_type() before
    POWER10), in C since 10d91611f426 (5.2).

IS308 incomplete-mask: a PSSCR mask does not cover all of RL, MTL, TR, EC and ESL.

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
    -   stop2: {mask: [rl, tr, ec, esl], psscr: {rl: 2, tr: 3, ec: 1, esl: 1}}
    +   stop2: {mask: [rl, mtl, tr, ec, esl]}

Ground
    skiboot include/opal-api.h OPAL_PM_PSSCR_MASK, all states since 739063fb7; Linux
    arch/powerpc/platforms/powernv/idle.c arch300_idle_type().

IS309 old-format-mask: a PSSCR mask of 0xf, the format of 2016.

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

IS324 unusual-psscr-field: TR is not 3, or bits beside the five fields of a state are touched.

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

from ...base.dataclass import replace
from ...base.model.table import PSSCR_MASK, IdleState, Psscr, field_mask
from ...base.patterns import pattern
from ...base.wording import joined
from ..linux.stop_choice import OLD_FORMAT_MASK
from .is3_control import effective_psscr, stop_rows
from .rows import StateRow, psscr_rows
from .rule import Remedy, Rule, Severity, Verdicts

_LIST = pattern(r"\[([^\]\[\n]*)\]")
_NUMBER = pattern(r"0[xX][0-9a-fA-F]+")
_USUAL_TR = 3
_PSLL = field_mask(["psll"])


def completed(state: IdleState) -> IdleState:
    """Returns a row whose mask covers all five fields. A value outside of them is left: the fault
    may be the value's."""
    mask = state.mask | PSSCR_MASK
    return state if state.control & ~mask else replace(state, mask=mask)


def respelt(text: str, state: IdleState, wanted: IdleState) -> str | None:
    """Returns a text that begins with a mask, as a list of fields or a number, with its missing
    bits."""
    if match := _LIST.match(text):
        missing = wanted.mask & ~state.mask
        names = [name for name in Psscr.FIELDS if missing & field_mask([name])]
        listed = [name.strip() for name in match[1].split(",") if name.strip()]
        return f"[{', '.join([*listed, *names])}]{text[match.end() :]}"
    if match := _NUMBER.match(text):
        return f"{wanted.mask:#x}{text[match.end() :]}"
    return None


_MASK = Remedy("mask", completed, respelt)
OUTSIDE = Rule("IS307", "value-outside-mask", Severity.ERROR, requires=("IS308",), remedy=_MASK)
INCOMPLETE = Rule("IS308", "incomplete-mask", Severity.ERROR, remedy=_MASK)
OLD_FORMAT = Rule("IS309", "old-format-mask", Severity.WARNING)
UNUSUAL = Rule("IS324", "unusual-psscr-field", Severity.WARNING)
RULES = (OUTSIDE, INCOMPLETE, OLD_FORMAT, UNUSUAL)


@OUTSIDE.of_each(stop_rows)
def check_value(row: StateRow) -> Verdicts:
    control, mask = row.state.control, row.state.mask
    outside = control & ~mask
    if outside:
        yield row.verdict(
            "mask",
            f"{row.name} sets bits {outside:#x} of PSSCR, which its mask {mask:#x} does not cover",
            related=[(row.at("control"), f"the value {control:#x}")],
        )


@INCOMPLETE.of_each(stop_rows)
def check_mask(row: StateRow) -> Verdicts:
    mask = row.state.mask
    missing = PSSCR_MASK & ~mask
    if missing:
        fields = [name.upper() for name in Psscr.FIELDS if missing & field_mask([name])]
        yield row.verdict(
            "mask",
            f"{row.name}'s mask {mask:#x} lacks {missing:#x} of {joined(fields)}; expected "
            f"{PSSCR_MASK:#x}",
        )


@OLD_FORMAT.of_each(psscr_rows)
def check_format(row: StateRow) -> Verdicts:
    if row.state.mask == OLD_FORMAT_MASK:
        entered = f"{int(effective_psscr(row.state)):#x} instead of {row.state.control:#x}"
        message = f"{row.name} has the mask 0xf of old firmware, so Linux enters it with PSSCR"
        yield row.verdict("mask", f"{message} {entered}")


@UNUSUAL.of_each(stop_rows)
def check_tr(row: StateRow) -> Verdicts:
    tr = row.state.psscr.tr
    if tr != _USUAL_TR:
        message = f"{row.name} has TR={tr}; every table so far has TR={_USUAL_TR}"
        yield row.verdict("control.tr", message)


@UNUSUAL.of_each(stop_rows)
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
