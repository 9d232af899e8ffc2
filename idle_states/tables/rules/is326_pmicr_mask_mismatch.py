"""IS326 pmicr-mask-mismatch: a PMICR value and its mask do not belong together.

What it does
    Compares each pair with those skiboot defines: nothing; fast or deep sleep under the sleep
    mask 0x3000000000; fast or deep winkle under the winkle mask 0x300000. A value outside its
    mask is an error, any other pair a warning, and so is the sleep or winkle pair on a state of
    another class.

Why is this bad
    Linux does not read these properties, so nothing fails today; whatever starts to will write
    PMICR as they say. From 2014 to 2016 skiboot filled the mask from the value, and nobody
    noticed.

Example
    extends: power8
    override:
      fastsleep_: {pmicr: fastsleep, mask: 0x2000000000}

Use instead
    -   fastsleep_: {pmicr: fastsleep, mask: 0x2000000000}
    +   fastsleep_: {pmicr: fastsleep, mask: sleep}

Ground
    skiboot include/opal-api.h OPAL_PM_*_PMICR and OPAL_PM_*_PMICR_MASK; ae8584729 (mask filled
    from the value), 952daa69b (corrected).
"""

from collections.abc import Iterator

from ...base.model.table import PMICR_MASKS, PMICR_VALUES, Flag, IdleState, Register
from .is3_control import SLEEP_CLASSES
from .rows import StateRow, every_row
from .rule import Rule, Severity, Subject, Verdicts

RULE = Rule("IS326", "pmicr-mask-mismatch", Severity.WARNING, varies=True)

_SLEEP, _WINKLE = PMICR_MASKS["sleep"], PMICR_MASKS["winkle"]
_PAIRS = frozenset(
    {(0, 0)}
    | {(PMICR_VALUES[name], _SLEEP) for name in ("fastsleep", "deepsleep")}
    | {(PMICR_VALUES[name], _WINKLE) for name in ("fastwinkle", "deepwinkle")}
)
_MASK2CLASS = {_SLEEP: SLEEP_CLASSES, _WINKLE: int(Flag.WINKLE_ENABLED)}


def pmicr_rows(subject: Subject) -> Iterator[StateRow]:
    if subject.table.register is Register.PMICR:
        yield from every_row(subject)


@RULE.of_each(pmicr_rows)
def check(row: StateRow) -> Verdicts:
    control, mask = row.state.control, row.state.mask
    outside = control & ~mask
    if outside:
        found = f"bits {outside:#x} outside its mask {mask:#x}"
        message = f"{row.name}'s PMICR value {control:#x} has {found}"
        yield row.verdict("mask", message, severity=Severity.ERROR)
    elif problem := _problem(row.state):
        yield row.verdict("mask", f"{row.name} has {problem}")


def _problem(state: IdleState) -> str:
    pair = f"PMICR value {state.control:#x} with mask {state.mask:#x}"
    if (state.control, state.mask) not in _PAIRS:
        if state.control == state.mask:
            return f"{pair}: the mask looks filled from the value"
        return f"{pair}, no pair that skiboot defines"
    wanted = _MASK2CLASS.get(state.mask)
    if wanted and not state.flags & wanted:
        kind = "sleep" if state.mask == _SLEEP else "winkle"
        return f"{pair}, which is for {kind}, and is no {kind} state"
    return ""
