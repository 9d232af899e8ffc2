"""IS606 disabled-state-shifts-parameters: a disabled state comes before an enabled one.

What it does
    Compares the parameter each registered state is entered with and the one its node has.

Why is this bad
    Linux leaves disabled nodes out of the states, but takes the suspend parameters of the first
    nodes of the list, disabled or not. An enabled state behind a disabled one is entered with
    another state's parameter: the CPU sleeps deeper or lighter than the governor thinks.

Example
    ONE_STATE of trees.py, but
    -             cpu-idle-states = <&sleep>;
    +             cpu-idle-states = <&retention &sleep>;
              };
    +     };
    +     retention: retention {
    +         compatible = "arm,idle-state";
    +         arm,psci-suspend-param = <0x1>;
    +         entry-latency-us = <300>;
    +         exit-latency-us = <600>;
    +         min-residency-us = <2000>;
    +         status = "disabled";

Use instead
    -             cpu-idle-states = <&retention &sleep>;
    +             cpu-idle-states = <&sleep>;

Ground
    Linux drivers/cpuidle/dt_idle_states.c dt_init_idle_driver() against
    drivers/cpuidle/cpuidle-psci.c psci_dt_cpu_init_idle(), which counts by of_get_cpu_state_node();
    so does cpuidle-riscv-sbi.c. Seen in a boot of Linux 6.1, not in the field.
"""

from .rule import KernelView, Rule, Severity, Verdict, Verdicts

RULE = Rule("IS606", "disabled-state-shifts-parameters", Severity.ERROR, forms=("nodes",))


@RULE.of_each_driver
def check(view: KernelView) -> Verdicts:
    for changed in view.driver.changed:
        if changed.field.endswith("suspend-param"):
            yield Verdict(
                view.subject.at(changed.index, "control"),
                f"{changed.state} is entered with {changed.field} {changed.after} instead of "
                f"{changed.before}: {changed.reason}",
            )
