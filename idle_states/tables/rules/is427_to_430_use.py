"""IS427 state-switched-off: a state of a running machine is switched off.

What it does
    Reports each state of a dump of cpuidle's sysfs whose `disable` is 1, with the reason that
    `why` gives: switched off while the machine ran, by the driver, or by a parameter.

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
    Compares the exit latency of each state of a dump with pm_qos_resume_latency_us of its CPUs and
    with the machine's limit (/dev/cpu_dma_latency), where the dump has them. State 0 is always
    allowed.

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
    Compares the entries of each state of a dump with those of all states: none, or less than a
    thousandth of the entries and of the idle time. The finding has the reason that `why` gives;
    one that is not known is reported from 1,000 entries on. States that are off, beyond a limit or
    refused have findings of their own.

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

IS430 state-undone: entries of a state that come to nothing.

What it does
    Reports each state of a dump whose `rejected` is at least half of its `usage`, so that a third
    of the attempts to enter it failed, or whose entries last less than a tenth of its exit latency;
    as a note a deepest state that cores were in for less than half the time that their threads
    were, as the siblings were busy.

Why is this bad
    The governor chose the state for a long idle period, and the CPU entered none. Firmware may
    not know the state, or a device's driver may hold the power domain.

Example
    DUMP of trees.py, but
      cpu0/cpuidle/state1/usage:700
    + cpu0/cpuidle/state1/rejected:600

Use instead
    DUMP of trees.py

Ground
    Linux drivers/cpuidle/cpuidle.c, cpuidle_enter_state(): rejected counts entries that fail, since
    5.10; Documentation/admin-guide/pm/cpuidle.rst. The third is this tool's.
"""

from collections.abc import Callable
from functools import lru_cache

from .rule import Rule, Severity, Subject, Verdict, Verdicts

OFF = Rule("IS427", "state-switched-off", Severity.WARNING, forms=("sysfs",))
BEYOND = Rule("IS428", "state-beyond-limit", Severity.WARNING, forms=("sysfs",))
NOT_USED = Rule("IS429", "state-not-used", Severity.NOTE, forms=("sysfs",))
STATE_UNDONE = Rule("IS430", "state-undone", Severity.WARNING, forms=("sysfs",))
RULES = (OFF, BEYOND, NOT_USED, STATE_UNDONE)
_KIND2RULE = {"switched-off": OFF, "cpu-limit": BEYOND, "system-limit": BEYOND}
_UNDONE = "refused", "left-at-once", "busy-sibling"
_KIND2RULE |= dict.fromkeys(_UNDONE, STATE_UNDONE)
_CODE2ATTRIBUTE = {"IS427": "disable", "IS428": "latency"}


@lru_cache(maxsize=1)  # of one table, which these rules look at in turn
def _verdicts(subject: Subject) -> tuple[tuple[Rule, Verdict], ...]:
    """Returns the reasons that `why` gives for the states of a dump, by their rules."""
    from ..why.answer import explained_of

    held, found = subject.table.origin, list[tuple[Rule, Verdict]]()
    if held.form != "sysfs":
        return ()
    for number, each in explained_of(held):
        for reason in each.reasons:
            rule = _KIND2RULE.get(reason.kind, NOT_USED)
            where = subject.at(number - held.first_row, _CODE2ATTRIBUTE.get(rule.code, "usage"))
            message = f"{each.title}: {reason.because} ({reason.kind})"
            off = rule is OFF and held.states[number].default_disabled
            note = Severity.NOTE if off or reason.kind == "busy-sibling" else None
            found.append((rule, Verdict(where, message, note)))
    return tuple(found)


def _check(rule: Rule) -> Callable[[Subject], Verdicts]:
    """Returns the check that reports the reasons of a rule."""
    return lambda subject: (verdict for of, verdict in _verdicts(subject) if of is rule)


for _rule in RULES:
    _rule.of_table(_check(_rule))
