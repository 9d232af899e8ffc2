"""IS303 user-context-flag-against-esl: LOSE_USER_CONTEXT and the ESL bit contradict each other.

What it does
    Compares LOSE_USER_CONTEXT with ESL of the PSSCR value: the state loses user context if and
    only if ESL=1. A mask of 0xf is left out: there the value has no ESL bit of its own.

Why is this bad
    The flag is the tree's promise to the operating system, the bit is what the processor does.
    One that believes the flag loses registers it did not save, or saves them for nothing. Linux
    goes by the bit, so the mistake stays unseen until something else reads the tree.

Example
    extends: power9
    override:
      stop0: {flags: [STOP_INST_FAST]}

Use instead
    -   stop0: {flags: [STOP_INST_FAST]}
    +   stop0: {flags: [LOSE_USER_CONTEXT, STOP_INST_FAST]}

Ground
    Power ISA 3.0B, PSSCR, ESL. skiboot 739063fb7 had it wrong for stop0, stop1_lite and
    stop2_lite; e65cecd71 corrected them.
"""

from ...base.model.table import Flag
from .is3_control import stop_rows
from .rows import StateRow
from .rule import Rule, Severity, Verdicts

RULE = Rule("IS303", "user-context-flag-against-esl", Severity.ERROR, requires=("IS311",))


@RULE.of_each(stop_rows)
def check(row: StateRow) -> Verdicts:
    esl = row.state.psscr.esl
    if row.state.has(Flag.LOSE_USER_CONTEXT) != bool(esl):
        found = "lacks LOSE_USER_CONTEXT" if esl else "has LOSE_USER_CONTEXT"
        yield row.verdict(
            "flags",
            f"{row.name} {found}, but ESL={esl} in PSSCR {row.state.control:#x}",
            related=[(row.at("control.esl"), f"ESL={esl} is here")],
        )
