"""IS207 latency-at-threshold: an exit latency is exactly the limit Linux sets.

What it does
    Reports an exit latency of 200000 ns.

Why is this bad
    cpuidle-powernv drops states above 200 us and keeps one at 200 us. A latency that sits on the
    limit says where the limit is, not how long the state takes: stop5 of POWER9 has 200 us, and
    was measured at about 1 ms. Give the true figure, and `cpuidle: no` if it is above.

Example
    extends: power9
    override:
      stop4: {latency: 200us}

Use instead
    extends: power9
    drop: [stop5]
    override:
      stop4: {latency: 199us}

Ground
    Linux cpuidle-powernv.c powernv_add_idle_states(), POWERNV_THRESHOLD_LATENCY_NS, compared
    with "greater than"; skiboot 1953b41e1; linuxppc-dev 20230828061530.126588-1 (measured).

IS208 over-threshold-without-intent: Linux drops a state for its latency, unannounced.

What it does
    Reports exit latencies above 200 us. In a spec, `cpuidle: no` with a reason says that this is
    meant (see stop8 of power9), and its absence is a warning; C and device trees cannot say it
    and get a note.

Why is this bad
    Linux leaves such a state to offline CPUs, and its log does not mention it. Raising a latency
    past the limit removes the state from every running system.

Example
    extends: power10
    override:
      stop3: {latency: 201us, residency: 2010us}

Use instead
    -   stop3: {latency: 201us, residency: 2010us}
    +   stop3: {latency: 200us, residency: 2ms}

Ground
    Linux cpuidle-powernv.c powernv_add_idle_states(), POWERNV_THRESHOLD_LATENCY_NS, since 4.8;
    skiboot issue #177 asks for a flag instead.
"""

from ...base.model.units import format_time
from ..linux.convert import THRESHOLD_NS
from .is2_times import Time, opal_latencies
from .rule import Confidence, Rule, Severity, Verdicts

AT = Rule("IS207", "latency-at-threshold", Severity.NOTE, Confidence.MEDIUM)
OVER = Rule(
    "IS208", "over-threshold-without-intent", Severity.WARNING, requires=("IS211",), varies=True
)
RULES = (AT, OVER)


@AT.of_each(opal_latencies)
def check_at(time: Time) -> Verdicts:
    if time.ns == THRESHOLD_NS:
        limit = "the most that Linux accepts for cpuidle"
        yield time.row.verdict("latency", f"{time.row.name} has {time.kind} of {time}, {limit}")


@OVER.of_each(opal_latencies)
def check_over(time: Time) -> Verdicts:
    if time.ns > THRESHOLD_NS and time.row.state.cpuidle:
        from_spec = time.row.subject.form == "spec"
        unsaid = " and no 'cpuidle: no'" if from_spec else ""
        yield time.row.verdict(
            "latency",
            f"{time.row.name} has {time.kind} of {time}{unsaid}; above "
            f"{format_time(THRESHOLD_NS)} Linux uses it for offline CPUs only",
            severity=None if from_spec else Severity.NOTE,
        )
