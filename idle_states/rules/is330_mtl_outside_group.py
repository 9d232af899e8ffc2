"""IS330 mtl-outside-group: MTL does not close the group of levels that RL belongs to.

What it does
    Expects MTL 3, 7 or 11 for RL 0-3, 4-7 and 8-11 on POWER9, and MTL = RL on POWER10 and
    POWER11. MTL below RL is left to IS304, a mask of 0xf to IS309. Silent where the processor is
    not known.

Why is this bad
    The hardware may go on from RL to MTL by itself. Every table lets it use its group and no
    more: a smaller MTL forgoes savings, a greater one may cost latency or context that the row
    does not admit.

Example
    extends: power9
    override:
      stop1: {psscr: {rl: 1, mtl: 2, tr: 3, ec: 1, esl: 1}}

Use instead
    extends: power9
    override:
      stop1: {psscr: {rl: 1, mtl: 3, tr: 3, ec: 1, esl: 1}}

Ground
    skiboot hw/slw.c: all POWER9 tables since 739063fb7, POWER10's since 1cb7b37c9.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from .is3_control import claimed_cpu, stop_rows
from .rule import Rule

RULE = Rule(
    "IS330", "mtl-outside-group", Severity.WARNING, requires=("IS304", "IS305", "IS306", "IS319")
)
_DEEPEST = 11


def check(subject: Subject) -> Iterator[Finding]:
    cpu = claimed_cpu(subject)
    if cpu is None:
        return
    grouped = cpu.processor.grouped_levels
    for index, state in stop_rows(subject):
        psscr = state.psscr
        expected = psscr.rl | 3 if grouped else psscr.rl
        if psscr.rl > _DEEPEST or psscr.mtl < psscr.rl or psscr.mtl == expected:
            continue
        yield RULE.finding(
            subject,
            f"{state.name} has RL={psscr.rl} and MTL={psscr.mtl}; {cpu.generation} tables have "
            f"MTL={expected}",
            subject.at(index, "control.mtl"),
        )
