"""IS514 misstated-rounding: a message says of kernels what those of its day do not do.

What it does
    Looks for sentences about the kernel that say which way it rounds nanoseconds of the device tree
    to microseconds, or as how many microseconds it lists a row's time, and asks the releases that
    were current when the commit was written: the newest long-term one, the newest, and the one
    that followed. A sentence that names a release, or speaks of what should or might be, is not
    checked.

Why is this bad
    Which table is right depends on it. 200 ns are 0 us for a kernel that truncates, level with
    snooze; for one that rounds up they are 1 us.

Example
    slw: Correct stop0_lite

    The kernel rounds up the latency to microseconds.

    stop0_lite 200ns/2us -> 1us/10us

Use instead
    slw: Correct stop0_lite

    The kernel truncates the latency to microseconds.

    stop0_lite 200ns/2us -> 1us/10us

Ground
    Linux 8d4e10e9ed94 (4.15 and 4.14.7) rounds up; before, powernv_add_idle_states() divided. The
    message of skiboot 51974cab7, written in August 2017, says that the kernel rounds up, to 0us.
"""

from ..findings import Confidence, Severity
from .rule import Rule

RULE = Rule(
    "IS514",
    "misstated-rounding",
    Severity.WARNING,
    Confidence.MEDIUM,
    forms=("spec", "c"),
)
