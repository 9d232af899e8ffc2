"""IS208 over-threshold-without-intent: Linux drops a state for its latency, unannounced.

What it does
    Reports exit latencies above 200 us. In a spec, `cpuidle: no` with a reason says that this is
    meant (see stop8 of power9), and its absence is a warning; C and device trees cannot say it
    and get a note.

Why is this bad
    Linux leaves such a state to offline CPUs, and its log does not mention it. Whoever raises a
    latency past the limit takes the state away from every running system.

Example
    extends: power10
    override:
      stop3: {latency: 201us, residency: 2010us}

Use instead
    extends: power10
    override:
      stop3: {latency: 200us, residency: 2ms}

Ground
    Linux cpuidle-powernv.c powernv_add_idle_states(), POWERNV_THRESHOLD_LATENCY_NS, since 4.8;
    skiboot issue #177 asks for a flag instead.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..linux.convert import THRESHOLD_NS
from ..pipeline import Subject
from ..units import format_time
from .is2_times import column
from .rule import Rule

RULE = Rule("IS208", "over-threshold-without-intent", Severity.WARNING, requires=("IS211",))


def check(subject: Subject) -> Iterator[Finding]:
    if not subject.is_opal:
        return
    from_spec = subject.form == "spec"
    for index, field, ns in column(subject, "latency"):
        state = subject.table.states[index]
        if ns <= THRESHOLD_NS or not state.cpuidle:
            continue
        unsaid = " and no 'cpuidle: no'" if from_spec else ""
        yield RULE.finding(
            subject,
            f"{state.name} has an exit latency of {format_time(ns)}{unsaid}; above "
            f"{format_time(THRESHOLD_NS)} Linux uses it for offline CPUs only",
            subject.at(index, field),
            severity=None if from_spec else Severity.NOTE,
        )
