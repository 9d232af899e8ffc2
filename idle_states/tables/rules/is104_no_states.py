"""IS104 no-states: there is not one idle state.

What it does
    Reports a table without rows, a tree whose flags are an empty property, and a tree without
    any idle-state property.

Why is this bad
    CPUs have nothing but snooze, and with the ladder governor Linux before e5c9ffc6ae1b calls a
    null pointer. skiboot writes empty properties when ibm,enabled-stop-levels is 0 or absent
    ("SLW: No stop levels available") and none at all for a chip it does not know. fwts passes
    the empty ones.

Example
    extends: power10
    drop: [stop0_lite, stop0, stop2, stop3]

Use instead
    extends: power10
    drop: [stop0_lite, stop2, stop3]

Ground
    skiboot hw/slw.c add_cpu_idle_state_properties(); op-test DeviceTreeValidation.py "No idle
    states found in DT"; Linux cpuidle-powernv.c powernv_add_idle_states().
"""

from ...base.model.power_mgt import FLAGS
from .is1_arrays import has_arrays, state_count
from .rule import Rule, Severity, Subject, Verdict, Verdicts

RULE = Rule("IS104", "no-states", Severity.ERROR, aliases=("op-test:No idle states found in DT",))


@RULE.of_table
def check(subject: Subject) -> Verdicts:
    node = subject.node
    if node is None:
        if not subject.table.states:
            yield Verdict(subject.at(None), "expected at least one state, found none")
    elif not has_arrays(node):
        yield Verdict(node.where, "expected ibm,cpu-idle-state-* properties, found none")
    elif state_count(node) == 0:
        yield Verdict(node.at(FLAGS), f"expected at least one state, found {FLAGS} empty")
