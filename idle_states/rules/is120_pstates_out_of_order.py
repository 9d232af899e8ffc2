"""IS120 pstates-out-of-order: pstate ids or frequencies do not fall from the fastest on.

What it does
    Expects ibm,pstate-ids to run from ibm,pstate-max to ibm,pstate-min without a repetition
    (falling on POWER8, where ids are signed; rising since), and ibm,pstate-frequencies-mhz to fall
    or stay.

Why is this bad
    Linux takes the arrays by index: the first is the fastest pstate to it. One out of place is
    chosen when another frequency was asked for.

Example
    / {
        cpus { PowerPC,POWER9@0 { cpu-version = <0x004e1202>; }; };
        ibm,opal {
            power-mgt {
                ibm,pstate-min = <2>;
                ibm,pstate-max = <0>;
                ibm,pstate-ids = <0 2 1>;
                ibm,pstate-frequencies-mhz = <3800 3783 3766>;
            };
        };
    };

Use instead
    / {
        cpus { PowerPC,POWER9@0 { cpu-version = <0x004e1202>; }; };
        ibm,opal {
            power-mgt {
                ibm,pstate-min = <2>;
                ibm,pstate-max = <0>;
                ibm,pstate-ids = <0 1 2>;
                ibm,pstate-frequencies-mhz = <3800 3783 3766>;
            };
        };
    };

Ground
    skiboot hw/occ.c add_cpu_pstate_properties(); fwts pstate_limits_test(), op-test
    validate_pstate_properties().
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from ..power_mgt import PSTATE_FREQUENCIES, PSTATE_IDS
from .pstates import ids, limits, rising, values
from .rule import Rule

RULE = Rule(
    "IS120",
    "pstates-out-of-order",
    Severity.WARNING,
    aliases=(
        "fwts:CPUPstateLimitsTestFail",
        "op-test:Non monotonocity observed for pstate ids",
    ),
    forms=("dt",),
)


def check(subject: Subject) -> Iterator[Finding]:
    node = subject.node
    if node is None:
        return
    found = ids(subject)
    least, most = limits(subject)
    for name, index, limit in (("maximum", 0, most), ("minimum", -1, least)):
        if found and limit is not None and found[index] != limit:
            at = index % len(found)
            message = f"expected the {name}, {limit}, found pstate {found[index]}"
            yield RULE.finding(subject, message, node.at(PSTATE_IDS, at))
    sign = 1 if rising(subject) else -1
    for index in range(1, len(found)):
        if sign * found[index] <= sign * found[index - 1]:
            wanted = "above" if sign > 0 else "below"
            message = f"expected a pstate {wanted} {found[index - 1]}, found {found[index]}"
            yield RULE.finding(subject, message, node.at(PSTATE_IDS, index))
            break
    frequencies = values(node, PSTATE_FREQUENCIES) or ()
    for index in range(1, len(frequencies)):
        if frequencies[index] > frequencies[index - 1]:
            message = (
                f"expected at most {frequencies[index - 1]} MHz, found {frequencies[index]} MHz"
            )
            yield RULE.finding(subject, message, node.at(PSTATE_FREQUENCIES, index))
            break
