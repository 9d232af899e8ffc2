"""IS930 unreadable-input: a file that is no kind of table.

What it does
    Raised when a file cannot be read, is larger than any source of a table, or is of a kind the
    tool does not know; and when dtc, which reads device-tree source, is missing or goes beyond
    its bounds. The kind goes by content, not by name. Exit status 3. In `review`, also for a file
    of tables that a change makes binary, UTF-16, a link, a submodule or a directory, with exit
    status 1; and as a warning for one that it deletes, renames to another kind, or empties.

Why is this bad
    There is nothing to check, and a check of nothing must not count as clean.

Example
    printf '\\0\\0\\0\\0' > table.dtb
    idle-states check table.dtb

Use instead
    idle-states check /sys/firmware/fdt

Ground
    The tool's own limits.

IS931 not-a-device-tree: something that looks like a device tree and is not one.

What it does
    Raised when a blob breaks its format (offsets or sizes outside the file, an unknown version,
    unbalanced nodes, a name or value beyond its block), when dtc refuses a source, with its
    complaints at their places, and for directories with names or a depth no tree has. Exit
    status 3.

Why is this bad
    A blob like that was cut off or damaged. Kernels and firmware refuse it or read beyond it;
    whatever could be read of the idle states would prove nothing.

Example
    POWER_MGT of trees.py, but
              power-mgt {
    +             ibm,cpu-idle-state-flags = <0x100000 0x101000>

Use instead
    -             ibm,cpu-idle-state-flags = <0x100000 0x101000>
    +             ibm,cpu-idle-state-flags = <0x100000 0x101000>;

Ground
    Devicetree Specification v0.4, chapters 5 (blobs) and 6 (sources).

IS932 unsupported-c: a C table that cannot be evaluated.

What it does
    Raised for rows and values whose meaning the reader of C tables cannot establish: names and
    macros defined neither in the file nor by skiboot's opal-api.h, expressions that are not
    constant, values too large for their member, a condition that decides about a row and cannot
    be decided. Macros the file defines itself are followed. Exit status 3; for review a finding
    of the commit. An error, too, where the code takes a table that was not found; a warning where
    code does more to tables than their arrays say: it writes into rows, takes fewer of them, or a
    build decides by -D which of them there are.

Why is this bad
    A row read wrongly would be checked and compared as if it were what the compiler sees.

Example
    static struct cpu_idle_states power9_cpu_idle_states[] = {
        {
            .name = "stop0_lite",
            .latency_ns = 1*NANOSECONDS_PER_MICROSECOND,
            .residency_ns = 10*NANOSECONDS_PER_MICROSECOND },
    };

Use instead
    -         .latency_ns = 1*NANOSECONDS_PER_MICROSECOND,
    -         .residency_ns = 10*NANOSECONDS_PER_MICROSECOND },
    +         .latency_ns = 1*1000,
    +         .residency_ns = 10*1000 },

Ground
    skiboot include/slw.h struct cpu_idle_states; include/opal-api.h OPAL_PM_*.

IS933 cannot-generate: a table that the form asked for cannot express.

What it does
    Raised by the generators of C and of device trees, with everything that stands in the way:
    names that do not fit or cannot be written, values wider than their field, a residency that
    some rows have and others do not, two tables of one array. Nothing is written then.

Why is this bad
    The file would say something else than the table, or would not compile.

Example
    extends: power9
    override:
      stop2: {residency: none}

Use instead
    -   stop2: {residency: none}
    +   stop2: {residency: 100us}

Ground
    skiboot include/slw.h struct cpu_idle_states; Devicetree Specification v0.4, section 2.2.

IS934 cannot-patch: an edit that the source in hand does not take.

What it does
    Raised by `patch`, with every edit that stands in the way: a table or row the tree has not got,
    a value that is neither what the edit starts from nor what it leads to, a value behind a macro
    that other rows may use, a file that changed meanwhile. Nothing is written then.

Why is this bad
    A patch made from another value than the one in the tree would undo what somebody else decided.

Example
    edits:
      - {table: power9_cpu_idle_states, state: stop0_lite, field: latency, from: 300ns, to: 1us}

Use instead
    edits:
      - {table: power9_cpu_idle_states, state: stop0_lite, field: latency, from: 200ns, to: 1us}

Ground
    skiboot hw/slw.c and hw/slw-p8.c, arrays of struct cpu_idle_states.
"""

from .rule import Rule, Severity

RULES = (
    Rule("IS930", "unreadable-input", Severity.ERROR),
    Rule("IS931", "not-a-device-tree", Severity.ERROR, forms=("dt",)),
    Rule("IS932", "unsupported-c", Severity.ERROR, forms=("c",)),
    Rule("IS933", "cannot-generate", Severity.ERROR),
    Rule("IS934", "cannot-patch", Severity.ERROR),
)
