"""IS113 foreign-register-properties: the tree has the control register of another processor.

What it does
    Looks for PSSCR properties on POWER7 and POWER8, and for PMICR properties on ISA 3.0
    processors. A tree that does not name its processor counts as ISA 3.0 if it has PSSCR.

Why is this bad
    skiboot writes one pair or the other. Both together, or the wrong one, mean that nodes of two
    machines were mixed or that the tree was edited; Linux ignores the foreign pair, and may miss
    the one it needs (IS102).

Example
    / {
        ibm,opal {
            power-mgt {
                ibm,cpu-idle-state-psscr = <0 0x330>;
                ibm,cpu-idle-state-psscr-mask = <0 0x3003ff>;
                ibm,cpu-idle-state-pmicr = <0 0>;
            };
        };
    };

Use instead
    -             ibm,cpu-idle-state-pmicr = <0 0>;

Ground
    skiboot hw/slw.c add_cpu_idle_state_properties(), has_stop_inst; Linux
    pnv_parse_cpuidle_dt() reads PSSCR under CPU_FTR_ARCH_300 and PMICR never.
"""

from ...base.model.power_mgt import PMICR, PMICR_MASK, PSSCR, PSSCR_MASK
from .is1_arrays import PowerNode, power_nodes
from .rule import Rule, Severity, Verdict, Verdicts

RULE = Rule("IS113", "foreign-register-properties", Severity.WARNING, forms=("dt",))


@RULE.of_each(power_nodes)
def check(of: PowerNode) -> Verdicts:
    cpu, properties = of.subject.cpu, of.node.properties
    for name in (PMICR, PMICR_MASK) if cpu.isa300 else (PSSCR, PSSCR_MASK):
        if name in properties:
            found = f"{len(properties[name])} bytes; Linux ignores it"
            message = f"expected no {name} on {cpu.generation}, found {found}"
            yield Verdict(of.node.at(name), message)
