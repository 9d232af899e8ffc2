"""IS320 masked-by-firmware: OPAL's own mask keeps a state out of every tree.

What it does
    Exports the table as the platform's skiboot would and reports the rows that fall to the
    built-in mask. In today's skiboot it leaves levels 0 to 5.

Why is this bad
    The row looks like a state that the machine offers, and is dead: hostboot may enable its
    level, the tree never has it. Only an NVRAM key meant for debugging brings it back. The
    comment beside the mask ("all but stop11") hides that.

Example
    extends: power9

Use instead
    extends: power9
    drop: [stop8, stop11]

Ground
    skiboot hw/slw.c add_cpu_idle_state_properties(), opal_disabled_states_mask = ~0xFC000000
    (217e5a4ec, 04a50cf04, 1cb7b37c9).

IS321 level-not-enabled: the platform's ibm,enabled-stop-levels leaves out a state's level.

What it does
    Exports the table on the platform asked for and notes the rows whose level hostboot does not
    enable there. The default platform enables all.

Why is this bad
    It need not be: one table serves many machines. But tuning such a row has no effect on this
    one, and a level that should be there is missing because of hostboot, not of the table.

Example
    # platform: op920
    extends: power9

Use instead
      extends: power9
    + drop: [stop8, stop11]

Ground
    skiboot hw/slw.c add_cpu_idle_state_properties(), stop_levels (c3ea33f17, 0500d504b);
    hdata/spira.c add_stop_levels().

IS332 unknown-chip: skiboot takes no table of this kind for the processor's chip.

What it does
    Exports the table as the platform's skiboot would, and notes a chip that this release, or any
    modelled one, does not know. Older releases then export a table with nap alone, newer ones
    nothing.

Why is this bad
    No row of the table reaches a device tree, whatever is in it. It is not the table's mistake,
    hence a note: but a test of the table with that firmware tests another table, or none.

Example
    # platform: skiboot=7.0
    extends: power11

Use instead
    # platform: skiboot=7.1.1
    extends: power11

Ground
    skiboot hw/slw.c add_cpu_idle_state_properties(), chip->type; 1cb7b37c9 for POWER10, 8cd82f715
    for POWER11.
"""

from collections.abc import Iterator
from functools import partial

from ...base.model.stages import Lost
from .rule import Rule, Severity, Subject, Verdict, Verdicts

MASKED = Rule(
    "IS320",
    "masked-by-firmware",
    Severity.WARNING,
    forms=("spec", "c"),
    requires=("IS306", "IS319"),
)
NOT_ENABLED = Rule(
    "IS321", "level-not-enabled", Severity.NOTE, forms=("spec", "c"), requires=("IS306", "IS319")
)
UNKNOWN_CHIP = Rule("IS332", "unknown-chip", Severity.NOTE, forms=("spec",))
RULES = (MASKED, NOT_ENABLED, UNKNOWN_CHIP)


def lost_by(subject: Subject, cause: str) -> Iterator[tuple[Subject, Lost]]:
    """Yields the states that firmware does not export for a cause."""
    for lost in subject.export.lost if subject.export else ():
        if lost.cause == cause:
            yield subject, lost


@MASKED.of_each(partial(lost_by, cause="disabled-by-opal"))
def check_masked(found: tuple[Subject, Lost]) -> Verdicts:
    subject, lost = found
    message = f"{lost.state} is never exported: {lost.reason}"
    yield Verdict(subject.at(lost.index, "control.rl"), message)


@NOT_ENABLED.of_each(partial(lost_by, cause="level-not-enabled"))
def check_enabled(found: tuple[Subject, Lost]) -> Verdicts:
    subject, lost = found
    message = f"{lost.state} is not exported on {subject.platform.name}: {lost.reason}"
    yield Verdict(subject.at(lost.index, "control.rl"), message)


@UNKNOWN_CHIP.of_table
def check_chip(subject: Subject) -> Verdicts:
    for lost in subject.export.lost[:1] if subject.export else ():
        if lost.cause == "unknown-chip":
            yield Verdict(subject.at(None, "cpu"), f"no state is exported: {lost.reason}")
