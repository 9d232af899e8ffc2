"""IS103 ragged-property: a property's length is no whole number of entries.

What it does
    Checks that latencies, residencies and flags are a multiple of 4 bytes long, PSSCR and PMICR
    values and masks a multiple of 8, and ibm,enabled-stop-levels exactly 4.

Why is this bad
    A tree like that was damaged or written by hand. Flags that cannot be counted lose every
    state, and Linux says "Could not allocate memory for dt parsing"; in the other arrays the odd
    bytes are ignored, or the array is too short (IS101). fwts rounds the length down and sees
    nothing.

Example
    / {
        ibm,opal {
            power-mgt {
                ibm,cpu-idle-state-flags = [00 10 00 00 00 10 10];
            };
        };
    };

Use instead
    -             ibm,cpu-idle-state-flags = [00 10 00 00 00 10 10];
    +             ibm,cpu-idle-state-flags = [00 10 00 00 00 10 10 00];

Ground
    Linux drivers/of/property.c of_property_count_elems_of_size() as called by
    pnv_parse_cpuidle_dt(); skiboot core/device.c dt_property_get_cell().
"""

from ...base.model.power_mgt import CELL_BYTES, STOP_LEVELS
from .is1_arrays import PowerNode, power_nodes
from .rule import Rule, Severity, Verdict, Verdicts

RULE = Rule("IS103", "ragged-property", Severity.ERROR, forms=("dt",))


@RULE.of_each(power_nodes)
def check(of: PowerNode) -> Verdicts:
    node = of.node
    for name, size in CELL_BYTES.items():
        length = len(node.properties.get(name, b""))
        if length % size:
            message = f"expected a multiple of {size} bytes in {name}, found {length}"
            yield Verdict(node.at(name), message)
    levels = node.properties.get(STOP_LEVELS)
    if levels is not None and len(levels) != 4:
        message = f"expected 4 bytes in {STOP_LEVELS}, found {len(levels)}"
        yield Verdict(node.at(STOP_LEVELS), message)
