"""IS506 unsourced-override: an override gives a value without a source.

What it does
    Reports each value that an `override` replaces without provenance, at the value: neither the
    state's own `provenance` in the override nor that of the same file covers it. What was
    replaced, and its source, are named. Reported even where the new value equals the old one.
    Silent on keys that need no provenance (name, note, reason, cpuidle, power), on measurements,
    which name their source themselves, and on states that the spec adds.

Why is this bad
    The source of the replaced value says nothing about the new one. A reader cannot tell a
    measured latency from a guess.

Example
    extends: power10
    override:
      stop2: {latency: 25us}

Use instead
    extends: power10
    override:
      stop2:
        latency: 25us
        provenance:
          latency: {kind: measured, source: bench log, confidence: medium}

Ground
    idle_states/tables/spec/inherit.py: an overridden value never keeps the provenance of the value
    that it replaced.
"""

from .rule import Rule, Severity, Subject, Verdict, Verdicts

RULE = Rule("IS506", "unsourced-override", Severity.NOTE, forms=("spec",))


@RULE.of_table
def check(subject: Subject) -> Verdicts:
    for index, state in enumerate(subject.table.states):
        for field in state.unsourced:
            was = state.replaced[field][0]
            source = f"{was.provenance.source} ({was.provenance.kind})" if was.provenance else ""
            message = (
                f"the override gives the {field} of {state.name} without a source; it replaces "
                f"{was.text}, {f'which is from {source}' if source else 'which has no source'}; "
                "say where the new value comes from, provenance: "
                f"{{{field}: {{kind: ..., source: ..., confidence: ...}}}}, or remove it"
            )
            yield Verdict(subject.at(index, field), message, related=((was.where, "replaced"),))
