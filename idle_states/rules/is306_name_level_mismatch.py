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
    extends: power9
    override:
      stop4: {psscr: {rl: 4, mtl: 7, tr: 3, ec: 1, esl: 1}}

Ground
    skiboot hw/slw.c add_cpu_idle_state_properties() takes the level from PSSCR alone (since
    0500d504b). Every table in skiboot's history keeps to these names.
"""

import re
from collections.abc import Iterator

from ..findings import Confidence, Finding, Severity
from ..linux.stop_choice import OLD_FORMAT_MASK
from ..patterns import pattern
from ..pipeline import Subject
from ..table import Flag, IdleState
from .is3_control import POWER8_CLASSES, SLEEP_CLASSES, flags_text
from .rule import Rule

RULE = Rule("IS306", "name-level-mismatch", Severity.ERROR, requires=("IS108",))
_STOP = pattern(r"stop(0|[1-9][0-9]?)(_lite)?", re.ASCII)
_NAME2CLASS = {
    "nap": int(Flag.NAP_ENABLED),
    "fastsleep": SLEEP_CLASSES,
    "fastsleep_": SLEEP_CLASSES,
    "winkle": int(Flag.WINKLE_ENABLED),
}


def check(subject: Subject) -> Iterator[Finding]:
    if not subject.is_opal:
        return
    for index, state in enumerate(subject.table.states):
        if subject.is_stop:
            yield from _check_stop(subject, index, state)
        else:
            yield from _check_class(subject, index, state)


def _check_stop(subject: Subject, index: int, state: IdleState) -> Iterator[Finding]:
    match = _STOP.fullmatch(state.name)
    if not match:
        yield _other_form(subject, index, state, "stopN or stopN_lite")
        return
    if int(match[1]) != state.level:
        yield RULE.finding(
            subject,
            f"{state.name} requests level {state.level} (PSSCR {state.control:#x})",
            subject.at(index, "control.rl"),
            related=[(subject.at(index, "name"), "named here")],
        )
    esl = state.psscr.esl
    if state.mask != OLD_FORMAT_MASK and bool(match[2]) == bool(esl):
        meaning = "a lite state loses nothing" if esl else "that is a lite state"
        yield RULE.finding(
            subject,
            f"{state.name} has ESL={esl} in PSSCR {state.control:#x}; {meaning}",
            subject.at(index, "control.esl"),
            severity=Severity.WARNING,
        )


def _check_class(subject: Subject, index: int, state: IdleState) -> Iterator[Finding]:
    expected = _NAME2CLASS.get(state.name)
    if expected is None:
        yield _other_form(subject, index, state, "nap, fastsleep_ or winkle")
    elif state.flags & POWER8_CLASSES & ~expected:
        yield RULE.finding(
            subject,
            f"{state.name} has the flags of another class: {flags_text(state.flags)}",
            subject.at(index, "flags"),
        )


def _other_form(subject: Subject, index: int, state: IdleState, expected: str) -> Finding:
    return RULE.finding(
        subject,
        f"expected a name such as {expected}, found {state.name!a}",
        subject.at(index, "name"),
        severity=Severity.WARNING,
        confidence=Confidence.MEDIUM,
    )
