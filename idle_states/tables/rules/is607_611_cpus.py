"""IS607 cpu-without-states: one CPU lists no idle state, others do.

What it does
    Looks for CPUs without cpu-idle-states, or with an empty list, in a tree where others have one.

Why is this bad
    The driver registers a CPU at a time, and takes all back as soon as one has no states: the whole
    machine then idles in WFI.

Example
    ONE_STATE of trees.py, but
                  cpu-idle-states = <&sleep>;
    +         };
    +         cpu@1 {
    +             compatible = "arm,cortex-a53";
    +             device_type = "cpu";
    +             enable-method = "psci";

Use instead
              cpu@1 {
                  compatible = "arm,cortex-a53";
                  device_type = "cpu";
                  enable-method = "psci";
    +             cpu-idle-states = <&sleep>;

Ground
    Linux drivers/cpuidle/cpuidle-psci.c psci_idle_init_cpu() returns -ENODEV for no states, and
    psci_cpuidle_probe() then unregisters every CPU; so does cpuidle-riscv-sbi.c.

IS611 cpu-without-psci: a CPU is not enabled by PSCI, others are.

What it does
    Looks for CPUs whose enable-method is another one or missing, in a tree where other CPUs have
    psci and list idle states.

Why is this bad
    PSCI's driver asks every CPU for its enable-method, and gives up on all CPUs if one has another,
    or the one that boots has none. The whole machine then idles in WFI, and nothing is logged. Any
    other CPU without enable-method is not even started on arm64.

Example
    ONE_STATE of trees.py, but
              cpu@0 {
    +             compatible = "arm,cortex-a53";
    +             device_type = "cpu";
    +             cpu-idle-states = <&sleep>;
    +         };
    +         cpu@1 {

Use instead
                  device_type = "cpu";
    +             enable-method = "psci";

Ground
    Linux drivers/cpuidle/cpuidle-psci.c psci_idle_init_cpu() returns -ENODEV for such a CPU, and
    psci_cpuidle_probe() then unregisters every CPU; arch/arm64/kernel/smp.c smp_cpu_setup().
    Confirmed by boots of Linux 6.1.
"""

from ..devicetree.missing_files import is_shown
from ..linux.dt_idle import never_started
from ..linux.dt_idle_features import features
from .is6_nodes import cpus_text, listed_by, speaks_for_tree
from .rule import Rule, Severity, Subject, Verdict, Verdicts

WITHOUT_STATES = Rule("IS607", "cpu-without-states", Severity.ERROR, forms=("nodes",))
WITHOUT_PSCI = Rule("IS611", "cpu-without-psci", Severity.ERROR, forms=("nodes",))
RULES = (WITHOUT_STATES, WITHOUT_PSCI)


@WITHOUT_STATES.of_table
def check_states(subject: Subject) -> Verdicts:
    listed = listed_by(subject)
    for other in filter(is_shown, listed.siblings if listed.nodes() else ()):
        if not other.nodes() and other.enable_method == listed.enable_method:
            expected = f"{cpus_text(other)} to list idle states as {listed.cpus[0]} does"
            yield Verdict(other.where, f"expected {expected}, found none")


@WITHOUT_PSCI.of_table
def check_method(subject: Subject) -> Verdicts:
    siblings = listed_by(subject).siblings
    first = next((one for one in siblings if one.enable_method == "psci" and one.nodes()), None)
    kernels = tuple(release.name for release in subject.kernels if features(release).psci)
    if first is None or not kernels or not speaks_for_tree(subject):
        return
    for other in siblings:
        if other.enable_method != "psci":
            outcome = "arm64 does not start it" if never_started(other) else "no CPU gets a driver"
            yield Verdict(
                other.method_where,
                f"expected {cpus_text(other)} to have enable-method psci as "
                f"{first.cpus[0].rpartition('/')[2]} does, found {other.enable_method or 'none'}; "
                + outcome,
                kernels=kernels,
            )
