"""IS605 bad-suspend-parameter: an idle-state node has no parameter that firmware could take.

What it does
    Looks for arm,psci-suspend-param where the CPUs' enable-method is psci, for
    riscv,sbi-suspend-param on RISC-V, and whether the value is one of the interface's; of states
    of CPUs and of power domains.

Why is this bad
    The driver cannot enter the state, and gives up on all CPUs; at a state of a power domain, on
    the power domains, without which CPUs get no driver either since 5.9.

Example
    ONE_STATE of trees.py, but
    -         arm,psci-suspend-param = <0x10000>;

Use instead
    ONE_STATE of trees.py

Ground
    Linux drivers/cpuidle/cpuidle-psci.c psci_dt_parse_state_node();
    drivers/cpuidle/cpuidle-riscv-sbi.c sbi_dt_parse_state_node(); Arm DEN0022, CPU_SUSPEND; RISC-V
    SBI, HSM extension.
"""

from ..linux.dt_domains import is_domain_state
from ..linux.suspend_parameter import parameter_name, parameter_problem
from .is6_nodes import StateNode, domain_nodes, own_nodes
from .rule import Rule, Severity, Verdict, Verdicts

RULE = Rule("IS605", "bad-suspend-parameter", Severity.ERROR, forms=("nodes",))


@RULE.of_each(own_nodes)
def check_own(each: StateNode) -> Verdicts:
    problem = parameter_problem(each.listed, each.node) if each.node.available else ""
    if problem:
        where = each.node.at(parameter_name(each.listed) or "")
        yield Verdict(where, f"{each.node.name} {problem}")


@RULE.of_each(domain_nodes)
def check_domain(each: StateNode) -> Verdicts:
    if is_domain_state(each.node):
        yield from check_own(each)
