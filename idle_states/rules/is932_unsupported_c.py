"""IS932 unsupported-c: a C table that cannot be evaluated.

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
    static struct cpu_idle_states power9_cpu_idle_states[] = {
        {
            .name = "stop0_lite",
            .latency_ns = 1*1000,
            .residency_ns = 10*1000 },
    };

Ground
    skiboot include/slw.h struct cpu_idle_states; include/opal-api.h OPAL_PM_*.
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS932", "unsupported-c", Severity.ERROR, forms=("c",))
