"""IS116 unterminated-names: the list of names does not end with a NUL.

What it does
    Looks at the last byte of ibm,cpu-idle-state-names.

Why is this bad
    Linux refuses a string that runs to the end of its property, and with it the whole node: no
    state is registered, and the log says that the names are missing. skiboot never writes that;
    the property was cut off or built by hand.

Example
    / {
        ibm,opal {
            power-mgt {
                ibm,cpu-idle-state-names = [73 74 6f 70 30];
            };
        };
    };

Use instead
    / {
        ibm,opal {
            power-mgt {
                ibm,cpu-idle-state-names = [73 74 6f 70 30 00];
            };
        };
    };

Ground
    Linux drivers/of/property.c of_property_read_string_helper() returns -EILSEQ, which
    pnv_parse_cpuidle_dt() takes as a missing property.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from ..power_mgt import NAMES
from .rule import Rule

RULE = Rule("IS116", "unterminated-names", Severity.ERROR, forms=("dt",))


def check(subject: Subject) -> Iterator[Finding]:
    node = subject.node
    data = node.properties.get(NAMES) if node else None
    if node is None or not data or data.endswith(b"\0"):
        return
    yield RULE.finding(
        subject,
        f"expected a NUL at the end of {NAMES}, found {data[-1]:#04x}; Linux takes no state",
        node.at(NAMES),
    )
