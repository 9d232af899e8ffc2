"""IS310 unknown-flag-bits: a flag word has bits that nobody defines.

What it does
    Compares each flag word with the OPAL_PM_* bits and OPAL_USE_PMICR. Words that make sense
    with their bytes reversed are left to IS311.

Why is this bad
    An undefined bit is a slip, or a bit of another time: 0x100, 0x200 and 0x400 were the
    context-loss bits of 2014, before they moved to 0x1000, 0x2000 and 0x4000. Linux ignores
    unknown bits, so the property the bit was meant for is not there.

Example
    extends: power8
    override:
      nap: {flags: [0x100, NAP_ENABLED]}

Use instead
    extends: power8
    override:
      nap: {flags: [LOSE_USER_CONTEXT, NAP_ENABLED]}

Ground
    skiboot include/opal-api.h; the bits moved in 7f73dfca2.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from ..table import KNOWN_FLAGS
from .is3_control import FLAGS_OF_2014, swapped_flags
from .rule import Rule

RULE = Rule("IS310", "unknown-flag-bits", Severity.ERROR, requires=("IS311",))


def check(subject: Subject) -> Iterator[Finding]:
    for index, state in enumerate(subject.table.states):
        unknown = state.flags & ~KNOWN_FLAGS
        if not unknown or swapped_flags(subject, state) is not None:
            continue
        hint = ""
        old = unknown & FLAGS_OF_2014
        if old:
            hint = f"; {old:#x} are context-loss bits of 2014, today {old << 4:#x}"
        yield RULE.finding(
            subject,
            f"{state.name} has undefined bits {unknown:#x} in flags {state.flags:#010x}{hint}",
            subject.at(index, "flags"),
        )
