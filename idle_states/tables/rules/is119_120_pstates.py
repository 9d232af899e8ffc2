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

IS120 pstates-out-of-order: pstate ids or frequencies do not fall from the fastest on.

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

from ...base.model import power_mgt as dt
from .is1_arrays import PowerNode, power_nodes
from .rule import Rule, Severity, Verdict, Verdicts

UNEQUAL = Rule(
    "IS119",
    "unequal-pstate-arrays",
    Severity.WARNING,
    aliases=("op-test:Wrong number of pstates",),
    forms=("dt",),
)
UNORDERED = Rule(
    "IS120",
    "pstates-out-of-order",
    Severity.WARNING,
    aliases=("fwts:CPUPstateLimitsTestFail", "op-test:Non monotonocity observed for pstate ids"),
    forms=("dt",),
)
RULES = (UNEQUAL, UNORDERED)


def values(node: dt.PowerMgt, name: str) -> tuple[int, ...]:
    """Cells of a property; empty without it."""
    return dt.cells(node.properties.get(name, b""), 4)


def ids(node: dt.PowerMgt, name: str = dt.PSTATE_IDS) -> tuple[int, ...]:
    """Pstate ids of a property: skiboot's are s8, negative on POWER8, and u8 since POWER9."""
    return tuple(map(dt.signed, values(node, name)))


def limits(node: dt.PowerMgt) -> tuple[int | None, int | None]:
    """ibm,pstate-min and ibm,pstate-max; None where not one cell."""
    least, most = ids(node, dt.PSTATE_MIN), ids(node, dt.PSTATE_MAX)
    return least[0] if len(least) == 1 else None, most[0] if len(most) == 1 else None


@UNEQUAL.of_each(power_nodes)
def check_counts(of: PowerNode) -> Verdicts:
    node = of.node
    if dt.PSTATE_IDS not in node.properties:
        return
    count = len(ids(node))
    frequencies = values(node, dt.PSTATE_FREQUENCIES)
    if dt.PSTATE_FREQUENCIES in node.properties and len(frequencies) != count:
        message = f"expected a frequency for each of {count} pstates, found {len(frequencies)}"
        yield Verdict(node.at(dt.PSTATE_FREQUENCIES), message)
    least, most = limits(node)
    if least is None or most is None:
        missing = dt.PSTATE_MIN if least is None else dt.PSTATE_MAX
        yield Verdict(node.at(missing), f"expected {missing} of one cell")
    elif (wanted := abs(most - least) + 1) != count:
        message = f"expected {wanted} pstates from {most} to {least}, found {count}"
        yield Verdict(node.at(dt.PSTATE_IDS), message)


@UNORDERED.of_each(power_nodes)
def check_ids(of: PowerNode) -> Verdicts:
    found = ids(of.node)
    least, most = limits(of.node)
    for name, index, limit in (("maximum", 0, most), ("minimum", -1, least)):
        if found and limit is not None and found[index] != limit:
            message = f"expected the {name}, {limit}, found pstate {found[index]}"
            yield Verdict(of.node.at(dt.PSTATE_IDS, index % len(found)), message)
    sign = 1 if of.subject.cpu.isa300 else -1
    for index in range(1, len(found)):
        if sign * found[index] <= sign * found[index - 1]:
            wanted = "above" if sign > 0 else "below"
            message = f"expected a pstate {wanted} {found[index - 1]}, found {found[index]}"
            yield Verdict(of.node.at(dt.PSTATE_IDS, index), message)
            break


@UNORDERED.of_each(power_nodes)
def check_frequencies(of: PowerNode) -> Verdicts:
    found = values(of.node, dt.PSTATE_FREQUENCIES)
    for index in range(1, len(found)):
        if found[index] > found[index - 1]:
            message = f"expected at most {found[index - 1]} MHz, found {found[index]} MHz"
            yield Verdict(of.node.at(dt.PSTATE_FREQUENCIES, index), message)
            break
