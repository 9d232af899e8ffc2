"""IS627 misspelt-property: a property is one letter from a name that Linux reads.

What it does
    Compares the property names of CPUs, of their power domains and of idle states with the names
    that Linux reads there. One letter more, less, other or swapped counts, and so does an
    underscore for a hyphen. Not reported where the node has the right name, too.

Why is this bad
    Linux ignores what it does not know, without a message. With cpu-idle-state instead of
    cpu-idle-states, no CPU has an idle state beyond WFI; with local-timer-stops, a CPU sleeps past
    its timer.

Example
    ONE_STATE of trees.py, but
    -         min-residency-us = <2000>;
    +         min-residency-us = <2000>;
    +         local-timer-stops;

Use instead
    -         local-timer-stops;
    +         local-timer-stop;

Ground
    Linux drivers/of/cpu.c, drivers/cpuidle/dt_idle_states.c and drivers/pmdomain/core.c ask for
    properties by name; Documentation/devicetree/bindings/cpu/idle-states.yaml lists them.

IS628 unnamed-power-domain: CPUs are in a power domain of PSCI or SBI that they do not name.

What it does
    Looks for CPUs with power-domains whose power-domain-names is missing or lacks "psci" ("sbi" on
    RISC-V), where their first power domain is one of the CPUs' idle states' domains.

Why is this bad
    Linux attaches a CPU to its power domain by name. A CPU without the name is not counted: the
    kernel asks for the cluster's state while this CPU still runs, and PSCI firmware has to deny it.
    On RISC-V one such CPU makes the driver leave out every power domain.

Example
    CLUSTER of trees.py, but
                  power-domains = <&two>;
    -             power-domain-names = "psci";

Use instead
                  power-domains = <&two>;
    +             power-domain-names = "psci";

Ground
    Linux drivers/cpuidle/dt_idle_genpd.c dt_idle_attach_cpu(), dev_pm_domain_attach_by_name();
    cpuidle-riscv-sbi.c sbi_dt_cpu_init_topology().

IS629 foreign-entry-method: entry-method names another method than psci.

What it does
    Compares entry-method, a property of the node around the idle states, with the one value that
    the binding allows: "psci". Only trees whose CPUs have the enable-method psci are looked at.

Why is this bad
    The binding's check (make dtbs_check) fails. Linux does not read the property, so the states
    work all the same. "arm,psci" is what drafts of the binding had.

Example
    ONE_STATE of trees.py, but
    -     sleep: sleep {
    +     idle-states { entry-method = "arm,psci"; };
    +     sleep: sleep {

Use instead
    -     idle-states { entry-method = "arm,psci"; };
    +     idle-states { entry-method = "psci"; };

Ground
    Linux Documentation/devicetree/bindings/cpu/idle-states.yaml, entry-method: const psci.
"""

from ..devicetree.idle_nodes import ENTRY_METHOD as ENTRY_METHOD_NAME
from .is6_nodes import cpus_text, listed_by, speaks_for_tree
from .rule import Rule, Severity, Subject, Verdict, Verdicts

MISSPELT = Rule("IS627", "misspelt-property", Severity.WARNING, forms=("nodes",))
UNNAMED = Rule("IS628", "unnamed-power-domain", Severity.WARNING, forms=("nodes",))
ENTRY_METHOD = Rule("IS629", "foreign-entry-method", Severity.WARNING, forms=("nodes",))
RULES = (MISSPELT, UNNAMED, ENTRY_METHOD)


@MISSPELT.of_table
def check_spelling(subject: Subject) -> Verdicts:
    for each in listed_by(subject).misspelt if speaks_for_tree(subject) else ():
        yield Verdict(each.where, each.fault)


@UNNAMED.of_table
def check_names(subject: Subject) -> Verdicts:
    for listed in listed_by(subject).of_tree if speaks_for_tree(subject) else ():
        name = "sbi" if listed.riscv else "psci"
        domains = {domain.path for domain in listed.power_domains}
        if listed.attached is None and listed.first_domain in domains:
            domain = listed.first_domain.rpartition("/")[2]
            message = (
                f'expected {cpus_text(listed)} to have power-domain-names = "{name}" beside '
                f"power-domains, found no such name; Linux does not attach them to {domain}"
            )
            yield Verdict(listed.method_where.at(f"{listed.cpus[0]}:power-domains"), message)


@ENTRY_METHOD.of_table
def check_entry_method(subject: Subject) -> Verdicts:
    listed = listed_by(subject)
    by_psci = any(one.enable_method == "psci" for one in listed.of_tree)
    for node in listed.entry_methods if by_psci and speaks_for_tree(subject) else ():
        found = node.strings(ENTRY_METHOD_NAME)
        if found != ("psci",):
            shown = ", ".join(f'"{ascii(text)[1:-1]}"' for text in found) or "no text"
            message = f'expected entry-method = "psci", found {shown}'
            yield Verdict(
                node.at(ENTRY_METHOD_NAME),
                f"{message}; the binding allows no other, and Linux does not read it",
            )
