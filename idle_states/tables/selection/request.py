"""The request that `select` makes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...base.dataclass import dataclass, field
from ...base.model.findings import UsageError
from ...base.model.units import format_time
from ...base.options import Annotated, Option, Options
from ..linux.governors.source.names import SOURCES
from ..linux.qos import NO_LIMIT_US
from ..linux.request_parts import FAR_NS, KEEP, LIMIT, GovernorRequest, kernels
from .limit_words import NO_LATENCY, AskedLimit, keeping

if TYPE_CHECKING:
    from ..linux.releases import Release


@dataclass(frozen=True, slots=True)
class Scope:
    """For which circumstances selections are wanted.

    limits_us  latency limits
    timers_ns  times to the next timer to make maps for, besides a timer that is far away
    idles_ns   idle lengths for which to map the selection over the time to the next timer
    wake_ns    how much waking up lengthens a measured idle period, to find ranges that lock in; 0:
               these are not wanted
    Raises UsageError for times out of range.
    """

    limits_us: Sequence[int] = (NO_LIMIT_US,)
    timers_ns: Annotated[
        Sequence[int],
        Option(
            "--next-timer",
            "map idle periods that an interrupt ends, with the next timer TIME away, such as "
            "300us; may be repeated (default: 10s)",
            metavar="TIME",
            reads="base.model.units.bare_us",
        ),
    ] = ()
    idles_ns: Annotated[
        Sequence[int],
        Option(
            "--idle",
            "map the distance of the next timer, for idle periods that an interrupt ends after "
            "TIME; may be repeated (default: none)",
            metavar="TIME",
            reads="base.model.units.bare_us",
        ),
    ] = ()
    wake_ns: Annotated[
        int,
        Option(
            "--wake",
            "time that waking up adds to the measured idle period, to find ranges that keep a "
            "state selected",
            metavar="TIME",
            reads="base.model.units.bare_ns",
        ),
    ] = 0

    def __post_init__(self) -> None:
        far_us = FAR_NS // 1000
        for option, values, unit, first, last in (
            ("--latency-limit", self.limits_us, 1, 0, NO_LIMIT_US),
            ("--next-timer", self.timers_ns, 1000, 1, far_us - 1),
            ("--idle", self.idles_ns, 1000, 0, far_us - 1),
            ("--wake", (self.wake_ns,), 1, 0, FAR_NS),
        ):
            for value in values:
                if not first * unit <= value <= last * unit:
                    found = format_time(value) if value % unit else value // unit
                    raise UsageError(f"expected {option} from {first} to {last}, found {found}")
        object.__setattr__(self, "timers_ns", tuple(sorted(set(self.timers_ns))))
        object.__setattr__(self, "idles_ns", tuple(sorted(set(self.idles_ns))))


@dataclass(frozen=True, slots=True)
class SelectRequest:
    """A request for what a governor selects under each of some kernels.

    of        the governor, and the TABLE or states it selects from
    governors  several governors, in the place of the one in `of`; (): that one
    releases  the kernels
    scope     for which timers and idle lengths
    against   a second TABLE to compare with, None for no comparison
    limits    latency limits
    keep      names of the states that a further latency limit is to leave
    per_cpu   the limits are a CPU's (pm_qos_resume_latency_us), not the system's
    Raises UsageError for what cannot be meant.
    """

    of: Annotated[GovernorRequest, Options(governor=None)]
    releases: Annotated["tuple[Release, ...]", kernels(after="--governor", beside="governors")]
    scope: Scope = field(default_factory=Scope)
    governors: Annotated[
        tuple[str, ...],
        Option(
            "--governor",
            f"menu, teo or ladder, {SOURCES}; may be repeated, to show how each further one "
            "differs from the first (default: menu)",
            metavar="G",
            default="menu",
            after="--polling",
        ),
    ] = ()
    against: Annotated[
        str | None,
        Option(
            "--against",
            "show only what this table changes",
            metavar="TABLE",
            is_table=True,
            after="TABLE",
        ),
    ] = None
    limits: Annotated["tuple[AskedLimit, ...]", LIMIT] = ()
    keep: Annotated[tuple[str, ...], KEEP] = ()
    per_cpu: Annotated[
        bool,
        Option(
            "--per-cpu",
            "the limits are a CPU's pm_qos_resume_latency_us, not the system's",
            after="--keep",
        ),
    ] = False

    def __post_init__(self) -> None:
        governors = tuple(dict.fromkeys(self.governors)) or (self.of.governor,)
        object.__setattr__(self, "governors", governors)
        object.__setattr__(self, "of", self.of.at(self.releases))
        if self.against and self.of.table is None:
            raise UsageError("expected --against with a table, not with --states")
        if self.per_cpu and not self.all_limits:
            raise UsageError("expected --per-cpu with --latency-limit or --keep")
        words = {word.text for limit in self.limits for word in limit.words}
        if NO_LATENCY in words and not self.per_cpu:
            raise UsageError(
                f"expected {NO_LATENCY} with --per-cpu only: the system has no such limit"
            )

    @property
    def all_limits(self) -> "tuple[AskedLimit, ...]":
        """The latency limits, each once, and the one that is to keep states."""
        kept = (keeping(self.keep),) if self.keep else ()
        return (*dict.fromkeys(self.limits), *kept)
