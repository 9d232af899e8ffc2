"""A simulation request."""

from typing import TYPE_CHECKING, TypeAlias

from ...base.dataclass import dataclass, field, replace
from ...base.model.findings import UsageError
from ...base.options import Annotated, Option, Options
from ...tables.linux.governors.source.names import SOURCES
from ...tables.linux.request_parts import (
    ASSUMED_HZ,
    GIVEN,
    HZ,
    KERNEL,
    PLATFORM,
    GivenStates,
    all_levels,
    beside_none,
    check_hz,
    hz_of,
    table_of,
)
from ...tables.power.request import FROM_SPECS, PowerRequest
from .workload_request import PLACEMENT, WorkloadRequest

if TYPE_CHECKING:
    from ...tables.linux.platforms import AnyPlatform
    from ...tables.linux.releases import Release

WAKE_UPS_MAX = 100_000
_SHOWN = 64
StateNames: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SimulateRequest:
    """The workload to simulate, and the tables. Raises UsageError for contradictory options.

    placements  as placement.parse() takes them; (): the workload's only
    wake_ups    of the first seed; None: none are kept
    """

    workload: Annotated[WorkloadRequest, Options(placement=None, after="--hz")]
    release: Annotated["Release", KERNEL]
    tables: Annotated[
        tuple[str, ...],
        Option(
            "--table",
            "revision or file; may be repeated to compare",
            metavar="TABLE",
            is_table=True,
        ),
    ] = ()
    states: Annotated[GivenStates | None, GIVEN] = None
    disabled: Annotated[
        "StateNames", Option("--disabled", "states switched off, by name", metavar="NAME,...")
    ] = ()
    without: Annotated[
        tuple[str, ...],
        Option(
            "--without",
            "simulate each table with these states switched off, and with them, all else equal; "
            "may be repeated",
            metavar="NAME,...",
            after="--disabled",
        ),
    ] = ()
    governors: Annotated[
        tuple[str, ...],
        Option(
            "--governor",
            f"menu, teo, ladder or haltpoll, {SOURCES}; may be repeated to compare (default: menu)",
            metavar="G",
        ),
    ] = ("menu",)
    hz: Annotated[int, replace(HZ, after="--kernel")] = ASSUMED_HZ
    platform: Annotated["AnyPlatform", replace(PLATFORM, after="--smt-hold-permille")] = field(
        default_factory=all_levels
    )
    power: Annotated[PowerRequest, Options(after="--bistable")] = FROM_SPECS
    bistable: Annotated[
        bool,
        Option(
            "--bistable", "test whether 1 us of jitter would change the result", after="--sequence"
        ),
    ] = False
    limits_us: Annotated[
        tuple[int, ...],
        Option(
            "--latency-limit",
            "simulate each table with this PM QoS latency limit, such as 70us, and without, all "
            "else equal; may be repeated",
            metavar="TIME",
            reads="base.model.units.whole_us",
            after="--platform",
        ),
    ] = ()
    placements: Annotated[
        tuple[str, ...],
        Option(
            "--placement",
            f"{PLACEMENT}; may be repeated to compare",
            metavar="P",
            after="--topology",
        ),
    ] = ()
    wake_ups: Annotated[
        int | None,
        Option(
            "--sequence",
            "show the first N wake-ups, from which CPU to which, and on which CPUs each task runs "
            f"in turn (default: {_SHOWN})",
            metavar="N",
            const=_SHOWN,
            after="--runs",
        ),
    ] = None

    def __post_init__(self) -> None:
        check_hz(self.hz)
        table = self.tables[0] if self.tables else None
        rate = hz_of(self.hz, (self.release,), table, self.platform)
        object.__setattr__(self, "hz", rate)
        object.__setattr__(self, "limits_us", beside_none(self.limits_us))
        object.__setattr__(self, "governors", tuple(dict.fromkeys(self.governors or ("menu",))))
        if self.wake_ups is not None and self.wake_ups < 1:
            raise UsageError(f"expected --sequence of 1 or more, found {self.wake_ups}")
        if self.wake_ups is not None and self.wake_ups > WAKE_UPS_MAX:
            raise UsageError(f"expected --sequence up to {WAKE_UPS_MAX}, found {self.wake_ups}")
        if not self.tables and self.states is None and (own := table_of(self.platform)):
            object.__setattr__(self, "tables", (own,))
