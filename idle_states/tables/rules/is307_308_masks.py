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
"""

from ...base.dataclass import replace
from ...base.model.table import PSSCR_MASK, IdleState, Psscr, field_mask
from ...base.patterns import pattern
from ...base.wording import joined
from .is3_control import stop_rows
from .rows import StateRow
from .rule import Remedy, Rule, Severity, Verdicts

_LIST = pattern(r"\[([^\]\[\n]*)\]")
_NUMBER = pattern(r"0[xX][0-9a-fA-F]+")


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
RULES = (OUTSIDE, INCOMPLETE)


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
