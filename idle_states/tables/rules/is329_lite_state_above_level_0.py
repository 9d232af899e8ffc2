"""IS329 lite-state-above-level-0: a state keeps all context at a level that could power down more.

What it does
    Notes stop states with ESL=0 and RL above 0. A mask of 0xf is left out.

Why is this bad
    With ESL=0 the thread keeps its SMT resources, so its siblings run no faster, and on POWER9
    the core goes no deeper than stop2. Beyond stop0_lite such states gain next to nothing:
    skiboot had stop1_lite and stop2_lite within 2 % of stop1 and stop2, and removed them.

Example
    extends: power9-dd1

Use instead
    extends: power9-dd1
    drop: [stop1_lite]

Ground
    skiboot 34e9c3c1e. The last DD1 table still has stop1_lite, as stop1 is not for cpuidle there.
"""

from .is3_control import stop_rows
from .rows import StateRow
from .rule import Rule, Severity, Verdicts

RULE = Rule("IS329", "lite-state-above-level-0", Severity.NOTE, requires=("IS301", "IS306"))


@RULE.of_each(stop_rows)
def check(row: StateRow) -> Verdicts:
    if not row.state.psscr.esl and row.state.level:
        outcome = "so the thread holds on to its SMT resources"
        message = f"{row.name} requests level {row.state.level} with ESL=0, {outcome}"
        yield row.verdict("control.esl", message)
