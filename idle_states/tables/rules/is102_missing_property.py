"""IS102 missing-property: an array that every state needs is absent.

What it does
    Looks in /ibm,opal/power-mgt for names, latencies, residencies and flags, and for the control
    register's values and masks: PSSCR on ISA 3.0 processors, PMICR before. A node with none of
    them is IS104.

Why is this bad
    Linux reads all or nothing: without one of them no state is registered and CPUs only snooze.
    The binding calls the residency optional on POWER8; Linux has required it since 4.19, older
    kernels fill in 100 us for nap and 300 ms for sleep. No Linux reads the PMICR properties;
    without them only fwts and op-test fail the tree, hence a warning.

Example
    / {
        ibm,opal {
            power-mgt {
                ibm,cpu-idle-state-names = "nap";
                ibm,cpu-idle-state-latencies-ns = <4000>;
                ibm,cpu-idle-state-flags = <0x11000>;
                ibm,cpu-idle-state-pmicr = <0 0>;
                ibm,cpu-idle-state-pmicr-mask = <0 0>;
            };
        };
    };

Use instead
                  ibm,cpu-idle-state-latencies-ns = <4000>;
    +             ibm,cpu-idle-state-residency-ns = <100000>;

Ground
    Linux arch/powerpc/platforms/powernv/idle.c pnv_parse_cpuidle_dt(), residency mandatory
    since 9c7b185ab2fe; Documentation/devicetree/bindings/powerpc/opal/power-mgt.txt; fwts
    power_mgmt label DTPropertyReadError.
"""

from ...base.model.power_mgt import RESIDENCIES
from .is1_arrays import UNREAD, PowerNode, expected_arrays, has_arrays, power_nodes
from .rule import Rule, Severity, Verdict, Verdicts

RULE = Rule(
    "IS102",
    "missing-property",
    Severity.ERROR,
    aliases=("fwts:DTPropertyReadError",),
    forms=("dt",),
)


@RULE.of_each(power_nodes)
def check(of: PowerNode) -> Verdicts:
    subject, node = of.subject, of.node
    for name in expected_arrays(subject.cpu) if has_arrays(node) else ():
        if name in node.properties:
            continue
        severity = None
        kernels: tuple[str, ...] = ()
        outcome = "Linux takes no state without it"
        if name in UNREAD:
            severity = Severity.WARNING
            outcome = "Linux does not read it, fwts fails the tree"
        elif name == RESIDENCIES and not subject.cpu.isa300:
            outcome = "Linux from 4.19 on takes no state without it"
            kernels = tuple(r.name for r in subject.kernels if r.features.parse == "platform")
            severity = None if kernels else Severity.WARNING
        message = f"expected the property {name}, found none; {outcome}"
        yield Verdict(node.at(name), message, severity, kernels=kernels)
