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

IS111 duplicate-name: two states have the same name.

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

IS112 bad-name: a name is empty, or has characters that are not printable ASCII.

What it does
    Looks at each character of each name; blanks inside a name are allowed.

Why is this bad
    The names travel as a list of NUL-terminated strings. A NUL inside one makes two of it and
    shifts all that follow; an empty one leaves its sysfs file blank. Control characters and
    anything beyond ASCII reach consoles, logs and sysfs as raw bytes. In a device tree they are
    the sign of a damaged property.

Example
    extends: power9
    override:
      stop2: {name: "stop2\\t"}

Use instead
    -   stop2: {name: "stop2\\t"}
    +   stop2: {name: "stop2"}

Ground
    skiboot hw/slw.c add_cpu_idle_state_properties() copies up to the first NUL; Devicetree
    Specification, section 2.2.4: a string is printable and null-terminated.
"""

from ...base.model.table import NAME_BYTES
from .competing import competing
from .rows import StateRow, every_row, repeated
from .rule import FORMS, Rule, Severity, Verdicts

LATENCY_MAX_NS = 0xFF_FFFF
"""The greatest whose first byte, big-endian, is the NUL that such a name lacks."""

LONG = Rule("IS108", "long-name", Severity.ERROR, varies=True)
DUPLICATE = Rule("IS111", "duplicate-name", Severity.WARNING, forms=FORMS)
BAD = Rule("IS112", "bad-name", Severity.ERROR)
RULES = (LONG, DUPLICATE, BAD)


@LONG.of_each(every_row)
def check_length(row: StateRow) -> Verdicts:
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


@DUPLICATE.of_each(competing)
def check_once(group: list[StateRow]) -> Verdicts:
    for first, row in repeated(group, lambda each: each.name):
        numbers = f"{first.number} and {row.number}"
        yield row.verdict(
            "name",
            f"expected each name once, found {row.name!a} as state {numbers}",
            related=[(first.at("name"), "first used here")],
        )


@BAD.of_each(every_row)
def check_characters(row: StateRow) -> Verdicts:
    bad = next((char for char in row.name if not " " <= char <= "~"), None)
    if bad is not None:
        found = f"{_shown(bad)} in {row.name!a}"
        yield row.verdict("name", f"expected printable ASCII in a name, found {found}")
    elif not row.name.strip():
        yield row.verdict("name", f"expected a name for state {row.number}, found {row.name!a}")


def _shown(char: str) -> str:
    """The character's number; a byte that was no UTF-8 is kept as a surrogate and shown as such."""
    code = ord(char)
    return f"byte {code - 0xDC00:#04x}" if 0xDC80 <= code <= 0xDCFF else f"U+{code:04X}"
