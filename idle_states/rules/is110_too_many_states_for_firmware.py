"""IS110 too-many-states-for-firmware: skiboot's loop over the table never ends.

What it does
    Counts the rows of a table that skiboot would export: 255 at most.

Why is this bad
    The export walks the table with a u8 index. With 256 rows the index wraps to 0 before it
    reaches the end, and the boot hangs while it writes beyond its buffers. Linux uses nine
    states anyway (IS105).

Example
    extends: power9
    states:
      - {name: s000, latency: 11ms, residency: 110ms, flags: [STOP_INST_FAST], psscr: 0}
      # and so on to s247

Use instead
    extends: power9
    states:
      - {name: s000, latency: 11ms, residency: 110ms, flags: [STOP_INST_FAST], psscr: 0}

Ground
    skiboot hw/slw.c add_cpu_idle_state_properties(): u8 i against int nr_states. Concluded from
    the source; nobody has reported it.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from .rule import Rule

RULE = Rule("IS110", "too-many-states-for-firmware", Severity.ERROR, forms=("spec", "c"))

MOST = 255


def check(subject: Subject) -> Iterator[Finding]:
    found = len(subject.table.states)
    if subject.is_opal and found > MOST:
        yield RULE.finding(
            subject,
            f"expected at most {MOST} states, found {found}; skiboot loops over them for ever",
            subject.at(MOST, "name"),
        )
