"""IS427 state-switched-off: a state of a running machine is switched off.

What it does
    Reports each state of a dump of cpuidle's sysfs whose `disable` is 1: by a person or a program,
    or from the start, which `default_status` tells.

Why is this bad
    No governor selects the state, whatever its times are. Switched off for a measurement, or by a
    tuning profile, it stays off until the next boot, and its energy is not saved. The finding is a
    note where the driver registered the state as off, which is its choice.

Example
    DUMP of trees.py, but
      cpu0/cpuidle/state1/usage:700
    + cpu0/cpuidle/state1/disable:1

Use instead
    DUMP of trees.py

Ground
    Linux Documentation/admin-guide/pm/cpuidle.rst, disable and default_status; menu, teo and ladder
    pass over a state whose states_usage[].disable is set.

IS428 state-beyond-limit: a CPU's latency limit excludes a state.

What it does
    Compares the exit latency of each state of a dump with pm_qos_resume_latency_us of its CPUs,
    where the dump has it. State 0 is always allowed.

Why is this bad
    No governor selects a state whose exit latency is above the limit. A limit that was set for one
    program and never taken back keeps the CPU from its deep states.

Example
    DUMP of trees.py, but
      cpu0/cpuidle/state1/usage:700
    + cpu0/power/pm_qos_resume_latency_us:50

Use instead
    DUMP of trees.py

Ground
    Linux drivers/cpuidle/governor.c, cpuidle_governor_latency_req(), since 9908859acaa9 (4.11);
    drivers/base/power/sysfs.c: 0 stands for no limit, n/a for one of 0.

IS429 state-not-used: a running machine enters a state hardly, or never.

What it does
    Compares the entries of each state of a dump with those of all states, from 1,000 on: none, or
    less than a thousandth of the entries and of the idle time. States that are off or beyond a
    limit have findings of their own.

Why is this bad
    It need not be. But a state that is never entered saves nothing: the idle periods may be too
    short for its target residency, another state may always be preferred (`prove` tells), or
    something that sysfs does not show keeps it from being used.

Example
    DUMP of trees.py, but
    - cpu0/cpuidle/state1/usage:700
    + cpu0/cpuidle/state1/usage:0

Use instead
    DUMP of trees.py

Ground
    Linux Documentation/admin-guide/pm/cpuidle.rst, usage and time. The thousandth is this tool's.
"""

from collections.abc import Callable

from ..linux.held import facts
from .rule import Rule, Severity, Subject, Verdict, Verdicts

OFF = Rule("IS427", "state-switched-off", Severity.WARNING, forms=("sysfs",))
BEYOND = Rule("IS428", "state-beyond-limit", Severity.WARNING, forms=("sysfs",))
NOT_USED = Rule("IS429", "state-not-used", Severity.NOTE, forms=("sysfs",))
RULES = (OFF, BEYOND, NOT_USED)


def _check(rule: Rule) -> Callable[[Subject], Verdicts]:
    """Returns the check that reports the facts of a rule."""

    def check(subject: Subject) -> Verdicts:
        held = subject.table.origin
        found = facts(held) if held.form == "sysfs" else ()
        for fact in (each for each in found if each.kind == rule.name):
            where = subject.at(fact.row, fact.attribute)
            chosen = rule is OFF and fact.state.default_disabled
            said = f"{fact.state.name} {fact.words}"
            yield Verdict(where, said, Severity.NOTE if chosen else None)

    return check


for _rule in RULES:
    _rule.of_table(_check(_rule))
