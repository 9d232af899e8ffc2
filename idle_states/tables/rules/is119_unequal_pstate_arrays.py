"""IS119 unequal-pstate-arrays: the pstate properties do not have one entry per pstate.

What it does
    Holds ibm,pstate-ids and ibm,pstate-frequencies-mhz against each other, and both against the
    number of pstates between ibm,pstate-min and ibm,pstate-max.

Why is this bad
    Linux' cpufreq driver takes as many pstates as the shorter array has and warns; fwts and
    op-test fail the tree. A range without entries is frequencies that nobody can ask for.

Example
    / {
        cpus { PowerPC,POWER9@0 { cpu-version = <0x004e1202>; }; };
        ibm,opal {
            power-mgt {
                ibm,pstate-min = <2>;
                ibm,pstate-max = <0>;
                ibm,pstate-ids = <0 1 2>;
                ibm,pstate-frequencies-mhz = <3800 3783>;
            };
        };
    };

Use instead
    -             ibm,pstate-frequencies-mhz = <3800 3783>;
    +             ibm,pstate-frequencies-mhz = <3800 3783 3766>;

Ground
    skiboot hw/occ.c add_cpu_pstate_properties(); Linux drivers/cpufreq/powernv-cpufreq.c
    init_powernv_pstates(); fwts pstate_limits_test(), op-test validate_pstate_properties().
"""

from ...base.model.power_mgt import PSTATE_FREQUENCIES, PSTATE_IDS, PSTATE_MAX, PSTATE_MIN
from .is1_arrays import PowerNode, power_nodes
from .pstates import ids, limits, values
from .rule import Rule, Severity, Verdict, Verdicts

RULE = Rule(
    "IS119",
    "unequal-pstate-arrays",
    Severity.WARNING,
    aliases=("op-test:Wrong number of pstates",),
    forms=("dt",),
)


@RULE.of_each(power_nodes)
def check(of: PowerNode) -> Verdicts:
    node = of.node
    if PSTATE_IDS not in node.properties:
        return
    count = len(ids(of.subject))
    frequencies = values(node, PSTATE_FREQUENCIES)
    if frequencies is not None and len(frequencies) != count:
        message = f"expected a frequency for each of {count} pstates, found {len(frequencies)}"
        yield Verdict(node.at(PSTATE_FREQUENCIES), message)
    least, most = limits(of.subject)
    if least is None or most is None:
        missing = PSTATE_MIN if least is None else PSTATE_MAX
        yield Verdict(node.at(missing), f"expected {missing} of one cell")
    elif (wanted := abs(most - least) + 1) != count:
        message = f"expected {wanted} pstates from {most} to {least}, found {count}"
        yield Verdict(node.at(PSTATE_IDS), message)
