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
    extends: power9
    override:
      stop1: {name: stop1}

Ground
    skiboot hw/slw.c add_cpu_idle_state_properties() logs and exports names unchecked; Linux
    drivers/cpuidle/sysfs.c shows them as cpuidle/stateN/name.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from .competing import competing
from .rule import FORMS, Rule

RULE = Rule("IS111", "duplicate-name", Severity.WARNING, forms=FORMS)


def check(subject: Subject) -> Iterator[Finding]:
    for group in competing(subject):
        first: dict[str, int] = {}
        for index in group:
            name = subject.table.states[index].name
            earlier = first.setdefault(name, index)
            if earlier != index:
                yield RULE.finding(
                    subject,
                    f"expected each name once, found {name!a} as state {earlier} and {index}",
                    subject.at(index, "name"),
                    related=[(subject.at(earlier, "name"), "first used here")],
                )
