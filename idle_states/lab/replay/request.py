"""A replay request."""

from typing import TYPE_CHECKING

from ...base.dataclass import dataclass, field, replace
from ...base.model.findings import UsageError
from ...base.options import Annotated, Argument, Option, Options, check_choices
from ...tables.linux.governors.source.names import SOURCES
from ...tables.linux.request_parts import (
    ASSUMED_HZ,
    GIVEN,
    HZ_RECORDED,
    KERNEL_RECORDED,
    PLATFORM,
    GivenStates,
    StateNumbers,
    all_levels,
    beside_none,
    check_hz,
    hz_of,
    table_of,
)
from ...tables.power.request import FROM_SPECS, PowerRequest
from .next_timer import NEXT_TIMER, WHERE_SHORT, NextTimer

if TYPE_CHECKING:
    from ...tables.linux.platforms import AnyPlatform
    from ...tables.linux.releases import Release
    from .replay import Settings


@dataclass(frozen=True, slots=True)
class ReplayRequest:
    """The inputs and options of a replay. Raises UsageError for contradictory options.

    inputs     at most one trace or recording, and two dumps with those of sysfs; - is standard
               input
    tables     successive CPUS=TABLE form one machine until a CPU would get a second table; there
               another machine begins
    limits_us  (): without any limit but those that a recording has
    """

    inputs: Annotated[tuple[str, ...], Argument("TRACE", "trace, recording, or sysfs dumps")]
    release: Annotated["Release | None", KERNEL_RECORDED] = None
    tables: Annotated[
        tuple[str, ...],
        Option(
            "--table",
            "revision or file, also a dump of cpuidle sysfs; may be repeated to compare; 0-3=FILE "
            "for machines with several tables; of a device tree, each CPU has its own",
            metavar="[CPUS=]TABLE",
            is_table=True,
        ),
    ] = ()
    states: Annotated[GivenStates | None, GIVEN] = None
    disabled: Annotated[
        "StateNumbers", Option("--disabled", "states switched off, by number", metavar="N,...")
    ] = ()
    governors: Annotated[
        tuple[str, ...],
        Option(
            "--governor",
            f"menu, teo, ladder, haltpoll, {SOURCES}; may be repeated to compare them with each "
            "other and with an oracle (default: judge the states the trace shows)",
            metavar="G",
        ),
    ] = ()
    hz: Annotated[int | None, replace(HZ_RECORDED, after="--kernel")] = None
    next_timer: Annotated[
        NextTimer,
        Option(
            "--next-timer",
            "for traces of cpu_idle: infer a next timer with which the traced governor selects "
            f"the recorded state; or assume that {NEXT_TIMER} (default: calibrated if a dump of "
            "the traced machine's cpuidle sysfs is given and the trace is not too long, else gap)",
            choices=("calibrated", "gap", "far"),
        ),
    ] = WHERE_SHORT
    traced_by: Annotated[
        str | None,
        Option(
            "--traced-governor",
            "governor that decided in a trace of cpu_idle (default: the first --governor)",
            metavar="G",
        ),
    ] = None
    traced_release: Annotated[
        "Release | None",
        Option("--traced-kernel", "Linux release that was traced (default: --kernel)", metavar="K"),
    ] = None
    platform: Annotated["AnyPlatform", PLATFORM] = field(default_factory=all_levels)
    power: Annotated[PowerRequest, Options(after="--traced-kernel")] = FROM_SPECS
    limits_us: Annotated[
        tuple[int, ...],
        Option(
            "--latency-limit",
            "replay each table with this PM QoS latency limit, such as 70us, and without, all else "
            "equal; may be repeated",
            metavar="TIME",
            reads="base.model.units.whole_us",
            after="--platform",
        ),
    ] = ()
    sysfs: Annotated[
        tuple[str, ...],
        Option(
            "--sysfs",
            "dumps of cpuidle sysfs: one, or before and after",
            metavar="DUMP",
            several=True,
            after="TRACE",
        ),
    ] = ()

    def __post_init__(self) -> None:
        check_choices(self)
        if self.hz is not None:
            check_hz(self.hz)
        if not self.tables and self.states is None and not self.sysfs:
            own = table_of(self.platform)
            object.__setattr__(self, "tables", () if own is None else (own,))
        object.__setattr__(self, "governors", tuple(dict.fromkeys(self.governors)))
        if self.governors:
            from ...tables.linux.governors import Governor, State

            by = self.traced_by or self.governors[0], self.traced_release or self.kernel
            for governor, kernel in (*((each, self.kernel) for each in self.governors), by):
                try:
                    Governor.for_kernel(governor, kernel, [State(0, 0), State(1, 1)])
                except ValueError as error:
                    raise UsageError(str(error)) from None
        elif self.traced_by or self.traced_release:
            raise UsageError("expected what decided in the trace beside --governor only")
        elif self.limits_us:
            raise UsageError("expected --latency-limit beside --governor only")
        object.__setattr__(self, "limits_us", beside_none(self.limits_us))
        if not self.files:
            raise UsageError("expected a trace, a recording or a sysfs dump")

    @property
    def files(self) -> tuple[str, ...]:
        """All inputs."""
        return (*self.inputs, *self.sysfs)

    @property
    def kernel(self) -> "Release":
        from ...tables.linux.releases import NEWEST, release

        return self.release or release(NEWEST)

    @property
    def settings(self) -> "tuple[Settings, ...]":
        """Returns the inputs of a replay, governor by governor."""
        from .replay import Settings

        rate = self.rate
        return tuple(Settings(each, self.kernel, rate, self.next_timer) for each in self.governors)

    @property
    def rate(self) -> int:
        """The tick rate, named or not."""
        table = self.tables[0] if self.tables else None
        return self.hz or hz_of(ASSUMED_HZ, (self.kernel,), table, self.platform)

    @property
    def by(self) -> "Settings | None":
        """The governor and kernel that decided in a trace of cpu_idle; None without a governor."""
        if not self.settings:
            return None
        first = self.settings[0]
        governor = self.traced_by or first.governor
        return replace(first, governor=governor, release=self.traced_release or first.release)
