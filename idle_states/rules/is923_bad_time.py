"""IS923 bad-time: a time without a unit, or one that is no time.

What it does
    Expects a number with ns, us, ms or s: 200ns, 2.5us, 10 ms. It must come to whole nanoseconds
    and not be negative.

Why is this bad
    A bare number could be nanoseconds, as in firmware, or microseconds, as in Linux, and is off
    by a thousand if the reader guesses wrong.

Example
    extends: power9
    override:
      stop2: {latency: 9}

Use instead
    extends: power9
    override:
      stop2: {latency: 9us}

Ground
    idle_states/reading/scalars.py.
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS923", "bad-time", Severity.ERROR, forms=("spec",))
