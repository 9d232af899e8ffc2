"""IS107 fewer-names-than-states: the kernel oopses at boot.

What it does
    Counts the strings in ibm,cpu-idle-state-names and compares them with the flags.

Why is this bad
    Every other short array makes Linux give up on the node. Of the names it asks for one per
    state, gets the number there are, which is no error, and then copies each, the missing ones
    from a null pointer (4.8 to 4.18: from an uninitialised one).

Example
    / {
        ibm,opal {
            power-mgt {
                ibm,cpu-idle-state-flags = <0x100000 0x101000>;
                ibm,cpu-idle-state-names = "stop0_lite";
            };
        };
    };

Use instead
    / {
        ibm,opal {
            power-mgt {
                ibm,cpu-idle-state-flags = <0x100000 0x101000>;
                ibm,cpu-idle-state-names = "stop0_lite", "stop0";
            };
        };
    };

Ground
    Linux arch/powerpc/platforms/powernv/idle.c pnv_parse_cpuidle_dt() tests
    of_property_read_string_array() for a negative result only (9c7b185ab2fe, read in 6.1); fwts
    power_mgmt label SizeMismatch; op-test "Array size mismatch".
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from ..power_mgt import NAMES
from .is1_arrays import state_count
from .rule import Rule

RULE = Rule(
    "IS107",
    "fewer-names-than-states",
    Severity.ERROR,
    aliases=("fwts:SizeMismatch", "op-test:Array size mismatch"),
    forms=("dt",),
)


def check(subject: Subject) -> Iterator[Finding]:
    node = subject.node
    wanted = state_count(node) if node else None
    found = node.count(NAMES) if node else None
    if node is None or wanted is None or found is None or found >= wanted:
        return
    # An empty property is an error to the kernel, not a short success.
    outcome = "copies the rest from a null pointer" if found else "takes no state"
    yield RULE.finding(
        subject,
        f"expected {wanted} names in {NAMES}, as many as flags, found {found}; Linux {outcome}",
        node.at(NAMES),
    )
