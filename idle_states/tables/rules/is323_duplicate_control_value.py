"""IS323 duplicate-control-value: two states are entered with the same PSSCR value.

What it does
    Compares the PSSCR values of all states, as Linux completes them for a mask of 0xf. PMICR is
    not compared: nap and winkle both leave it alone.

Why is this bad
    The hardware does the same for both, whatever their latencies and residencies say. Mostly a
    row was copied and its PSSCR forgotten, so the state that was meant does not exist.

Example
    extends: power9
    override:
      stop2: {psscr: {rl: 1, mtl: 3, tr: 3, ec: 1, esl: 1}}

Use instead
    -   stop2: {psscr: {rl: 1, mtl: 3, tr: 3, ec: 1, esl: 1}}
    +   stop2: {psscr: {rl: 2, mtl: 3, tr: 3, ec: 1, esl: 1}}

Ground
    Linux arch/powerpc/platforms/powernv/idle.c arch300_idle_type(): the value is all that
    reaches the hardware.
"""

from .is3_control import effective_psscr
from .rows import psscr_rows, repeated
from .rule import Rule, Severity, Subject, Verdicts

RULE = Rule("IS323", "duplicate-control-value", Severity.ERROR, requires=("IS111", "IS306"))


@RULE.of_table
def check(subject: Subject) -> Verdicts:
    for first, row in repeated(psscr_rows(subject), lambda each: int(effective_psscr(each.state))):
        value = int(effective_psscr(row.state))
        yield row.verdict(
            "control",
            f"{first.name} and {row.name} are both entered with PSSCR {value:#x}",
            related=[(first.at("control"), f"{first.name} is here")],
        )
