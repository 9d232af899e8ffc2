"""IS304 mtl-below-rl: the maximum transition level is below the requested level.

What it does
    Compares MTL and RL of each PSSCR value. A mask of 0xf is left out: there the kernel sets
    MTL.

Why is this bad
    MTL is how far the hardware may go from RL by itself; below RL it has no meaning. Mostly the
    two were exchanged, or RL was raised in a copied row.

Example
    extends: power9
    override:
      stop5: {psscr: {rl: 5, mtl: 4, tr: 3, ec: 1, esl: 1}}

Use instead
    extends: power9
    override:
      stop5: {psscr: {rl: 5, mtl: 7, tr: 3, ec: 1, esl: 1}}

Ground
    Power ISA 3.0B, PSSCR, RL and MTL. Every table in skiboot's history has MTL >= RL.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from .is3_control import stop_rows
from .rule import Rule

RULE = Rule("IS304", "mtl-below-rl", Severity.ERROR, requires=("IS306", "IS319"))


def check(subject: Subject) -> Iterator[Finding]:
    for index, state in stop_rows(subject):
        psscr = state.psscr
        if psscr.mtl < psscr.rl:
            yield RULE.finding(
                subject,
                f"{state.name} has MTL={psscr.mtl} below RL={psscr.rl} in PSSCR {state.control:#x}",
                subject.at(index, "control.mtl"),
            )
