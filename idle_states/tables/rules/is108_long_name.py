"""IS108 long-name: a state's name does not fit its field.

What it does
    Counts the bytes of each name. 15 fit everywhere.

Why is this bad
    skiboot's struct has 16 bytes for the name. Sixteen characters compile, but leave no room for
    the NUL: the export copies 16 bytes, steps over 17, and the byte between is whatever the heap
    held, so in the tree the name runs into the next one. If the latency is 16,777,216 ns or more,
    its first byte is not 0 either: the length of the name goes on into it, the tree gets as many
    more bytes that nobody wrote, and Linux gives the states behind it each other's names. Longer
    names are a compiler warning, an error in every build from git. Linux cuts what the tree says
    to 15 bytes; there, and for partitions, the rule warns.

Example
    extends: power9
    override:
      stop2: {name: stop2_no_smt_fold}

Use instead
    -   stop2: {name: stop2_no_smt_fold}
    +   stop2: {name: stop2_no_fold}

Ground
    skiboot include/slw.h struct cpu_idle_states, hw/slw.c add_cpu_idle_state_properties()
    (strncpy since 3aeb50189); Linux PNV_IDLE_NAME_LEN and CPUIDLE_NAME_LEN, 16 with the NUL.
"""

from ...base.model.table import NAME_BYTES
from .rows import StateRow, every_row
from .rule import Rule, Severity, Verdicts

LATENCY_MAX_NS = 0xFF_FFFF
"""The greatest whose first byte, big-endian, is the NUL that such a name lacks."""

RULE = Rule("IS108", "long-name", Severity.ERROR)


@RULE.of_each(every_row)
def check(row: StateRow) -> Verdicts:
    name = row.name.encode("utf-8", "surrogateescape")
    if len(name) < NAME_BYTES:
        return
    from_table = row.subject.is_opal and row.subject.form != "dt"
    if not from_table:
        kept = name[: NAME_BYTES - 1].decode("utf-8", "replace")
        outcome = f"Linux cuts it to {kept!a}"
    elif len(name) == NAME_BYTES:
        outcome = "skiboot exports it without its NUL"
        if row.state.latency_ns > LATENCY_MAX_NS:
            outcome += f", and takes its latency of {row.state.latency_ns} ns for a part of it"
    else:
        outcome = f"skiboot's field has {NAME_BYTES}"
    yield row.verdict(
        "name",
        f"expected a name of at most {NAME_BYTES - 1} bytes, found {row.name!a} with {len(name)}; "
        f"{outcome}",
        severity=None if from_table else Severity.WARNING,
    )
