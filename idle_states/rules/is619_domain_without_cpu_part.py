"""IS619 domain-without-cpu-part: a power domain's parameter leaves out what its CPUs do.

What it does
    Decodes the suspend parameters of power domains' states beside that of the CPUs' deepest state.
    A warning: the CPU powers down, and the domain's state does not; in the original format, no
    level above the CPU's. A note: the lowest four bits of an extended StateID, the CPU's share as
    PSCI recommends it, are not those of the CPU's deepest state.

Why is this bad
    In OS-initiated mode Linux sends the parameter of the highest domain that it turns off, as it
    is, in place of the CPU's: it has to say what becomes of the CPU as well. Nothing is put
    together. The layout of StateID is firmware's own, hence the note.

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
            arm,psci-suspend-param = <0x1000033>;
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
    Linux drivers/cpuidle/cpuidle-psci.c psci_get_domain_state(), cpuidle-psci-domain.c
    psci_pd_power_off(); Arm DEN0022, CPU_SUSPEND, power_state and section 6.5, Recommended StateID
    encoding.
"""

from collections.abc import Iterator

from ..findings import Confidence, Finding, Severity
from ..linux.suspend_parameter import Parameter, parameter_of
from ..pipeline import Subject
from .is6_nodes import domain_nodes, listed_by
from .rule import Rule

RULE = Rule(
    "IS619", "domain-without-cpu-part", Severity.WARNING, Confidence.MEDIUM, forms=("nodes",)
)


CPU_SHARE = 0xF


def check(subject: Subject) -> Iterator[Finding]:
    listed = listed_by(subject)
    taken = (parameter_of(listed, node) for node in listed.nodes() if node.available)
    own = [parameter for parameter in taken if parameter]
    if not own:
        return
    for row, node in domain_nodes(subject):
        parameter = parameter_of(listed, node) if node.available else None
        why, severe = _problem(parameter, own[-1]) if parameter else ("", False)
        if parameter and why:
            yield RULE.finding(
                subject,
                f"{node.name} has parameter {parameter.value:#x}, {why}",
                subject.at(row, "control"),
                severity=None if severe else Severity.NOTE,
                confidence=None if severe else Confidence.LOW,
            )


def _problem(domain: Parameter, cpu: Parameter) -> tuple[str, bool]:
    """What a domain's parameter lacks of the CPU's; whether it is wrong in any layout."""
    if cpu.power_down and not domain.power_down:
        return f"which powers nothing down, while the CPU's {cpu.value:#x} does", True
    if domain.level == 0:
        return "of level 0, the CPU's own", True
    shares = [one.state & CPU_SHARE for one in (domain, cpu)]
    if domain.format in ("extended", "either") and shares[0] != shares[1]:
        what = f"whose lowest four bits, {shares[0]:#x}, are not those of the CPU's {cpu.value:#x}"
        return what, False
    return "", False
