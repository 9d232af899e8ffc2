"""IS316 first-state-not-stop: the first state of an ISA 3.0 tree has no stop class.

What it does
    Looks at the first entry of the flags: on POWER9 and later it must have STOP_INST_FAST or
    STOP_INST_DEEP. Firmware never exports a row without one, so specs and C tables cannot have
    the problem; a tree that was edited or assembled can.

Why is this bad
    Linux decides by the first entry alone whether there are stop states. Without a class there,
    it takes none of them, and CPUs only snooze. Nothing in the log says why.

Example
    POWER_MGT of trees.py, but
              power-mgt {
    +             ibm,cpu-idle-state-names = "stop0_lite", "stop0";
    +             ibm,cpu-idle-state-latencies-ns = <1000 2000>;
    +             ibm,cpu-idle-state-residency-ns = <10000 20000>;
    +             ibm,cpu-idle-state-flags = <0x0 0x101000>;
    +             ibm,cpu-idle-state-psscr = <0x0 0x330 0x0 0x300330>;
    +             ibm,cpu-idle-state-psscr-mask = <0x0 0x3003ff 0x0 0x3003ff>;

Use instead
    -             ibm,cpu-idle-state-flags = <0x0 0x101000>;
    +             ibm,cpu-idle-state-flags = <0x100000 0x101000>;

Ground
    Linux drivers/cpuidle/cpuidle-powernv.c powernv_add_idle_states(), has_stop_states; skiboot
    hw/slw.c add_cpu_idle_state_properties(), supported_states_mask.
"""

from .is3_control import flags_text
from .rows import psscr_rows
from .rule import Rule, Severity, Subject, Verdicts

RULE = Rule(
    "IS316", "first-state-not-stop", Severity.ERROR, forms=("dt",), requires=("IS311", "IS314")
)


@RULE.of_table
def check(subject: Subject) -> Verdicts:
    first = next(iter(psscr_rows(subject)), None)
    if first and not first.state.is_stop:
        yield first.verdict(
            "flags",
            f"the first state, {first.name}, has flags {flags_text(first.state.flags)} and no "
            f"stop class, so Linux registers none of the {len(subject.table.states)} states",
        )
