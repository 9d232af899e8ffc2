"""IS306 name-level-mismatch: a state's name says something else than its control value or flags.

What it does
    Compares the number in stopN with RL, and the ending _lite with ESL=0. Before POWER9 it
    compares nap, fastsleep_ and winkle with the class flags. A name of another form is reported
    as a warning.

Why is this bad
    Firmware filters by RL and the kernel enters by PSSCR, but people, logs, sysfs and op-test go
    by the name. A copied row whose name was changed and whose RL was not is a second stop2 that
    calls itself stop4.

Example
    extends: power9
    override:
      stop4: {psscr: {rl: 2, mtl: 7, tr: 3, ec: 1, esl: 1}}

Use instead
    -   stop4: {psscr: {rl: 2, mtl: 7, tr: 3, ec: 1, esl: 1}}
    +   stop4: {psscr: {rl: 4, mtl: 7, tr: 3, ec: 1, esl: 1}}

Ground
    skiboot hw/slw.c add_cpu_idle_state_properties() takes the level from PSSCR alone (since
    0500d504b). Every table in skiboot's history keeps to these names.
"""

import re

from ...base.model.table import Flag
from ...base.patterns import pattern
from ..linux.stop_choice import OLD_FORMAT_MASK
from .is3_control import POWER8_CLASSES, SLEEP_CLASSES, flags_text
from .rows import StateRow, opal_rows, psscr_rows
from .rule import Confidence, Rule, Severity, Verdict, Verdicts

RULE = Rule("IS306", "name-level-mismatch", Severity.ERROR, requires=("IS108",), varies=True)

_STOP = pattern(r"stop(0|[1-9][0-9]?)(_lite)?", re.ASCII)
_NAME2CLASS = {
    "nap": int(Flag.NAP_ENABLED),
    "fastsleep": SLEEP_CLASSES,
    "fastsleep_": SLEEP_CLASSES,
    "winkle": int(Flag.WINKLE_ENABLED),
}


@RULE.of_each(psscr_rows)
def check_stop(row: StateRow) -> Verdicts:
    state = row.state
    match = _STOP.fullmatch(state.name)
    if not match:
        yield _other_form(row, "stopN or stopN_lite")
        return
    if int(match[1]) != state.level:
        yield row.verdict(
            "control.rl",
            f"{state.name} requests level {state.level} (PSSCR {state.control:#x})",
            related=[(row.at("name"), "named here")],
        )
    esl = state.psscr.esl
    if state.mask != OLD_FORMAT_MASK and bool(match[2]) == bool(esl):
        meaning = "a lite state loses nothing" if esl else "that is a lite state"
        message = f"{state.name} has ESL={esl} in PSSCR {state.control:#x}; {meaning}"
        yield row.verdict("control.esl", message, severity=Severity.WARNING)


@RULE.of_each(opal_rows)
def check_class(row: StateRow) -> Verdicts:
    if row.subject.is_stop:
        return
    expected, flags = _NAME2CLASS.get(row.name), row.state.flags
    if expected is None:
        yield _other_form(row, "nap, fastsleep_ or winkle")
    elif flags & POWER8_CLASSES & ~expected:
        message = f"{row.name} has the flags of another class: {flags_text(flags)}"
        yield row.verdict("flags", message)


def _other_form(row: StateRow, expected: str) -> Verdict:
    return row.verdict(
        "name",
        f"expected a name such as {expected}, found {row.name!a}",
        severity=Severity.WARNING,
        confidence=Confidence.MEDIUM,
    )
