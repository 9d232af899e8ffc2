"""IS302 full-context-loss-without-esl: a state loses full context, but its PSSCR has ESL=0.

What it does
    Looks for LOSE_FULL_CONTEXT on states whose PSSCR leaves enable-state-loss off. A mask of
    0xf is left out: there the kernel sets ESL.

Why is this bad
    With ESL=0 the processor keeps all state, so it can never reach a level that loses it. Linux
    logs "Invalid psscr 0x... : ESL cleared for deep stop-state" and drops the state.

Example
    extends: power9
    override:
      stop4: {psscr: {rl: 4, mtl: 7, tr: 3}}

Use instead
    extends: power9
    override:
      stop4: {psscr: {rl: 4, mtl: 7, tr: 3, ec: 1, esl: 1}}

Ground
    Linux arch/powerpc/platforms/powernv/idle.c validate_psscr_val_mask(), since 09206b600c76
    (4.11).
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from ..table import Flag
from .is3_control import stop_rows
from .rule import Rule

RULE = Rule(
    "IS302",
    "full-context-loss-without-esl",
    Severity.ERROR,
    aliases=("linux:Invalid psscr : ESL cleared for deep stop-state",),
    requires=("IS301",),
)


def check(subject: Subject) -> Iterator[Finding]:
    for index, state in stop_rows(subject):
        if state.has(Flag.LOSE_FULL_CONTEXT) and not state.psscr.esl:
            yield RULE.finding(
                subject,
                f"{state.name} has LOSE_FULL_CONTEXT and ESL=0 in PSSCR {state.control:#x}; "
                "Linux drops the state",
                subject.at(index, "control.esl"),
            )
