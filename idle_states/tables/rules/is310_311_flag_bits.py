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
    -   nap: {flags: [0x100, NAP_ENABLED]}
    +   nap: {flags: [LOSE_USER_CONTEXT, NAP_ENABLED]}

Ground
    skiboot include/opal-api.h; the bits moved in 7f73dfca2.

IS311 byte-swapped-flags: a flag word makes sense only with its bytes reversed.

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
    -   stop4: {flags: [0x00702000]}
    +   stop4: {flags: [0x00207000]}

Ground
    skiboot 7f73dfca2 (flags made endian-safe); Devicetree Specification, section 2.2.4, u32.
"""

from ...base.model.table import KNOWN_FLAGS
from .is3_control import FLAGS_OF_2014, flags_text, swapped_flags
from .rows import StateRow, every_row, opal_rows
from .rule import Rule, Severity, Verdicts

UNKNOWN = Rule("IS310", "unknown-flag-bits", Severity.ERROR, requires=("IS311",))
SWAPPED = Rule("IS311", "byte-swapped-flags", Severity.ERROR)
RULES = (UNKNOWN, SWAPPED)


@UNKNOWN.of_each(every_row)
def check_bits(row: StateRow) -> Verdicts:
    unknown = row.state.flags & ~KNOWN_FLAGS
    if not unknown or swapped_flags(row.subject, row.state) is not None:
        return
    old = unknown & FLAGS_OF_2014
    hint = f"; {old:#x} are context-loss bits of 2014, today {old << 4:#x}" if old else ""
    found = f"undefined bits {unknown:#x} in flags {row.state.flags:#010x}{hint}"
    yield row.verdict("flags", f"{row.name} has {found}")


@SWAPPED.of_each(opal_rows)
def check_order(row: StateRow) -> Verdicts:
    swapped = swapped_flags(row.subject, row.state)
    if swapped is not None:
        yield row.verdict(
            "flags",
            f"{row.name}'s flags {row.state.flags:#010x} make no sense, with their bytes reversed "
            f"they are {flags_text(swapped)}",
        )
