"""IS106 missing-enabled-stop-levels: an ISA 3.0 tree does not say which stop levels may be used.

What it does
    Looks for ibm,enabled-stop-levels in /ibm,opal/power-mgt of a POWER9 or later.

Why is this bad
    The property comes from hostboot by way of skiboot's HDAT parser. skiboot takes an absent one
    as 0 and then exports no state at all, so a tree with states and without this property has
    been edited. fwts stops its idle-state test here.

Example
    / {
        ibm,opal {
            power-mgt {
                ibm,cpu-idle-state-names = "stop0_lite";
                ibm,cpu-idle-state-psscr = <0 0x330>;
            };
        };
    };

Use instead
              power-mgt {
    +             ibm,enabled-stop-levels = <0xec000000>;

Ground
    skiboot hdata/spira.c add_stop_levels() and hw/slw.c add_cpu_idle_state_properties(); fwts
    power_mgmt label DTPropertyMissing.
"""

from ...base.model.power_mgt import STOP_LEVELS
from .is1_arrays import PowerNode, power_nodes
from .rule import Rule, Severity, Verdict, Verdicts

RULE = Rule(
    "IS106",
    "missing-enabled-stop-levels",
    Severity.WARNING,
    aliases=("fwts:DTPropertyMissing",),
    forms=("dt",),
)


@RULE.of_each(power_nodes)
def check(of: PowerNode) -> Verdicts:
    if of.subject.cpu.isa300 and STOP_LEVELS not in of.node.properties:
        outcome = "firmware exports no stop state without it"
        yield Verdict(of.node.at(STOP_LEVELS), f"expected {STOP_LEVELS}, found none; {outcome}")
