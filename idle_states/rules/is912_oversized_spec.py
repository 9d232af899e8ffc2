"""IS912 oversized-spec: the spec is larger or deeper than any table, or uses aliases.

What it does
    Limits a spec to 256 KiB, 20000 values and a nesting of 24, and admits no aliases. Exit
    status 3.

Why is this bad
    Such input is no spec, and aliases within aliases expand without bound. To share states between
    specs use `extends`.

Example
    extends: power9
    override:
      stop1: &same {latency: 9us}
      stop2: *same

Use instead
    extends: power9
    override:
      stop1: {latency: 9us}
      stop2: {latency: 9us}

Ground
    idle_states/reading/document.py MAX_BYTES, MAX_NODES, MAX_DEPTH.
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS912", "oversized-spec", Severity.ERROR, forms=("spec",))
