"""IS331 exported-but-not-enabled: a tree has a state whose level it does not enable.

What it does
    Compares the level (RL) of each state in a tree with the tree's own ibm,enabled-stop-levels,
    whose bit n from the left is stop level n.

Why is this bad
    Firmware exports a level only if hostboot enables it, so one of the two is wrong. Linux never
    looks at ibm,enabled-stop-levels and uses the state; on a machine whose hostboot leaves the
    level out for a reason, it may hang.

Example
    POWER_MGT of trees.py, but
              power-mgt {
    +             ibm,enabled-stop-levels = <0x80000000>;
    +             ibm,cpu-idle-state-names = "stop0", "stop1";
    +             ibm,cpu-idle-state-latencies-ns = <2000 5000>;
    +             ibm,cpu-idle-state-residency-ns = <20000 50000>;
    +             ibm,cpu-idle-state-flags = <0x101000 0x101000>;
    +             ibm,cpu-idle-state-psscr = <0x0 0x300330 0x0 0x300331>;
    +             ibm,cpu-idle-state-psscr-mask = <0x0 0x3003ff 0x0 0x3003ff>;

Use instead
    -             ibm,enabled-stop-levels = <0x80000000>;
    +             ibm,enabled-stop-levels = <0xc0000000>;

Ground
    skiboot hw/slw.c add_cpu_idle_state_properties(), stop_levels. c3ea33f17 tested the wrong bit
    with the whole PSSCR as shift count; 0500d504b corrected it.
"""

from ...base.model.power_mgt import STOP_LEVELS
from .rows import StateRow, psscr_rows
from .rule import Rule, Severity, Verdicts

RULE = Rule(
    "IS331",
    "exported-but-not-enabled",
    Severity.WARNING,
    forms=("dt",),
    requires=("IS306", "IS319"),
)


@RULE.of_each(psscr_rows)
def check(row: StateRow) -> Verdicts:
    node, level = row.subject.node, row.state.level
    levels = node.stop_levels if node else None
    if node is not None and levels is not None and not levels & 1 << 31 - level:
        enabled = f"{STOP_LEVELS} {levels:#010x} does not enable level {level}"
        yield row.verdict(
            "control",
            f"{row.name} is in the tree, but {enabled}",
            related=[(node.at(STOP_LEVELS), "enabled levels")],
        )
