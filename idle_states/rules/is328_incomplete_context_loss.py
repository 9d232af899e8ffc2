"""IS328 incomplete-context-loss: a state loses more context without losing less.

What it does
    Expects LOSE_HYP_CONTEXT wherever LOSE_FULL_CONTEXT is set, LOSE_USER_CONTEXT wherever
    LOSE_HYP_CONTEXT is, and LOSE_USER_CONTEXT on every nap, sleep and winkle. Words with
    context-loss bits of 2014 are left to IS310.

Why is this bad
    The three are steps: user registers go first, hypervisor registers next, the rest of the core
    last. A step left out says that deeper state is lost while shallower survives, which no
    hardware does; a reader that restores by these flags leaves that step out as well. Before
    POWER9 there is no state that keeps user context.

Example
    extends: power9
    override:
      stop4: {flags: [LOSE_USER_CONTEXT, LOSE_FULL_CONTEXT, STOP_INST_DEEP]}

Use instead
    extends: power9
    override:
      stop4: {flags: [LOSE_USER_CONTEXT, LOSE_HYP_CONTEXT, LOSE_FULL_CONTEXT, STOP_INST_DEEP]}

Ground
    skiboot include/opal-api.h OPAL_PM_LOSE_* ("restore GPRs like nap" is the first step); every
    table in skiboot's history that sets one step sets those before it.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from ..table import Flag
from .is3_control import FLAGS_OF_2014, POWER8_CLASSES
from .rule import Rule

RULE = Rule("IS328", "incomplete-context-loss", Severity.WARNING, requires=("IS311", "IS315"))
_STEPS = (
    (Flag.LOSE_FULL_CONTEXT, Flag.LOSE_HYP_CONTEXT),
    (Flag.LOSE_HYP_CONTEXT, Flag.LOSE_USER_CONTEXT),
)


def check(subject: Subject) -> Iterator[Finding]:
    for index, state in enumerate(subject.table.states):
        if state.flags & FLAGS_OF_2014:
            continue
        missing = [
            f"{more.name} without {less.name}"
            for more, less in _STEPS
            if state.has(more) and not state.has(less)
        ]
        if state.flags & POWER8_CLASSES and not state.has(Flag.LOSE_USER_CONTEXT):
            missing.append("no LOSE_USER_CONTEXT, which nap, sleep and winkle all lose")
        for what in missing:
            yield RULE.finding(subject, f"{state.name} has {what}", subject.at(index, "flags"))
