"""IS115 extra-array-entries: a property has more entries than there are flags.

What it does
    Compares the number of entries in each array of /ibm,opal/power-mgt, names included, with the
    number of flags.

Why is this bad
    Linux ignores the surplus without a word, so the tree works, but with states paired to
    whatever stands at the same position: if the flag that is missing was not the last, every
    state behind it has its neighbour's latency and PSSCR. fwts and op-test fail the tree.

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
    Linux drivers/of/property.c: a property may be longer than what is read of it; fwts
    power_mgmt label SizeMismatch; op-test DeviceTreeValidation.py "Array size mismatch".
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from .is1_arrays import expected_arrays, state_count
from .rule import Rule
from .subject import Subject

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
    for name in expected_arrays(subject.cpu):
        found = node.count(name) or 0
        if found > wanted:
            yield RULE.finding(
                subject,
                f"expected {wanted} entries in {name}, as many as flags, found {found}; "
                "Linux ignores the surplus at the end",
                node.at(name, wanted),
            )
