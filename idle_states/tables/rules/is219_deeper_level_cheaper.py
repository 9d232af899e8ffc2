"""IS219 deeper-level-cheaper: a deeper stop level comes first in the table and costs less.

What it does
    Orders the rows by the requested level (RL) of their PSSCR instead of by position, and reports
    a row whose level is above that of a later row while its latency or residency is below that
    row's. Times that contradict the order of the rows are IS204 and IS205.

Why is this bad
    A level saves more power and loses more state than those below it, and takes longer to leave.
    If the figures say the opposite, the level or the figures are another row's, and the
    hardware goes by the level.

Example
    extends: power9
    override:
      stop2: {psscr: {rl: 5, mtl: 7, tr: 3, ec: 1, esl: 1}}

Use instead
    -   stop2: {psscr: {rl: 5, mtl: 7, tr: 3, ec: 1, esl: 1}}
    +   stop2: {psscr: {rl: 2, mtl: 3, tr: 3, ec: 1, esl: 1}}

Ground
    Power ISA 3.0B, PSSCR: RL and power-saving levels; skiboot hw/slw.c, where every table that
    ever was is ordered by level.
"""

from .is2_times import FIELDS, Time, column
from .rule import Rule, Severity, Subject, Verdicts

RULE = Rule("IS219", "deeper-level-cheaper", Severity.WARNING, requires=("IS306", "IS319"))


@RULE.of_table
def check(subject: Subject) -> Verdicts:
    for field in FIELDS if subject.is_stop else ():
        slowest: dict[int, Time] = {}
        for time in reversed(column(subject, field)):
            row, level = time.row, time.row.state.level
            dearer = [t for below, t in slowest.items() if below < level and t.ns > time.ns]
            if dearer:
                other = max(dearer, key=lambda t: t.ns)
                yield row.verdict(
                    "control",
                    f"{row.name} requests level {level} and has {time.kind} of {time}; "
                    f"{other.row.name} requests level {other.row.state.level} and has {other}",
                    related=[(other.row.at(field), "the dearer one")],
                )
            if level not in slowest or slowest[level].ns < time.ns:
                slowest[level] = time
