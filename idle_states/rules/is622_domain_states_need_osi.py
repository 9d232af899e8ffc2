"""IS622 domain-states-need-osi: states of power domains depend on firmware's mode.

What it does
    Says of a tree for PSCI that the states of its CPUs' power domains are entered in OS-initiated
    mode alone. A note, once a tree; a warning for a machine that has not got it (--platform
    psci-mode=pc).

Why is this bad
    The tree cannot say which modes firmware has. In platform-coordinated mode these domains stay
    on, and no other row stands for them: clusters are then turned off only by states in the CPUs'
    own lists. From Linux 6.6 on (6.1.47, 6.4.11) firmware must also have SET_SUSPEND_MODE, for
    either mode: if it fails, the domains are not made.

Example
    / {
        cpus {
            cpu@0 {
                compatible = "arm,cortex-a53";
                device_type = "cpu";
                enable-method = "psci";
                power-domains = <&one>;
                power-domain-names = "psci";
            };
            cpu@1 {
                compatible = "arm,cortex-a53";
                device_type = "cpu";
                enable-method = "psci";
                power-domains = <&two>;
                power-domain-names = "psci";
            };
        };
        psci {
            compatible = "arm,psci-1.0";
            method = "smc";
            one: power-domain-one {
                #power-domain-cells = <0>;
                power-domains = <&cluster>;
                domain-idle-states = <&sleep>;
            };
            two: power-domain-two {
                #power-domain-cells = <0>;
                power-domains = <&cluster>;
                domain-idle-states = <&sleep>;
            };
            cluster: power-domain-cluster {
                #power-domain-cells = <0>;
                domain-idle-states = <&off>;
            };
        };
        sleep: sleep {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x40000003>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <2000>;
            local-timer-stop;
        };
        off: off {
            compatible = "domain-idle-state";
            arm,psci-suspend-param = <0x41000033>;
            entry-latency-us = <500>;
            exit-latency-us = <700>;
            min-residency-us = <4000>;
        };
    };

Use instead
    / {
        cpus {
            cpu@0 {
                compatible = "arm,cortex-a53";
                device_type = "cpu";
                enable-method = "psci";
                cpu-idle-states = <&sleep &off>;
            };
        };
        sleep: sleep {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x40000003>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <2000>;
            local-timer-stop;
        };
        off: off {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x41000033>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <4000>;
            local-timer-stop;
        };
    };

Ground
    Linux drivers/cpuidle/cpuidle-psci-domain.c psci_cpuidle_domain_probe(), psci_pd_init():
    GENPD_FLAG_ALWAYS_ON; Arm DEN0022, SET_SUSPEND_MODE.
"""

from collections.abc import Iterator

from ..findings import Confidence, Finding, Severity
from ..pipeline import Subject, psci_firmware
from ..wording import joined
from .is6_nodes import domain_nodes, listed_by, speaks_for_tree
from .rule import Rule

RULE = Rule("IS622", "domain-states-need-osi", Severity.NOTE, Confidence.LOW, forms=("nodes",))


def check(subject: Subject) -> Iterator[Finding]:
    rows = [(row, node) for row, node in domain_nodes(subject) if node.available]
    if not rows or listed_by(subject).enable_method != "psci" or not speaks_for_tree(subject):
        return
    names = joined([node.name for _, node in rows])
    if psci_firmware(subject.platform).osi:
        severity = None
        why = "entered only if firmware has OS-initiated mode, which the tree cannot say"
    else:
        severity = Severity.WARNING
        why = "never entered: firmware has no OS-initiated mode"
    yield RULE.finding(subject, f"{names}: {why}", subject.at(rows[0][0]), severity=severity)
