"""The request to fit latencies and residencies to measurements."""

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from ...base.dataclass import dataclass, field
from ...base.model.findings import UsageError
from ...base.model.measured import WokenBy
from ...base.model.units import fractional_us
from ...base.options import Annotated, Argument, Option
from ...base.reading import opening
from ...tables.linux.request_parts import KERNEL_SOURCE, PLATFORM, all_levels, table_of

if TYPE_CHECKING:
    from ...tables.linux.platforms import AnyPlatform
    from ...tables.linux.releases import Release

P9999 = Decimal("99.99")
BUSY = "busy"
_MOST_TIMES = 1000
_LONGEST_US = 10**9


@dataclass(frozen=True, slots=True)
class MeasuredInput:
    """A file or directory of measurements, and what is known of it beside.

    state      which idle state was entered; None: the file says it
    busy       measured with the CPU kept awake
    period_ns  time between wake-ups
    """

    path: str
    state: str | None = None
    busy: bool = False
    period_ns: float | None = None


def measured_input(word: str) -> MeasuredInput:
    """Returns the input [STATE[@TIME]=]FILE or busy=FILE; a file of that whole name counts first.
    Raises UsageError for an impossible period."""
    before, equals, file = word.partition("=")
    if not equals or not before or "/" in before or opening.kind_of(word):
        return MeasuredInput(word)
    if before == BUSY:
        return MeasuredInput(file, busy=True)
    state, at, period = before.partition("@")
    return MeasuredInput(file, state, period_ns=period_of(period) if at else None)


def period_of(text: str) -> float:
    """Returns a period between wake-ups, in ns; a bare number is of us. Raises UsageError."""
    try:
        period = fractional_us(text)
    except ValueError:
        period = 0.0
    if not 0 < period <= 1000 * _LONGEST_US:
        raise UsageError(f"expected a period above 0 and up to {_LONGEST_US} us, found {text!r}")
    return period


def quantile_of(text: str) -> Decimal:
    """Returns a quantile in percent. Raises UsageError."""
    return _decimal(text, "a quantile in percent")


def confidence_of(text: str) -> Decimal:
    """Returns a confidence in percent. Raises UsageError."""
    return _decimal(text, "a confidence in percent")


def _decimal(text: str, what: str) -> Decimal:
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise UsageError(f"expected {what}, found {text!r}") from None
    if not value.is_finite():
        raise UsageError(f"expected {what}, found {text!r}")
    return value


@dataclass(frozen=True, slots=True)
class FitRequest:
    """Measurements to fit, and how. Raises UsageError for values that cannot be meant."""

    inputs: Annotated[
        tuple[MeasuredInput, ...],
        Argument(
            "MEASURED",
            "[STATE[@US]=]FILE, busy=FILE",
            several=True,
            reads="lab.fit.request.measured_input",
        ),
    ]
    kernel: Annotated[
        "Release",
        Option(
            "--kernel",
            "Linux release that numbers the states (default: the newest)",
            metavar="K",
            also=KERNEL_SOURCE,
            default="newest",
            after="--woken-by",
        ),
    ]
    table: Annotated[
        str | None,
        Option(
            "--table",
            "the advertised table: a TABLE as for check (default: that of the x86 machine that "
            "--platform names, else what the measured machine reported)",
            metavar="T",
            is_table=True,
        ),
    ] = None
    percent: Annotated[
        Decimal,
        Option(
            "--quantile",
            "quantile of the wake-ups that is the exit latency, in percent (default: 99.99)",
            metavar="PERCENT",
            reads="lab.fit.request.quantile_of",
        ),
    ] = P9999
    confidence: Annotated[
        Decimal,
        Option(
            "--confidence",
            "confidence of intervals, in percent (default: 95)",
            metavar="PERCENT",
            reads="lab.fit.request.confidence_of",
        ),
    ] = Decimal(95)
    times: Annotated[
        int | None,
        Option(
            "--residency",
            "target residency: N times the fitted exit latency, where no energy was measured",
            metavar="N",
        ),
    ] = None
    awake_ns: Annotated[
        float,
        Option(
            "--awake",
            "how long a CPU is awake for each wake-up while energy is measured, such as 7.5us "
            "(default: 0)",
            metavar="TIME",
            reads="base.model.units.fractional_us",
        ),
    ] = 0.0
    period_ns: Annotated[
        float | None,
        Option(
            "--period",
            "time between wake-ups for files that do not record it, such as 500us; "
            "STATE@TIME=FILE gives it for one file",
            metavar="TIME",
            reads="lab.fit.request.period_of",
        ),
    ] = None
    woken_by: Annotated[
        WokenBy | None,
        Option("--woken-by", "what ended the idle periods, for files that do not record it"),
    ] = None
    platform: Annotated["AnyPlatform", PLATFORM] = field(default_factory=all_levels)

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", self.table or table_of(self.platform))
        for what, value, least in (
            ("quantile", self.percent, 50),
            ("confidence", self.confidence, 50),
        ):
            if not (value.is_finite() and least <= value < 100):
                raise UsageError(f"expected a {what} from {least} to below 100 %, found {value}")
        if self.times is not None and not 1 <= self.times <= _MOST_TIMES:
            raise UsageError(
                f"expected a residency of 1 to {_MOST_TIMES} exit latencies, found {self.times}"
            )
        if not 0 <= self.awake_ns < 1e12:
            raise UsageError("expected a time awake from 0 to below 1000 s")
