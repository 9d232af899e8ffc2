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
    -   stop5: {latency: 200001ns}
    +   stop5: {latency: 200us}

Ground
    op-test testcases/OpTestEM.py cpu_boost_freqs_host, faf8022; Linux cpuidle-powernv.c
    POWERNV_THRESHOLD_LATENCY_NS.
"""

from ..identify import claim
from .is4_kernels import gave_up, knows_processor, row_of
from .rule import KernelView, Rule, Severity, Subject, Verdict, Verdicts

RULE = Rule(
    "IS409",
    "boost-test-loses-stop5",
    Severity.NOTE,
    aliases=("op-test:Stop5 not available. WOF is not supported",),
    requires=("IS404",),
)

STATE = "stop5"


@RULE.of_table
def check_table(subject: Subject) -> Verdicts:
    if not _is_wanted(subject) or _row(subject) is not None:
        return
    claimed = claim(subject)
    if claimed and any(state.name == STATE for state in claimed.required):
        message = f"{STATE} of {claimed.table.name} is missing; op-test's boost test needs it"
        yield Verdict(subject.at(None), message)


@RULE.of_table
def check_export(subject: Subject) -> Verdicts:
    row = _row(subject)
    if _is_wanted(subject) and row is not None and (reason := _withheld(subject, row)):
        needed = f"{STATE}, which op-test's boost test needs, is not exported"
        yield Verdict(subject.at(row), f"{needed} on {subject.platform.name}: {reason}")


@RULE.of_each_driver
def check_kernel(view: KernelView) -> Verdicts:
    subject = view.subject
    row = _row(subject)
    if not _is_wanted(subject) or row is None or _withheld(subject, row):
        return
    if gave_up(view.driver) or not knows_processor(view):
        return
    for lost in view.driver.lost:
        if row_of(subject, lost.index) == row:
            need = f"{STATE}, which op-test's boost test needs, is not registered"
            yield Verdict(subject.at(row), f"{need}: {lost.reason}")


def _is_wanted(subject: Subject) -> bool:
    return subject.is_stop and subject.cpu.processor.boost_state == STATE


def _row(subject: Subject) -> int | None:
    return next((i for i, s in enumerate(subject.table.states) if s.name == STATE), None)


def _withheld(subject: Subject, row: int) -> str:
    """Returns the reason why firmware does not export a row; "" if it does."""
    lost = subject.export.lost if subject.export else ()
    return next((each.reason for each in lost if each.index == row), "")
