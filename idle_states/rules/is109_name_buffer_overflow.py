"""IS109 name-buffer-overflow: the names together are longer than skiboot can count.

What it does
    Adds up the names of all rows, each with its NUL, and compares with 255.

Why is this bad
    skiboot counts the bytes of the exported names in a u8. Past 255 it wraps: the property gets
    a wrong start and length, and the assert at the end of the export stops the boot. Sixteen
    names of 15 bytes are enough. Rows are counted as if all were exported; which are depends on
    the platform.

Example
    extends: power9
    states:
      - {name: stop_level00_us, latency: 11ms, residency: 110ms, flags: [STOP_INST_FAST], psscr: 0}
      # and so on to stop_level12_us

Use instead
    extends: power9
    states:
      - {name: s00, latency: 11ms, residency: 110ms, flags: [STOP_INST_FAST], psscr: 0}
      # and so on to s12

Ground
    skiboot hw/slw.c add_cpu_idle_state_properties(): u8 name_buf_len and
    assert(alloced_name_buf == name_buf). Concluded from the source; nobody has reported it.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from .rule import Rule

RULE = Rule("IS109", "name-buffer-overflow", Severity.ERROR, forms=("spec", "c"))

LIMIT = 255


def check(subject: Subject) -> Iterator[Finding]:
    if not subject.is_opal:
        return
    lengths = [
        len(state.name.encode("utf-8", "surrogateescape")) + 1 for state in subject.table.states
    ]
    total = sum(lengths)
    if total <= LIMIT:
        return
    used = 0
    for index, length in enumerate(lengths):
        used += length
        if used > LIMIT:
            yield RULE.finding(
                subject,
                f"expected at most {LIMIT} bytes of names, NULs included, found {total}; "
                "skiboot's count wraps and its assert stops the boot",
                subject.at(index, "name"),
            )
            return
