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
    -   stop2: {latency: 9us
    +   stop2: {latency: 9us}

Ground
    YAML 1.1 as libyaml reads it; idle_states/base/reading/document.py.

IS911 duplicate-key: a key is given twice in one mapping.

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
    -     latency: 10us

Ground
    YAML 1.2, section 3.2.1.3: keys of a mapping are unique; idle_states/base/reading/document.py.

IS912 oversized-spec: the spec is larger or deeper than any table, or uses aliases.

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
    idle_states/base/reading/document.py MAX_BYTES, MAX_NODES, MAX_DEPTH.
"""

from .rule import Rule, Severity

RULES = (
    Rule("IS910", "yaml-syntax", Severity.ERROR, forms=("spec",)),
    Rule("IS911", "duplicate-key", Severity.ERROR, forms=("spec",)),
    Rule("IS912", "oversized-spec", Severity.ERROR, forms=("spec",)),
)
