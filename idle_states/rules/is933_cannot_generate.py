"""IS933 cannot-generate: a table that the form asked for cannot express.

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
    extends: power9
    override:
      stop2: {residency: 100us}

Ground
    skiboot include/slw.h struct cpu_idle_states; Devicetree Specification v0.4, section 2.2.
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS933", "cannot-generate", Severity.ERROR)
