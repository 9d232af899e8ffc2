"""The request that `prove` makes."""

from typing import TYPE_CHECKING

from ...base.dataclass import dataclass
from ...base.model.findings import UsageError
from ...base.options import Annotated, Option, Options
from ..linux.governors.source.names import SOURCES
from ..linux.qos import NO_LIMIT_US
from ..linux.request_parts import FAR_NS, KERNEL, TABLE_OF_MACHINE, GovernorRequest

if TYPE_CHECKING:
    from ..linux.releases import Release


@dataclass(frozen=True, slots=True)
class ProveRequest:
    """A request for what histories a governor selects each state after.

    of        the governor, and the TABLE or states it selects from
    release   the kernel
    limit_us  the latency limit that holds all the time
    wake_ns   how much waking up lengthens what is measured of states that do not poll
    periods   try, too, which equal idle periods keep each state
    Raises UsageError for a limit or a time to wake that cannot be.
    """

    of: Annotated[
        GovernorRequest,
        Options(
            table=TABLE_OF_MACHINE,
            governor=Option(
                "--governor",
                f"menu, teo, ladder or haltpoll, {SOURCES} (default: menu)",
                metavar="G",
                after="--polling",
            ),
        ),
    ]
    release: Annotated["Release", KERNEL]
    limit_us: Annotated[
        int,
        Option(
            "--latency-limit",
            "PM QoS latency limit such as 50us (default: none)",
            metavar="TIME",
            reads="base.model.units.whole_us",
        ),
    ] = NO_LIMIT_US
    wake_ns: Annotated[
        int,
        Option(
            "--wake",
            "time that waking up adds to the measured idle period, such as 1300ns (default: 0)",
            metavar="TIME",
            reads="base.model.units.bare_ns",
        ),
    ] = 0
    periods: Annotated[
        bool,
        Option(
            "--periods",
            "also show which equal idle periods keep each state selected, and how long a "
            "change takes",
        ),
    ] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "of", self.of.at((self.release,)))
        for option, value, most in (
            ("--latency-limit", self.limit_us, NO_LIMIT_US),
            ("--wake", self.wake_ns, FAR_NS),
        ):
            if not 0 <= value <= most:
                raise UsageError(f"expected {option} from 0 to {most}, found {value}")
