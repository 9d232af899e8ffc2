"""A tuning request."""

from typing import TYPE_CHECKING, Final, Literal

from ...base.dataclass import dataclass, field, replace
from ...base.model.findings import UsageError
from ...base.options import Annotated, Option, Options, check_choices
from ...tables.linux.governors.source.names import SOURCES
from ...tables.linux.request_parts import KERNEL, GovernorRequest
from ...tables.power.request import FROM_SPECS, PowerRequest
from ..replay.next_timer import NEXT_TIMER, NextTimer
from ..simulation.workload_request import WorkloadRequest
from .objective import Objective

if TYPE_CHECKING:
    from pathlib import Path

    from ...tables.linux.releases import Release
    from ..replay.replay import Settings

ALL: Final = "all"
NONE, CMDLINE = "none", "cmdline"


@dataclass(frozen=True, slots=True)
class TuneRequest:
    """A table to tune over the idle gaps of one of trace, workload and gaps. Raises UsageError for
    contradictory options.

    of         the table or the states, and the governor in the loop; NONE: as if not governed
    governors  those in the loop, in the place of the one in `of`; (): that one
    governed   False: no governor; every gap's length is taken as known when the gap begins. A list
               of gaps is always evaluated so
    resume     None: a file in the user's cache
    measured   as fit takes them, or SPEC alone; (): waking up takes what the table says
    """

    of: Annotated[GovernorRequest, Options(governor=None)]
    release: Annotated["Release", KERNEL]
    objective: Annotated[Objective, Options(after="--next-timer")] = field(
        default_factory=Objective
    )
    trace: Annotated[
        str | None,
        Option("--trace", "trace of cpu_idle, or exact recording", metavar="T", after="TABLE"),
    ] = None
    workload: Annotated[
        WorkloadRequest | None,
        Options(
            workload=Option(
                "--workload",
                "workload to simulate: as WORKLOAD of idle-states simulate",
                metavar="W",
                after="--trace",
            ),
            heading="what --workload simulates",
            after="--search-over",
        ),
    ] = None
    gaps: Annotated[
        str | None,
        Option(
            "--gaps",
            "CSV of gap_ns,count; the last may be 1025+",
            metavar="FILE",
            after="--workload",
        ),
    ] = None
    governors: Annotated[
        tuple[str, ...],
        Option(
            "--governor",
            f"menu, teo or ladder, {SOURCES}; none: the length of each idle period is known in "
            "advance; may be repeated to compare (default: menu)",
            metavar="G",
            default="menu",
            after="--polling",
        ),
    ] = ()
    governed: bool = True
    next_timer: Annotated[
        NextTimer,
        Option(
            "--next-timer",
            f"for traces of cpu_idle: {NEXT_TIMER} (default: gap)",
            choices=("gap", "far"),
            after="--platform",
        ),
    ] = "gap"
    power: Annotated[PowerRequest, Options(after="--latency-weight")] = FROM_SPECS
    jobs: Annotated[
        int | None,
        Option(
            "--jobs", "number of processes (default: one per CPU)", metavar="N", after="--measured"
        ),
    ] = None
    scheduler: Annotated[
        str | None,
        Option("--scheduler", "run on a Dask cluster", metavar="ADDRESS", after="--jobs"),
    ] = None
    resume: Annotated[
        "Path | None",
        Option(
            "--resume",
            "keep results in this file, and continue from those in it",
            metavar="FILE",
            after="--scheduler",
        ),
    ] = None
    search_over: Annotated[
        int | Literal["all"] | None,
        Option(
            "--search-over",
            "search over a sample of this many idle periods of a longer trace or recording, "
            "evenly spread; reported results are evaluated over all (default: 500000; all: no "
            "sample)",
            metavar="N",
            reads="lab.tune.request.periods_of",
            after="--resume",
        ),
    ] = None
    to: Annotated[
        str | None,
        Option(
            "--to",
            "print nothing but intel_idle.table= with the best table that the driver accepts",
            choices=(CMDLINE,),
            after="--smt-hold-permille",
        ),
    ] = None
    measured: Annotated[
        tuple[str, ...],
        Option(
            "--measured",
            "real wake-up times, while the governor uses the table's: as MEASURED of idle-states "
            "fit, or spec for those that the spec records; may be repeated",
            metavar="MEASURED",
            after="--tau",
        ),
    ] = ()

    def __post_init__(self) -> None:
        check_choices(self)
        object.__setattr__(self, "of", self.of.at((self.release,)))
        self._name_governors()
        if [self.trace, self.workload, self.gaps].count(None) != 2:
            raise UsageError(
                "expected idle gaps from --trace, --workload or --gaps, one of the three"
            )
        if self.workload is not None and not self.governed:
            raise UsageError("expected a governor for --workload, found --governor none")
        if self.jobs is not None and self.jobs < 1:
            raise UsageError(f"expected at least one process, found --jobs {self.jobs}")
        over = self.search_over
        if over is not None and over != ALL and over < 1:
            raise UsageError(f"expected --search-over of 1 or more, or {ALL}, found {over}")
        if over is not None and self.trace is None:
            found = "--workload" if self.workload is not None else "--gaps"
            raise UsageError(f"expected --trace for --search-over, found {found}")
        alone = (
            ("scheduler", self.scheduler),
            ("resume", self.resume),
            ("search-over", self.search_over),
        )
        for option, value in alone:
            if self.alone and value is not None:
                raise UsageError(f"expected a governor for --{option}, found none to ask")

    def _name_governors(self) -> None:
        governors = tuple(dict.fromkeys(self.governors)) or (self.of.governor,)
        object.__setattr__(self, "governors", governors)
        if len(governors) > 1:
            alone = (("gaps", self.gaps), ("resume", self.resume), ("to", self.to))
            for option, value in alone:
                if value is not None:
                    raise UsageError(f"expected one --governor with --{option}, found several")
        elif governors[0] == NONE:
            object.__setattr__(self, "of", replace(self.of, governor="menu"))
            object.__setattr__(self, "governed", False)
        else:
            object.__setattr__(self, "of", replace(self.of, governor=governors[0]))

    @property
    def each(self) -> "tuple[TuneRequest, ...]":
        """The same for each governor; of several, for what no governor decides as well, with which
        they are compared, if the idle periods are not simulated."""
        if len(self.governors) == 1:
            return (self,)
        named = dict.fromkeys([*self.governors, *([] if self.workload else [NONE])])
        return tuple(
            replace(self, governors=(name,), scheduler=None, search_over=None)
            if name == NONE
            else replace(self, governors=(name,))
            for name in named
        )

    @property
    def alone(self) -> bool:
        """Tells whether tuning runs without a governor."""
        return not self.governed or self.gaps is not None

    @property
    def settings(self) -> "Settings":
        from ..replay.replay import Settings

        return Settings(self.of.governor, self.release, self.of.hz, self.next_timer)


def periods_of(text: str) -> int | Literal["all"]:
    """Returns the number of idle periods that a text says, or ALL. Raises UsageError."""
    if text == ALL:
        return ALL
    if text.isdecimal() and len(text) > 18:
        raise UsageError(f"expected --search-over of up to 18 digits, or all, found {text!r}")
    if not text.isascii() or not text.isdecimal():
        raise UsageError(f"expected --search-over of 1 or more, or all, found {text!r}")
    return int(text)
