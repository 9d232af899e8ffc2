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
    -             ibm,cpu-idle-state-names = [73 74 6f 70 30];
    +             ibm,cpu-idle-state-names = [73 74 6f 70 30 00];

Ground
    Linux drivers/of/property.c of_property_read_string_helper() returns -EILSEQ, which
    pnv_parse_cpuidle_dt() takes as a missing property.
"""

from ...base.model.power_mgt import NAMES
from .is1_arrays import PowerNode, power_nodes
from .rule import Rule, Severity, Verdict, Verdicts

RULE = Rule("IS116", "unterminated-names", Severity.ERROR, forms=("dt",))


@RULE.of_each(power_nodes)
def check(of: PowerNode) -> Verdicts:
    data = of.node.properties.get(NAMES)
    if data and not data.endswith(b"\0"):
        found = f"{data[-1]:#04x}; Linux takes no state"
        yield Verdict(of.node.at(NAMES), f"expected a NUL at the end of {NAMES}, found {found}")
