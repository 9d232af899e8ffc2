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
    -             ibm,pstate-ids = <0 2 1>;
    +             ibm,pstate-ids = <0 1 2>;

Ground
    skiboot hw/occ.c add_cpu_pstate_properties(); fwts pstate_limits_test(), op-test
    validate_pstate_properties().
"""

from ...base.model.power_mgt import PSTATE_FREQUENCIES, PSTATE_IDS
from .is1_arrays import PowerNode, power_nodes
from .pstates import ids, limits, rising, values
from .rule import Rule, Severity, Verdict, Verdicts

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


@RULE.of_each(power_nodes)
def check_ids(of: PowerNode) -> Verdicts:
    found = ids(of.subject)
    least, most = limits(of.subject)
    for name, index, limit in (("maximum", 0, most), ("minimum", -1, least)):
        if found and limit is not None and found[index] != limit:
            message = f"expected the {name}, {limit}, found pstate {found[index]}"
            yield Verdict(of.node.at(PSTATE_IDS, index % len(found)), message)
    sign = 1 if rising(of.subject) else -1
    for index in range(1, len(found)):
        if sign * found[index] <= sign * found[index - 1]:
            wanted = "above" if sign > 0 else "below"
            message = f"expected a pstate {wanted} {found[index - 1]}, found {found[index]}"
            yield Verdict(of.node.at(PSTATE_IDS, index), message)
            break


@RULE.of_each(power_nodes)
def check_frequencies(of: PowerNode) -> Verdicts:
    found = values(of.node, PSTATE_FREQUENCIES) or ()
    for index in range(1, len(found)):
        if found[index] > found[index - 1]:
            message = f"expected at most {found[index - 1]} MHz, found {found[index]} MHz"
            yield Verdict(of.node.at(PSTATE_FREQUENCIES, index), message)
            break
