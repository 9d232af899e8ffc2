"""IS910 yaml-syntax: the spec is not a YAML mapping in UTF-8.

What it does
    Reports what libyaml cannot parse, bytes that are not UTF-8, control characters, several
    documents in one file, and a document that is no mapping. Exit status 3.

Why is this bad
    There is nothing to check.

Example
    extends: power9
    override:
      stop2: {latency: 9us

Use instead
    extends: power9
    override:
      stop2: {latency: 9us}

Ground
    YAML 1.1 as libyaml reads it; idle_states/reading/document.py.
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS910", "yaml-syntax", Severity.ERROR, forms=("spec",))
