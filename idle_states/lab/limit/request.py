"""The request that `limit` makes."""

from typing import TYPE_CHECKING, Annotated

from ...base.dataclass import dataclass, replace
from ...base.model.findings import UsageError
from ...base.options import Argument, Option, Options, check_choices
from ...tables.linux.asked import TABLE_OF_MACHINE, GovernorRequest, kernels
from ...tables.power.request import FROM_SPECS, PowerRequest
from ..replay.next_timer import NEXT_TIMER, NextTimer
from ..simulation.workload_request import WorkloadRequest
from .asked import NO_LATENCY, LimitWord, limit_words

if TYPE_CHECKING:
    from ...tables.linux.releases import Release


@dataclass(frozen=True, slots=True)
class LimitRequest:
    """A latency limit, and the table and kernels that it is for.

    of          the governor, and the TABLE or states it selects from
    releases    the kernels
    text        the limit in us, a state that it is to keep, or tuned's words
    per_cpu     the limit is a CPU's (pm_qos_resume_latency_us), not the system's
    trace       a trace or recording to replay with the limit and without
    workload    a workload to simulate with the limit and without
    next_timer  for traces of cpu_idle

    Raises UsageError for what cannot be meant.
    """

    of: Annotated[
        GovernorRequest,
        Options(table=replace(TABLE_OF_MACHINE, after="VALUE_US|STATE"), after="--per-cpu"),
    ]
    releases: Annotated["tuple[Release, ...]", kernels(after="--governor", beside="governor")]
    text: Annotated[str, Argument("VALUE_US|STATE", "limit, state, or tuned's words")]
    per_cpu: Annotated[
        bool,
        Option("--per-cpu", "the limit is a CPU's pm_qos_resume_latency_us"),
    ] = False
    trace: Annotated[
        str | None, Option("--trace", "trace of cpu_idle, or exact recording", metavar="T")
    ] = None
    workload: Annotated[
        WorkloadRequest | None,
        Options(
            workload=Option(
                "--workload",
                "to simulate: as WORKLOAD of idle-states simulate",
                metavar="W",
                after="--trace",
            ),
            heading="what --workload simulates",
            after="--tau",
        ),
    ] = None
    next_timer: Annotated[
        NextTimer,
        Option(
            "--next-timer",
            f"for traces of cpu_idle: {NEXT_TIMER} (default: gap)",
            choices=("gap", "far"),
            after="--workload",
        ),
    ] = "gap"
    power: Annotated[PowerRequest, Options(after="--next-timer")] = FROM_SPECS

    def __post_init__(self) -> None:
        check_choices(self)
        if (self.of.table or "").isdecimal():
            raise UsageError(
                f"expected LIMIT before TABLE, found {self.text} before {self.of.table}"
            )
        if self.trace is not None and self.workload is not None:
            raise UsageError("expected --trace or --workload, found both")
        effect = self.trace is not None or self.workload is not None
        if effect and len(self.releases) != 1:
            raise UsageError(
                f"expected one kernel for --trace and --workload, found {len(self.releases)}"
            )
        if any(word.text == NO_LATENCY for word in self.words) and not self.per_cpu:
            raise UsageError(f"expected {NO_LATENCY} with --per-cpu only: the system has none such")

    @property
    def name(self) -> str:
        """The TABLE, or the states, as given."""
        return self.of.table or (self.of.states.text if self.of.states else "")

    @property
    def words(self) -> tuple[LimitWord, ...]:
        """Raises UsageError."""
        return limit_words(self.text)
