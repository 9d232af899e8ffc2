"""IS101 unequal-array-lengths: a property has fewer entries than there are flags.

What it does
    Compares the number of entries in each array of /ibm,opal/power-mgt with the number of
    flags, which is the number of states. IS107 counts the names, IS115 looks for extra entries.

Why is this bad
    The arrays are parallel: entry n of each describes state n. Linux, from 4.19 on, reads all or
    nothing: one array that is too short loses every state, and the log blames a "missing"
    property. Short PMICR arrays are a warning: Linux does not read them, but fwts and op-test
    fail the tree.

Example
    / {
        ibm,opal {
            power-mgt {
                ibm,cpu-idle-state-flags = <0x100000 0x101000>;
                ibm,cpu-idle-state-latencies-ns = <1000>;
            };
        };
    };

Use instead
    / {
        ibm,opal {
            power-mgt {
                ibm,cpu-idle-state-flags = <0x100000 0x101000>;
                ibm,cpu-idle-state-latencies-ns = <1000 2000>;
            };
        };
    };

Ground
    Linux arch/powerpc/platforms/powernv/idle.c pnv_parse_cpuidle_dt() asks each array for as
    many entries as there are flags (9c7b185ab2fe); fwts power_mgmt label SizeMismatch; op-test
    DeviceTreeValidation.py "Array size mismatch".
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from ..power_mgt import NAMES
from .is1_arrays import UNREAD, expected_arrays, state_count
from .rule import Rule

RULE = Rule(
    "IS101",
    "unequal-array-lengths",
    Severity.ERROR,
    aliases=("fwts:SizeMismatch", "op-test:Array size mismatch"),
    forms=("dt",),
    requires=("IS103",),
)


def check(subject: Subject) -> Iterator[Finding]:
    node = subject.node
    wanted = state_count(node) if node else None
    if node is None or wanted is None:
        return
    for name in expected_arrays(subject.cpu):
        found = node.count(name)
        if name == NAMES or found is None or found >= wanted:
            continue
        unread = name in UNREAD
        outcome = "Linux does not read it, fwts fails it" if unread else "Linux takes no state"
        yield RULE.finding(
            subject,
            f"expected {wanted} entries in {name}, as many as flags, found {found}; {outcome}",
            node.at(name),
            severity=Severity.WARNING if unread else None,
        )
