"""IS311 byte-swapped-flags: a flag word makes sense only with its bytes reversed.

What it does
    Takes flag words that name no class of state or have undefined bits, and looks whether the
    reversed word is whole: defined bits only, a class this processor has, and on stop states
    LOSE_USER_CONTEXT in agreement with ESL.

Why is this bad
    Property cells are big-endian. A word written in the order of a little-endian machine means
    something else to firmware and kernel: at best the state is dropped, at worst one bit reads
    as another. In 2014 bit 0x200, reversed, was SLEEP_ENABLED.

Example
    extends: power9
    override:
      stop4: {flags: [0x00702000]}

Use instead
    extends: power9
    override:
      stop4: {flags: [0x00207000]}

Ground
    skiboot 7f73dfca2 (flags made endian-safe); Devicetree Specification, section 2.2.4, u32.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from .is3_control import flags_text, swapped_flags
from .rule import Rule

RULE = Rule("IS311", "byte-swapped-flags", Severity.ERROR)


def check(subject: Subject) -> Iterator[Finding]:
    if not subject.is_opal:
        return
    for index, state in enumerate(subject.table.states):
        swapped = swapped_flags(subject, state)
        if swapped is not None:
            yield RULE.finding(
                subject,
                f"{state.name}'s flags {state.flags:#010x} make no sense, with their bytes "
                f"reversed they are {flags_text(swapped)}",
                subject.at(index, "flags"),
            )
