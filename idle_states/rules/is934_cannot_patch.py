"""IS934 cannot-patch: an edit that the source in hand does not take.

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

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS934", "cannot-patch", Severity.ERROR)
