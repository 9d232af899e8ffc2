"""IS115 extra-array-entries: a property has more entries than there are flags.

What it does
    Compares the number of entries in each array of /ibm,opal/power-mgt, names included, with the
    number of flags.

Why is this bad
    Linux 4.12 to 4.18 takes no state from such a tree (an error, if one of them is asked for).
    Others ignore the surplus without a word: the tree works, but if the flag that is missing was
    not the last, every state behind it has its neighbour's latency and PSSCR. fwts and op-test
    fail the tree.

Example
    / {
        ibm,opal {
            power-mgt {
                ibm,cpu-idle-state-flags = <0x100000 0x101000>;
                ibm,cpu-idle-state-latencies-ns = <1000 2000 5000>;
            };
        };
    };

Use instead
    / {
        ibm,opal {
            power-mgt {
                ibm,cpu-idle-state-flags = <0x100000 0x101000 0x101000>;
                ibm,cpu-idle-state-latencies-ns = <1000 2000 5000>;
            };
        };
    };

Ground
    Linux drivers/of/property.c: a property may be longer than what is read of it; the comparison
    of sizes came with ecad4502a2c6 and went with 9c7b185ab2fe; fwts power_mgmt label
    SizeMismatch; op-test DeviceTreeValidation.py "Array size mismatch".
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from .is1_arrays import UNREAD, expected_arrays, state_count
from .rule import Rule

RULE = Rule(
    "IS115",
    "extra-array-entries",
    Severity.WARNING,
    aliases=("fwts:SizeMismatch", "op-test:Array size mismatch"),
    forms=("dt",),
)


def check(subject: Subject) -> Iterator[Finding]:
    node = subject.node
    wanted = state_count(node) if node else None
    if node is None or wanted is None:
        return
    comparing = tuple(r.name for r in subject.kernels if r.features.sizes_checked)
    for name in expected_arrays(subject.cpu):
        found = node.count(name) or 0
        if found <= wanted:
            continue
        kernels = () if name in UNREAD else comparing
        outcome = "these kernels take no state" if kernels else "Linux ignores the surplus"
        yield RULE.finding(
            subject,
            f"expected {wanted} entries in {name}, as many as flags, found {found}; {outcome}",
            node.at(name, wanted),
            severity=Severity.ERROR if kernels else None,
            kernels=kernels,
        )
