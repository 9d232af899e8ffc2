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
    skiboot hw/occ.c add_cpu_pstate_properties(); Linux drivers/cpufreq/powernv-cpufreq.c
    init_powernv_pstates(); fwts pstate_limits_test(), op-test validate_pstate_properties().
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from ..power_mgt import PSTATE_FREQUENCIES, PSTATE_IDS, PSTATE_MAX, PSTATE_MIN
from .pstates import ids, limits, values
from .rule import Rule

RULE = Rule(
    "IS119",
    "unequal-pstate-arrays",
    Severity.WARNING,
    aliases=("op-test:Wrong number of pstates",),
    forms=("dt",),
)


def check(subject: Subject) -> Iterator[Finding]:
    node = subject.node
    if node is None or PSTATE_IDS not in node.properties:
        return
    count = len(ids(subject))
    frequencies = values(node, PSTATE_FREQUENCIES)
    if frequencies is not None and len(frequencies) != count:
        yield RULE.finding(
            subject,
            f"expected a frequency for each of {count} pstates, found {len(frequencies)}",
            node.at(PSTATE_FREQUENCIES),
        )
    least, most = limits(subject)
    if least is None or most is None:
        missing = PSTATE_MIN if least is None else PSTATE_MAX
        yield RULE.finding(subject, f"expected {missing} of one cell", node.at(missing))
    elif abs(most - least) + 1 != count:
        yield RULE.finding(
            subject,
            f"expected {abs(most - least) + 1} pstates from {most} to {least}, found {count}",
            node.at(PSTATE_IDS),
        )
