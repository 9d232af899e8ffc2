"""IS920 unknown-key: a key that specs do not have.

What it does
    Compares every key, of the table, of a state, of PSSCR and of the smaller mappings, with those
    there are, and suggests the nearest. The register's key must be the table's: psscr or pmicr.

Why is this bad
    A misspelt key would leave its value unset, or inherited, without a word.

Example
    extends: power9
    override:
      stop2: {latncy: 9us}

Use instead
    extends: power9
    override:
      stop2: {latency: 9us}

Ground
    schemas/idle-states.schema.json; idle_states/spec/inherit.py, build.py.
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS920", "unknown-key", Severity.ERROR, forms=("spec",))
