"""IS623 domain-time-wraps: a power domain's time does not fit the kernel's arithmetic.

What it does
    Looks for times of power domains' states above 4294967 us, and for kernels that multiply them by
    1000 in 32 bits.

Why is this bad
    There, 4294968 us become 704 ns. The domain is turned off for idles that are far too short, or
    is thought to be on again at once.

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
            min-residency-us = <4294968>;
        };
    };

Use instead
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

Ground
    Linux drivers/pmdomain/core.c (before: drivers/base/power/domain.c) genpd_parse_state(),
    corrected by e5d1c8722083 in 6.5, 6.4.4, 6.1.39, 5.15.121 and 5.10.188.
"""

from collections.abc import Iterator

from ..devicetree.idle_nodes import ENTRY, EXIT, RESIDENCY
from ..findings import Finding, Severity
from ..linux import dt_idle_features
from ..linux.genpd.features import HISTORY
from ..linux.releases import folded
from ..pipeline import Subject
from ..table import U32_MAX
from .is6_nodes import domain_nodes
from .rule import Rule

RULE = Rule("IS623", "domain-time-wraps", Severity.ERROR, forms=("nodes",))


def check(subject: Subject) -> Iterator[Finding]:
    kernels = [
        release.name
        for release in subject.kernels
        if dt_idle_features.features(release).hierarchy and not folded(HISTORY, release).wide_times
    ]
    for _, node in domain_nodes(subject):
        for name in (ENTRY, EXIT, RESIDENCY):
            us = node.u32(name)
            if us is not None and us * 1000 > U32_MAX and kernels:
                message = f"{node.name} has {name} {us}, which wraps to {us * 1000 & U32_MAX} ns"
                yield RULE.finding(subject, message, node.at(name), kernels=kernels)
