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
    extends: power9
    override:
      stop2: {psscr: {rl: 2, mtl: 3, tr: 3, ec: 1, esl: 1}}

Ground
    Linux arch/powerpc/platforms/powernv/idle.c arch300_idle_type(): the value is all that
    reaches the hardware.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from .is3_control import effective_psscr
from .rule import Rule

RULE = Rule("IS323", "duplicate-control-value", Severity.ERROR, requires=("IS111", "IS306"))


def check(subject: Subject) -> Iterator[Finding]:
    if not subject.is_stop:
        return
    states = subject.table.states
    first: dict[int, int] = {}
    for index, state in enumerate(states):
        value = int(effective_psscr(state))
        earlier = first.setdefault(value, index)
        if earlier != index:
            yield RULE.finding(
                subject,
                f"{states[earlier].name} and {state.name} are both entered with PSSCR {value:#x}",
                subject.at(index, "control"),
                related=[(subject.at(earlier, "control"), f"{states[earlier].name} is here")],
            )
