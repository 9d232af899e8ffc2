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
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS930", "unreadable-input", Severity.ERROR)
