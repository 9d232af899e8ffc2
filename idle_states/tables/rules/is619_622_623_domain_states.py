"""IS619 domain-without-cpu-part: a power domain's parameter leaves out what its CPUs do.

What it does
    Decodes the suspend parameters of power domains' states beside that of the CPUs' deepest state.
    A warning: the CPU powers down, and the domain's state does not; in the original format, no
    level above the CPU's. A note: the lowest four bits of an extended StateID, the CPU's share as
    PSCI recommends it, are not those of the CPU's deepest state.

Why is this bad
    In OS-initiated mode Linux sends the parameter of the highest domain that it turns off in place
    of the CPU's, and adds nothing of the CPU's to it: it has to say what becomes of the CPU as
    well.

    The layout of StateID is firmware's own, so that other bits alone are a note.

Example
    CLUSTER of trees.py, but
    -         arm,psci-suspend-param = <0x41000033>;
    +         arm,psci-suspend-param = <0x1000033>;

Use instead
    CLUSTER of trees.py

Ground
    Linux drivers/cpuidle/cpuidle-psci.c psci_get_domain_state(), cpuidle-psci-domain.c
    psci_pd_power_off(); Arm DEN0022, CPU_SUSPEND, power_state and section 6.5, Recommended StateID
    encoding.

IS622 domain-states-need-osi: states of power domains depend on firmware's mode.

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
    CLUSTER of trees.py

Use instead
    TWO_STATES of trees.py, but
    -             cpu-idle-states = <&sleep &deep>;
    +             cpu-idle-states = <&sleep &off>;
    -         arm,psci-suspend-param = <0x10000>;
    +         arm,psci-suspend-param = <0x40000003>;
              min-residency-us = <2000>;
    +         local-timer-stop;
    -     deep: deep {
    +     off: off {
    -         arm,psci-suspend-param = <0x10001>;
    +         arm,psci-suspend-param = <0x41000033>;
    -         min-residency-us = <3000>;
    +         min-residency-us = <4000>;
    +         local-timer-stop;

Ground
    Linux drivers/cpuidle/cpuidle-psci-domain.c psci_cpuidle_domain_probe(), psci_pd_init():
    GENPD_FLAG_ALWAYS_ON; Arm DEN0022, SET_SUSPEND_MODE.

IS623 domain-time-wraps: a power domain's time does not fit the kernel's arithmetic.

What it does
    Looks for times of power domains' states above 4294967 us, and for kernels that multiply them by
    1000 in 32 bits.

Why is this bad
    There, 4294968 us become 704 ns. The domain is turned off for idles that are far too short, or
    is thought to be on again at once.

Example
    CLUSTER of trees.py, but
    -         min-residency-us = <4000>;
    +         min-residency-us = <4294968>;

Use instead
    CLUSTER of trees.py

Ground
    Linux drivers/pmdomain/core.c (before: drivers/base/power/domain.c) genpd_parse_state(),
    corrected by e5d1c8722083 in 6.5, 6.4.4, 6.1.39, 5.15.121 and 5.10.188.
"""

from ...base.model.table import U32_MAX
from ...base.wording import joined
from ..devicetree.idle_nodes import ENTRY, EXIT, RESIDENCY
from ..linux import dt_idle_features
from ..linux.genpd.features import HISTORY
from ..linux.releases import folded
from ..linux.suspend_parameter import Parameter, parameter_of
from ..pipeline import psci_firmware
from .is6_nodes import domain_nodes, listed_by, speaks_for_tree
from .rule import Confidence, Rule, Severity, Subject, Verdict, Verdicts

SHARE = Rule("IS619", "domain-without-cpu-part", Severity.WARNING, forms=("nodes",))
OSI = Rule("IS622", "domain-states-need-osi", Severity.NOTE, Confidence.LOW, forms=("nodes",))
WRAPPING = Rule("IS623", "domain-time-wraps", Severity.ERROR, forms=("nodes",))
RULES = (SHARE, OSI, WRAPPING)
CPU_SHARE = 0xF


@SHARE.of_table
def check_share(subject: Subject) -> Verdicts:
    listed = listed_by(subject)
    parameters = (parameter_of(listed, node) for node in listed.nodes() if node.available)
    own = [parameter for parameter in parameters if parameter]
    for each in domain_nodes(subject) if own else ():
        parameter = parameter_of(listed, each.node) if each.node.available else None
        why, severe = _problem(parameter, own[-1]) if parameter else ("", False)
        if parameter and why:
            yield Verdict(
                each.at_row("control"),
                f"{each.node.name} has parameter {parameter.value:#x}, {why}",
                None if severe else Severity.NOTE,
                None if severe else Confidence.LOW,
            )


def _problem(domain: Parameter, cpu: Parameter) -> tuple[str, bool]:
    """Returns a domain parameter's fault beside the CPU's, and whether any layout has it."""
    if cpu.power_down and not domain.power_down:
        return f"which powers nothing down, while the CPU's {cpu.value:#x} does", True
    if domain.level == 0:
        return "of level 0, the CPU's own", True
    shares = [one.state & CPU_SHARE for one in (domain, cpu)]
    if domain.format in ("extended", "either") and shares[0] != shares[1]:
        what = f"whose lowest four bits, {shares[0]:#x}, are not those of the CPU's {cpu.value:#x}"
        return what, False
    return "", False


@OSI.of_table
def check_osi(subject: Subject) -> Verdicts:
    found = [each for each in domain_nodes(subject) if each.node.available]
    if not found or listed_by(subject).enable_method != "psci" or not speaks_for_tree(subject):
        return
    if psci_firmware(subject.platform).osi:
        severity = None
        why = "entered only if firmware has OS-initiated mode, which the tree cannot say"
    else:
        severity = Severity.WARNING
        why = "never entered: firmware has no OS-initiated mode"
    names = joined([each.node.name for each in found])
    yield Verdict(found[0].at_row(), f"{names}: {why}", severity)


@WRAPPING.of_table
def check_times(subject: Subject) -> Verdicts:
    kernels = tuple(
        release.name
        for release in subject.kernels
        if dt_idle_features.features(release).hierarchy and not folded(HISTORY, release).wide_times
    )
    for each in domain_nodes(subject) if kernels else ():
        for name in (ENTRY, EXIT, RESIDENCY):
            us = each.node.u32(name)
            if us is not None and us * 1000 > U32_MAX:
                wrapped = f"which wraps to {us * 1000 & U32_MAX} ns"
                message = f"{each.node.name} has {name} {us}, {wrapped}"
                yield Verdict(each.node.at(name), message, kernels=kernels)
