"""IS621 states-of-another-domain: the CPU's first power domain is not the one of its idle states.

What it does
    Looks for CPUs whose power-domain-names has psci (sbi on RISC-V) behind another name, where
    either domain has domain-idle-states.

Why is this bad
    Linux attaches the CPU to the power domain of that name, but reads states from the first one.
    The states of the domain that was meant do not exist, and those of another one may be taken.

Example
    ONE_STATE of trees.py, but
    -             cpu-idle-states = <&sleep>;
    +             cpu-idle-states = <&wait>;
    +             power-domains = <&perf>, <&one>;
    +             power-domain-names = "perf", "psci";
              };
    +     };
    +     psci {
    +         compatible = "arm,psci-1.0";
    +         method = "smc";
    +         one: power-domain-one {
    +             #power-domain-cells = <0>;
    +             domain-idle-states = <&sleep>;
    +         };
    +     };
    +     perf: performance {
    +         #power-domain-cells = <0>;
    +     };
    +     wait: wait {
    +         compatible = "arm,idle-state";
    +         arm,psci-suspend-param = <0x1>;
    +         entry-latency-us = <300>;
    +         exit-latency-us = <600>;
    +         min-residency-us = <1000>;

Use instead
    -             power-domains = <&perf>, <&one>;
    -             power-domain-names = "perf", "psci";
    +             power-domains = <&one>, <&perf>;
    +             power-domain-names = "psci", "perf";

Ground
    Linux drivers/of/cpu.c of_get_cpu_state_node() parses power-domains at index 0 since 5.6;
    drivers/cpuidle/dt_idle_genpd.c dt_idle_attach_cpu() goes by name.
"""

from ..devicetree.idle_nodes import DOMAIN_LIST
from ..linux.dt_idle_features import features
from .is6_nodes import listed_by
from .rule import Rule, Severity, Subject, Verdict, Verdicts

RULE = Rule("IS621", "states-of-another-domain", Severity.ERROR, forms=("nodes",))


@RULE.of_table
def check(subject: Subject) -> Verdicts:
    listed = listed_by(subject)
    kernels = tuple(release.name for release in subject.kernels if features(release).hierarchy)
    meant = listed.attached.path if listed.attached else ""
    if not meant or meant == listed.first_domain or not kernels:
        return
    has_states = any(domain.states for domain in listed.power_domains if domain.path == meant)
    if has_states or listed.own_domain:
        first = listed.first_domain.rpartition("/")[2] or "a phandle of 0"
        message = (
            f"expected {meant.rpartition('/')[2]} to be the first of {listed.cpus[0]}'s "
            f"power-domains, found {first}; Linux reads {DOMAIN_LIST} there"
        )
        yield Verdict(listed.where, message, kernels=kernels)
