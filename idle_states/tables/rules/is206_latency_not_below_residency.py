"""IS206 latency-not-below-residency: leaving a state takes as long as it must last.

What it does
    Compares exit latency and target residency of each row; equal counts. The message stands at
    the latency.

Why is this bad
    The target residency includes entry and exit, so it is longer than the exit alone. Where it is
    not, the fields were swapped, a unit is wrong, or an absurd latency hides the state from
    cpuidle. In the last case, suppress the finding and write `cpuidle: no`. In tables of Linux's
    own drivers it is a note, and in what a kernel holds of them, as on x86: some count into the
    latency what others leave out. So it is in Arm and RISC-V trees, where Linux makes the latency
    of entry and exit, while the residency includes the entry alone: the binding allows it, and an
    equal one is what authors write who count the exit in. An entry that is longer by itself is
    IS609.

Example
    extends: power9
    override:
      stop2: {latency: 100us, residency: 10us}

Use instead
    -   stop2: {latency: 100us, residency: 10us}
    +   stop2: {latency: 10us, residency: 100us}

Ground
    Definition of both in Linux Documentation/devicetree/bindings/cpu/idle-states.yaml; the one
    historical case, stop1 of POWER9 DD1 (skiboot 84368bbf8), is deliberate.
"""

from .is2_times import Cost, costs
from .rule import FORMS, Rule, Severity, Subject, Verdicts

RULE = Rule(
    "IS206", "latency-not-below-residency", Severity.WARNING, forms=FORMS, requires=("IS211",)
)


@RULE.of_each(costs)
def check(cost: Cost) -> Verdicts:
    row, latency, residency = cost.row, cost.latency, cost.residency
    if not _in_order(cost):
        yield row.verdict(
            "latency",
            f"{row.name} has {latency.kind} of {latency}, not below its target residency of "
            f"{residency}",
            severity=None if _from_firmware(row.subject) else Severity.NOTE,
            related=[(row.at("residency"), "the target residency")],
        )


def _in_order(cost: Cost) -> bool:
    row, latency, residency = cost.row, cost.latency, cost.residency
    listed = row.subject.table.origin
    if listed.form != "nodes":
        return latency.ns < residency.ns
    from ..devicetree.idle_nodes import row_nodes
    from .is6_nodes import entry_above_residency

    return latency.ns <= residency.ns or entry_above_residency(row_nodes(listed)[row.number])


def _from_firmware(subject: Subject) -> bool:
    """Tells whether the times are OPAL's, where the residency includes the exit: not in drivers'
    tables, in nodes of Arm and RISC-V, and in what other machines' kernels hold."""
    held = subject.table.origin
    if held.form == "sysfs":
        from ..linux.held import SNOOZE

        return held.states[0].name == SNOOZE
    return subject.form not in ("driver", "nodes")
