"""IS317 no-fast-state: no state of a stop table has STOP_INST_FAST.

What it does
    Looks for at least one STOP_INST_FAST state in each table of POWER9 and later that has
    states.

Why is this bad
    The default stop state, which CPUs use before cpuidle takes over and whenever it is off, is
    the first valid FAST state. Without one Linux logs "No suitable default stop state found.
    Disabling platform idle." and idle CPUs spin. On a machine without a wakeup engine nothing is
    exported at all.

Example
    extends: power9
    drop: [stop0_lite, stop0, stop1, stop2]

Use instead
    extends: power9
    drop: [stop0_lite, stop1, stop2]

Ground
    Linux arch/powerpc/platforms/powernv/idle.c pnv_arch300_idle_init(); skiboot hw/slw.c
    add_cpu_idle_state_properties(), supported_states_mask.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from ..table import Flag
from .rule import Rule

RULE = Rule(
    "IS317",
    "no-fast-state",
    Severity.ERROR,
    aliases=("linux:No suitable default stop state found",),
)


def check(subject: Subject) -> Iterator[Finding]:
    states = subject.table.states
    if not subject.is_stop or not states:
        return
    if not any(state.has(Flag.STOP_INST_FAST) for state in states):
        yield RULE.finding(
            subject,
            f"none of the {len(states)} states has STOP_INST_FAST, so there is no default stop "
            "state",
            subject.at(None, "states"),
        )
