"""IS409 boost-test-loses-stop5: op-test cannot test boost, as POWER9's stop5 is not registered.

What it does
    On POWER9, notes a table or tree that lacks the stop5 its packaged revision has, and a stop5
    that the platform does not export or a kernel does not register. Kernels that lose all states
    are left to IS406, IS407 and IS408.

Why is this bad
    The test of boost frequencies skips itself when cpuidle has no state of that name, with
    "Stop5 not available. WOF is not supported". Dropping the state, or raising its latency by
    one nanosecond (it is exactly at Linux's limit), loses the test without a failure.

Example
    extends: power9
    override:
      stop5: {latency: 200001ns}

Use instead
    extends: power9
    override:
      stop5: {latency: 200us}

Ground
    op-test testcases/OpTestEM.py cpu_boost_freqs_host, faf8022; Linux cpuidle-powernv.c
    POWERNV_THRESHOLD_LATENCY_NS.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..identify import claim
from ..linux.driver_table import DriverTable
from ..linux.releases import Release
from ..pipeline import Subject
from .is4_kernels import gave_up, knows_processor, row_of
from .rule import Judged, Rule, per_kernel

RULE = Rule(
    "IS409",
    "boost-test-loses-stop5",
    Severity.NOTE,
    aliases=("op-test:Stop5 not available. WOF is not supported",),
    requires=("IS404",),
)
STATE = "stop5"


def check(subject: Subject) -> Iterator[Finding]:
    if not subject.is_stop or subject.cpu.processor.boost_state != STATE:
        return
    row = next((i for i, s in enumerate(subject.table.states) if s.name == STATE), None)
    if row is None:
        claimed = claim(subject)
        if claimed and any(state.name == STATE for state in claimed.required):
            yield RULE.finding(
                subject,
                f"{STATE} of {claimed.table.name} is missing; op-test's boost test needs it",
                subject.at(None),
            )
        return
    yield from _lost(subject, row)


def _lost(subject: Subject, row: int) -> Iterator[Finding]:
    for lost in subject.export.lost if subject.export else ():
        if lost.index == row:
            yield RULE.finding(
                subject,
                f"{STATE}, which op-test's boost test needs, is not exported on "
                f"{subject.platform.name}: {lost.reason}",
                subject.at(row),
            )
            return

    def judge(driver: DriverTable, release: Release) -> Iterator[Judged]:
        if gave_up(driver) or not knows_processor(subject, release):
            return
        for lost in driver.lost:
            if row_of(subject, lost.index) == row:
                need = f"{STATE}, which op-test's boost test needs, is not registered"
                yield subject.at(row), f"{need}: {lost.reason}"

    for where, message, kernels in per_kernel(subject, judge):
        yield RULE.finding(subject, message, where, kernels=kernels)
