"""fit: measurements become latencies and residencies of states, held against what is advertised."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from ...base.dataclass import dataclass, field, replace
from ...base.model.findings import UsageError
from ...base.model.measured import Measured
from ...base.model.table import IdleTable
from ...base.model.units import fractional_us
from ...base.model.verdicts import Verdict
from ...base.reading import opening
from ...base.wording import suggestion
from ...tables.linux.platforms import AnyPlatform
from ...tables.linux.releases import Release
from ...tables.skiboot.platform import ALL_LEVELS
from ...tables.sources import read_table
from .advertised import Advertised, AdvertisedStates
from .importing.formats import read_measured
from .importing.output import Told
from .latencies import FittedLatency, decisive, fitted_latency
from .residencies import FittedResidency, advertised_latencies, by_rule, from_energy

P9999 = Decimal("99.99")
BUSY = "busy"
_MOST_TIMES = 1000
_LONGEST_US = 10**9


@dataclass(frozen=True, slots=True)
class MeasuredInput:
    """A file or directory of measurements, and what is known of it beside."""

    path: str
    told: Told | None = None


def measured_input(word: str, told: Told | None = None) -> MeasuredInput:
    """Of [STATE[@TIME]=]FILE or busy=FILE; a file of that whole name counts first. told: what else
    is known. Raises UsageError for a period that cannot be."""
    before, equals, file = word.partition("=")
    if not equals or not before or "/" in before or opening.kind_of(word):
        return MeasuredInput(word, told)
    known = told or Told()
    if before == BUSY:
        return MeasuredInput(file, replace(known, busy=True))
    state, at, period = before.partition("@")
    if at:
        known = replace(known, period_ns=period_of(period))
    return MeasuredInput(file, replace(known, state=state))


def period_of(text: str) -> float:
    """Returns a period between wake-ups, in ns; a bare number is of us. Raises UsageError."""
    try:
        period = fractional_us(text)
    except ValueError:
        period = 0.0
    if not 0 < period <= 1000 * _LONGEST_US:
        raise UsageError(f"expected a period above 0 and up to {_LONGEST_US} us, found {text!r}")
    return period


@dataclass(frozen=True, slots=True)
class FitRequest:
    """What is measured, and how to fit it. Raises UsageError for values that cannot be meant.

    table         whose values are the advertised ones; None: what the measured machine itself said
    percent       quantile that an exit latency is to be
    confidence    of intervals, in percent
    times         residency as so many exit latencies, where no energy was measured; None: none
    awake_ns      how long a CPU is awake for each wake-up while power is measured
    """

    inputs: tuple[MeasuredInput, ...]
    kernel: Release
    table: str | None = None
    percent: Decimal = P9999
    confidence: Decimal = Decimal(95)
    times: int | None = None
    awake_ns: float = 0.0
    platform: AnyPlatform = ALL_LEVELS

    def __post_init__(self) -> None:
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


@dataclass(frozen=True, slots=True)
class FittedState:
    """A state that was measured.

    name        the table's or the machine's; the measurement's where neither has the state
    advertised  None where neither has it
    by          the measurement that decides; None where only power was measured
    latencies   all of them, in the order of the files
    residency   None where nothing gives one
    """

    name: str
    advertised: Advertised | None
    by: FittedLatency | None
    latencies: tuple[FittedLatency, ...]
    residency: FittedResidency | None

    @property
    def verdict(self) -> Verdict:
        return self.by.judgement.verdict if self.by else "unknown"

    @property
    def why(self) -> str:
        return self.by.judgement.why if self.by else "no wake-up latency was measured"


@dataclass(frozen=True, slots=True)
class FitResult:
    """states: in the order of the table, then others as they were met; unmeasured: names of the
    table's states of which nothing was measured; remarks: what a reader has to know; inputs:
    (file, SHA-256)."""

    request: FitRequest
    table: IdleTable | None
    measured: tuple[Measured, ...]
    states: tuple[FittedState, ...]
    unmeasured: tuple[str, ...]
    remarks: tuple[str, ...]
    inputs: tuple[tuple[str, str], ...] = field(default=())

    @property
    def contradicted(self) -> bool:
        """Whether a state takes longer than is advertised."""
        return any(state.verdict == "under-stated" for state in self.states)


def fit(request: FitRequest) -> FitResult:
    """Reads and fits. Raises UsageError, Unreadable, NoSuchTable, Faulty."""
    measured = [one for each in request.inputs for one in read_measured(each.path, each.told)]
    return fitted(request, measured)


def fitted(request: FitRequest, measured: Sequence[Measured]) -> FitResult:
    """Fits measurements that were read, in place of request.inputs. Raises NoSuchTable, Faulty."""
    inputs = [(one.file, one.sha256) for one in measured]
    if request.table is None:
        advertised = AdvertisedStates.of_machines(measured)
    else:
        source = read_table(request.table)
        advertised = AdvertisedStates.of_table(source, request.platform, request.kernel)
        inputs.insert(0, (source.file, source.sha256))
    remarks = [f"{one.file}: {note}" for one in measured for note in one.notes]
    remarks += [
        f"{one.file}: {count} left out: {why}"
        for one in measured
        for why, count in one.left_out.items()
    ]
    latencies = _latencies(request, measured, advertised, remarks)
    states, more = _states(request, measured, advertised, latencies)
    names = {state.name for state in states}
    unmeasured = [each.name for each in advertised.states if each.name not in names]
    return FitResult(
        request,
        advertised.table,
        tuple(measured),
        states,
        tuple(unmeasured) if request.table is not None else (),
        tuple(dict.fromkeys([*remarks, *more])),
        tuple(dict.fromkeys(inputs)),
    )


def _latencies(
    request: FitRequest,
    measured: Sequence[Measured],
    advertised: AdvertisedStates,
    remarks: list[str],
) -> dict[str, list[FittedLatency]]:
    """By the state's name. Adds remarks on what could not be used."""
    found: dict[str, list[FittedLatency]] = {}
    for one in measured:
        others = [other for other in measured if other is not one]
        for latency in one.latencies:
            if latency.busy:
                continue
            if latency.state is None:
                remarks.append(
                    f"{one.file}: does not say which state was entered; STATE=FILE names it"
                )
                continue
            known = advertised.find(latency.state)
            name = known.name if known else latency.state
            if known is None and advertised.table is not None:
                meant = suggestion(name, [state.name for state in advertised.states])
                remarks.append(f"{one.file}: {request.table} has no state {name}{meant}")
            fit_of = fitted_latency(
                one, latency, others, known, request.percent, request.confidence
            )
            found.setdefault(name, []).append(fit_of)
    return found


