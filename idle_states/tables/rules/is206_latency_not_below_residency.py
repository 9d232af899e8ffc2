"""IS206 latency-not-below-residency: a state's exit latency is not below its target residency.

What it does
    Compares exit latency and target residency of each row; equal counts. The message stands at
    the latency.

Why is this bad
    The target residency includes entry and exit, so it is longer than the exit alone. Where it is
    not, the fields were swapped, a unit is wrong, or an absurd latency hides the state from
    cpuidle. In the last case, suppress the finding and write `cpuidle: no`.

    It is a note in Arm and RISC-V trees: Linux adds entry and exit latency, the binding's
    min-residency-us includes the entry alone, and some authors count the exit in. To silence it,
    write a min-residency-us above entry-latency-us + exit-latency-us, if that is where the state
    breaks even. An entry latency that is itself longer is IS609. It is a note, too, in tables of
    Linux's own drivers and in what a kernel reports, as on x86: some latencies include more than
    the exit.

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
    "IS206",
    "latency-not-below-residency",
    Severity.WARNING,
    forms=FORMS,
    requires=("IS211",),
    varies=True,
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
