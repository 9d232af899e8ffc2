"""IS331 exported-but-not-enabled: a tree has a state whose level it does not enable.

What it does
    Compares the level (RL) of each state in a tree with the tree's own ibm,enabled-stop-levels,
    whose bit n from the left is stop level n.

Why is this bad
    Firmware exports a level only if hostboot enables it, so one of the two is wrong. Linux never
    looks at ibm,enabled-stop-levels and uses the state; on a machine whose hostboot leaves the
    level out for a reason, it may hang.

Example
    / {
        ibm,opal {
            power-mgt {
                ibm,enabled-stop-levels = <0x80000000>;
                ibm,cpu-idle-state-names = "stop0", "stop1";
                ibm,cpu-idle-state-latencies-ns = <2000 5000>;
                ibm,cpu-idle-state-residency-ns = <20000 50000>;
                ibm,cpu-idle-state-flags = <0x101000 0x101000>;
                ibm,cpu-idle-state-psscr = <0x0 0x300330 0x0 0x300331>;
                ibm,cpu-idle-state-psscr-mask = <0x0 0x3003ff 0x0 0x3003ff>;
            };
        };
    };

Use instead
    / {
        ibm,opal {
            power-mgt {
                ibm,enabled-stop-levels = <0xc0000000>;
                ibm,cpu-idle-state-names = "stop0", "stop1";
                ibm,cpu-idle-state-latencies-ns = <2000 5000>;
                ibm,cpu-idle-state-residency-ns = <20000 50000>;
                ibm,cpu-idle-state-flags = <0x101000 0x101000>;
                ibm,cpu-idle-state-psscr = <0x0 0x300330 0x0 0x300331>;
                ibm,cpu-idle-state-psscr-mask = <0x0 0x3003ff 0x0 0x3003ff>;
            };
        };
    };

Ground
    skiboot hw/slw.c add_cpu_idle_state_properties(), stop_levels. c3ea33f17 tested the wrong bit
    with the whole PSSCR as shift count; 0500d504b corrected it.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from ..power_mgt import STOP_LEVELS
from .rule import Rule

RULE = Rule(
    "IS331",
    "exported-but-not-enabled",
    Severity.WARNING,
    forms=("dt",),
    requires=("IS306", "IS319"),
)


def check(subject: Subject) -> Iterator[Finding]:
    levels = subject.node.stop_levels if subject.node else None
    if levels is None or not subject.is_stop or subject.node is None:
        return
    for index, state in enumerate(subject.table.states):
        if not levels & 1 << 31 - state.level:
            yield RULE.finding(
                subject,
                f"{state.name} is in the tree, but {STOP_LEVELS} {levels:#010x} does not enable "
                f"level {state.level}",
                subject.at(index, "control"),
                related=[(subject.node.at(STOP_LEVELS), "enabled levels")],
            )
