"""IS924 out-of-range: a number does not fit its field.

What it does
    Times are at most 4294967295 ns, flags 32 bits, registers 64, and each PSSCR field as wide as
    the ISA makes it: rl, mtl and psll 4 bits, tr 2, ec and esl 1.

Why is this bad
    C would cut the value or spill it into the next field without an error.

Example
    extends: power9
    override:
      stop2: {psscr: {rl: 16, mtl: 3, tr: 3, ec: 1, esl: 1}}

Use instead
    extends: power9
    override:
      stop2: {psscr: {rl: 2, mtl: 3, tr: 3, ec: 1, esl: 1}}

Ground
    skiboot include/slw.h struct cpu_idle_states; Power ISA 3.0B, PSSCR.
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS924", "out-of-range", Severity.ERROR, forms=("spec",))
