"""fit."""

from typing import Annotated

from ...base.model.forms import Count, Form, derived
from ...base.model.verdicts import Verdict
from .answer import FitResult, FittedState
from .latencies import FittedLatency
from .residencies import FittedResidency
from .shape import SampleShape, Share

Interval = Annotated[
    list[int | None] | None,
    "Lower and upper bound; null for a side without one, or where there is none on either side.",
]


class LatencyFit(Form[FittedLatency]):
    """One measurement of a state's wake-up latency."""

    file: Annotated[str, "The file of the measurement."] = derived("of.file")
    tool: Annotated[str, "The tool that measured it."] = derived("of.tool")
    machine: Annotated[str | None, "The machine, as the file names it."] = derived("of.machine")
    kernel: Annotated[str | None, "The kernel's release, as the file names it."] = derived(
        "of.kernel"
    )
    woken_by: Annotated[str, "The event that ended the idle periods."] = derived("latency.woken_by")
    group: Annotated[str, "The group that keeps it apart; empty where there is none."] = derived(
        "latency.group"
    )
    statistic: Annotated[str, "p99.99, max or mean."] = derived("estimate.statistic")
    measured_ns: Annotated[int | None, "The statistic, rounded up; null where it is unbounded."] = (
        derived("value_ns")
    )
    interval_ns: Interval = derived(lambda one: one.interval_ns and list(one.interval_ns))
    coverage: Annotated[
        Share | None, "Probability that such an interval holds; null where it has no exact one."
    ] = derived("estimate.coverage")
    n: Annotated[Count | None, "Number of wake-ups; null where the source does not say it."] = (
        derived("estimate.n")
    )
    effective_n: Annotated[
        Count | None, "How many independent wake-ups they count as, by which the interval is made."
    ] = derived("estimate.effective")
    confidence: Annotated[
        float, "The interval's confidence in percent, joint for all measurements of a state."
    ] = derived(lambda one: float(one.confidence))
    method: Annotated[str, "How the interval was made; empty where there is none."] = derived(
        "estimate.method"
    )
    refused: Annotated[str | None, "Why the quantile asked for is not given; null where it is."] = (
        derived(lambda one: one.estimate.refused or None)
    )
    busy_ns: Annotated[
        float | None, "The overhead measured on a busy CPU and subtracted; null: nothing was."
    ] = derived("estimate.busy_ns")
    busy_more_ns: Annotated[
        float | None,
        "By how much the same quantile of that is above busy_ns, and may be in the value; null: "
        "not known.",
    ] = derived("estimate.busy_more_ns")
    shape: Annotated[SampleShape | None, "null for few values and for summaries."]
    verdict: Annotated[Verdict, "The verdict on the latency."] = derived("judgement.verdict")
    why: Annotated[str, "The reason for the verdict."] = derived("judgement.why")


class ResidencyFit(Form[FittedResidency]):
    value_ns: Annotated[Count | None, "Target residency; null where nothing gives one."]
    interval_ns: Interval = derived(
        lambda found: (
            None
            if found.low_ns is None and found.high_ns is None
            else [found.low_ns, found.high_ns]
        )
    )
    by: Annotated[str, "energy, or a rule, such as 3x exit latency."]
    over: Annotated[str | None, "The shallower state that decides."] = derived(
        lambda found: found.break_even and found.break_even.over
    )
    break_even_ns: Annotated[float | None, "The period from which on it uses less energy."] = (
        derived(lambda found: found.break_even and found.break_even.period_ns)
    )
    watts: Annotated[float | None, "Power in the state."] = derived(
        lambda found: found.line and found.line.watts
    )
    wakeup_joules: Annotated[float | None, "Energy of a wake-up above that."] = derived(
        lambda found: found.line and found.line.joules
    )
    domain: Annotated[str | None, "The power domain metered."] = derived(
        lambda found: found.line and found.line.domain
    )
    why: Annotated[str | None, "Why there is no value; null where there is one."] = derived(
        lambda found: found.why or None
    )


class State(Form[FittedState]):
    name: Annotated[str, "Name."]
    advertised_ns: Annotated[Count | None, "Exit latency; null where nothing says one."] = derived(
        lambda state: state.advertised and state.advertised.latency_ns
    )
    advertised_by: Annotated[str | None, "table, or machine: it said so when it was measured."] = (
        derived(lambda state: state.advertised and state.advertised.by)
    )
    measured_ns: Annotated[int | None, "The value of the decisive measurement."] = derived(
        lambda state: state.by and state.by.value_ns
    )
    interval_ns: Interval = derived(
        lambda state: (
            list(state.by.interval_ns) if state.by and state.by.interval_ns is not None else None
        )
    )
    n: Annotated[Count | None, "Wake-ups in the decisive measurement."] = derived(
        lambda state: state.by and state.by.estimate.n
    )
    effective_n: Annotated[
        Count | None, "The number of independent wake-ups that they are worth."
    ] = derived(lambda state: state.by and state.by.estimate.effective)
    statistic: Annotated[str | None, "The statistic of the decisive measurement."] = derived(
        lambda state: state.by and state.by.estimate.statistic
    )
    verdict: Annotated[Verdict, "The verdict on the advertised exit latency."]
    why: Annotated[str, "The reason for the verdict."]
    measurements: Annotated[list[LatencyFit], "All of the state's wake-ups, file by file."] = (
        derived("latencies")
    )
    advertised_residency_ns: Annotated[Count | None, "Target residency as advertised."] = derived(
        lambda state: state.advertised and state.advertised.residency_ns
    )
    residency: Annotated[ResidencyFit | None, "null where nothing gives one."]


class Fit(Form[FitResult]):
    table: Annotated[
        str | None, "The TABLE given; null: the values that the machines reported."
    ] = derived("request.table")
    quantile: Annotated[float, "In percent."] = derived(lambda found: float(found.request.percent))
    confidence: Annotated[float, "In percent."] = derived(
        lambda found: float(found.request.confidence)
    )
    states: Annotated[list[State], "In the table's order."]
    unmeasured: Annotated[list[str], "States of the table of which nothing was measured."]
    remarks: Annotated[list[str], "Remarks on the files, and parts of them left out."]
