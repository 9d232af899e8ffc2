"""IS911 duplicate-key: a key is given twice in one mapping.

What it does
    Reports each repeated key with the place of the first. Exit status 3.

Why is this bad
    YAML leaves open which of the two counts, and parsers silently take the last. In a table of
    numbers that is how an old value survives a correction.

Example
    extends: power9
    override:
      stop2:
        latency: 9us
        latency: 10us

Use instead
    extends: power9
    override:
      stop2:
        latency: 9us

Ground
    YAML 1.2, section 3.2.1.3: keys of a mapping are unique; idle_states/reading/document.py.
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS911", "duplicate-key", Severity.ERROR, forms=("spec",))
