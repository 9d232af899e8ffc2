"""IS111 duplicate-name: two states have the same name.

What it does
    Compares the names of all states of a table, exactly; of an Arm or RISC-V tree those of one
    CPU's list, and those of one power domain.

Why is this bad
    Firmware and kernel do not care, people and scripts do: the name is all that the skiboot log,
    sysfs and cpupower show, and nobody can tell which of the two is used, or disable one by name.

Example
    extends: power9
    override:
      stop1: {name: stop0}

Use instead
    -   stop1: {name: stop0}
    +   stop1: {name: stop1}

Ground
    skiboot hw/slw.c add_cpu_idle_state_properties() logs and exports names unchecked; Linux
    drivers/cpuidle/sysfs.c shows them as cpuidle/stateN/name.
"""

from .competing import competing
from .rows import StateRow, repeated
from .rule import FORMS, Rule, Severity, Verdicts

RULE = Rule("IS111", "duplicate-name", Severity.WARNING, forms=FORMS)


@RULE.of_each(competing)
def check(group: list[StateRow]) -> Verdicts:
    for first, row in repeated(group, lambda each: each.name):
        numbers = f"{first.number} and {row.number}"
        yield row.verdict(
            "name",
            f"expected each name once, found {row.name!a} as state {numbers}",
            related=[(first.at("name"), "first used here")],
        )
