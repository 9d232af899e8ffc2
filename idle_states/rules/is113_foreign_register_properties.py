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
    / {
        ibm,opal {
            power-mgt {
                ibm,cpu-idle-state-psscr = <0 0x330>;
                ibm,cpu-idle-state-psscr-mask = <0 0x3003ff>;
            };
        };
    };

Ground
    skiboot hw/slw.c add_cpu_idle_state_properties(), has_stop_inst; Linux
    pnv_parse_cpuidle_dt() reads PSSCR under CPU_FTR_ARCH_300 and PMICR never.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from ..power_mgt import PMICR, PMICR_MASK, PSSCR, PSSCR_MASK
from .rule import Rule

RULE = Rule("IS113", "foreign-register-properties", Severity.WARNING, forms=("dt",))


def check(subject: Subject) -> Iterator[Finding]:
    node = subject.node
    if node is None:
        return
    foreign = (PMICR, PMICR_MASK) if subject.cpu.isa300 else (PSSCR, PSSCR_MASK)
    for name in foreign:
        if name in node.properties:
            yield RULE.finding(
                subject,
                f"expected no {name} on {subject.cpu.generation}, found "
                f"{len(node.properties[name])} bytes; Linux ignores it",
                node.at(name),
            )