def _states(
    request: FitRequest,
    measured: Sequence[Measured],
    advertised: AdvertisedStates,
    latencies: Mapping[str, list[FittedLatency]],
) -> tuple[tuple[FittedState, ...], list[str]]:
    chosen = {name: decisive(of) for name, of in latencies.items()}
    known_ns = advertised_latencies(advertised.states)
    for name, one in chosen.items():
        if one.estimate.value_ns is not None:
            known_ns[name] = one.estimate.value_ns
    residencies, remarks = from_energy(
        measured, advertised, known_ns, request.awake_ns, request.confidence
    )
    # of several meters, the first that gives a residency
    by_name: dict[str, FittedResidency] = {}
    for each in residencies:
        if each.state not in by_name or by_name[each.state].value_ns is None:
            by_name[each.state] = each
    order = [each.name for each in advertised.states]
    names = dict.fromkeys([*latencies, *by_name])
    found = []
    for name in sorted(names, key=lambda n: order.index(n) if n in order else len(order)):
        state = advertised.find(name)
        by = chosen.get(name)
        residency = by_name.get(name)
        value = by.value_ns if by and not by.estimate.refused else None
        if residency is None and request.times is not None and by and value is not None:
            residency = by_rule(name, value, request.times, by.of)
        found.append(FittedState(name, state, by, tuple(latencies.get(name, ())), residency))
    return tuple(found), remarks
