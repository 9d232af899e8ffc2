"""IS611 cpu-without-psci: a CPU is not enabled by PSCI, others are.

What it does
    Looks for CPUs whose enable-method is another one or missing, in a tree where other CPUs have
    psci and list idle states.

Why is this bad
    PSCI's driver asks every CPU for its enable-method, and gives up on all CPUs if one has another,
    or the one that boots has none. The whole machine then idles in WFI, and nothing is logged. Any
    other CPU without enable-method is not even started on arm64.

Example
    / {
        cpus {
            cpu@0 {
                compatible = "arm,cortex-a53";
                device_type = "cpu";
                cpu-idle-states = <&sleep>;
            };
            cpu@1 {
                compatible = "arm,cortex-a53";
                device_type = "cpu";
                enable-method = "psci";
                cpu-idle-states = <&sleep>;
            };
        };
        sleep: sleep {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x10000>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <2000>;
        };
    };

Use instead
    / {
        cpus {
            cpu@0 {
                compatible = "arm,cortex-a53";
                device_type = "cpu";
                enable-method = "psci";
                cpu-idle-states = <&sleep>;
            };
            cpu@1 {
                compatible = "arm,cortex-a53";
                device_type = "cpu";
                enable-method = "psci";
                cpu-idle-states = <&sleep>;
            };
        };
        sleep: sleep {
            compatible = "arm,idle-state";
            arm,psci-suspend-param = <0x10000>;
            entry-latency-us = <300>;
            exit-latency-us = <600>;
            min-residency-us = <2000>;
        };
    };

Ground
    Linux drivers/cpuidle/cpuidle-psci.c psci_idle_init_cpu() returns -ENODEV for such a CPU, and
    psci_cpuidle_probe() then unregisters every CPU; arch/arm64/kernel/smp.c smp_cpu_setup().
    Confirmed by boots of Linux 6.1.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..linux.dt_idle import never_started
from ..linux.dt_idle_features import features
from ..pipeline import Subject
from .is6_nodes import listed_by, speaks_for_tree
from .rule import Rule

RULE = Rule("IS611", "cpu-without-psci", Severity.ERROR, forms=("nodes",))


def check(subject: Subject) -> Iterator[Finding]:
    siblings = listed_by(subject).siblings
    first = next((one for one in siblings if one.enable_method == "psci" and one.nodes()), None)
    kernels = [release.name for release in subject.kernels if features(release).psci]
    if first is None or not kernels or not speaks_for_tree(subject):
        return
    for other in siblings:
        if other.enable_method != "psci":
            names = [path.rpartition("/")[2] for path in other.cpus]
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            yield RULE.finding(
                subject,
                f"expected {names[0]}{more} to have enable-method psci as "
                f"{first.cpus[0].rpartition('/')[2]} does, found {other.enable_method or 'none'}; "
                + ("arm64 does not start it" if never_started(other) else "no CPU gets a driver"),
                other.method_where,
                kernels=kernels,
            )
