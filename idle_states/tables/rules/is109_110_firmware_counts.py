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

IS110 too-many-states-for-firmware: skiboot's loop over the table never ends.

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
    -   # and so on to s247

Ground
    skiboot hw/slw.c add_cpu_idle_state_properties(): u8 i against int nr_states. Concluded from
    the source; nobody has reported it.
"""

from itertools import accumulate

from .rule import Rule, Severity, Subject, Verdict, Verdicts

NAMES = Rule("IS109", "name-buffer-overflow", Severity.ERROR, forms=("spec", "c"))
STATES = Rule("IS110", "too-many-states-for-firmware", Severity.ERROR, forms=("spec", "c"))
RULES = (NAMES, STATES)

MOST = 255
"""The greatest value of what skiboot counts both in: a u8."""


@NAMES.of_table
def check_names(subject: Subject) -> Verdicts:
    names = (state.name.encode("utf-8", "surrogateescape") for state in subject.table.states)
    ends = [*accumulate(len(name) + 1 for name in names)]
    if subject.is_opal and ends and ends[-1] > MOST:
        first = next(index for index, end in enumerate(ends) if end > MOST)
        yield Verdict(
            subject.at(first, "name"),
            f"expected at most {MOST} bytes of names, NULs included, found {ends[-1]}; "
            "skiboot's count wraps and its assert stops the boot",
        )


@STATES.of_table
def check_states(subject: Subject) -> Verdicts:
    found = len(subject.table.states)
    if subject.is_opal and found > MOST:
        message = f"expected at most {MOST} states, found {found}; skiboot loops over them for ever"
        yield Verdict(subject.at(MOST, "name"), message)
