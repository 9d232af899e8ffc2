"""The answer to `fit`: measurements become latencies and residencies of states, held against what
is advertised."""

from collections.abc import Iterable, Mapping, Sequence

from ...base.dataclass import dataclass, field
from ...base.model.measured import Latency, Measured, WokenBy
from ...base.model.table import IdleTable
from ...base.model.verdicts import Verdict
from ...base.wording import suggestion
from ...tables.sources import read_table
from .advertised import Advertised, AdvertisedStates
from .importing.formats import read_measured
from .importing.output import Facts
from .latencies import FittedLatency, decisive, fitted_latency, together
from .request import FitRequest, MeasuredInput
from .residencies import FittedResidency, by_rule, from_energy


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
        """Tells whether a state takes longer than is advertised."""
        return any(state.verdict == "under-stated" for state in self.states)


def fit(request: FitRequest) -> FitResult:
    """Reads and fits. Raises UsageError, Unreadable, NoSuchTable, Faulty."""
    return fitted(request, read_inputs(request.inputs, request.period_ns, request.woken_by))


def read_inputs(
    inputs: Iterable[MeasuredInput], period_ns: float | None = None, woken_by: WokenBy | None = None
) -> list[Measured]:
    """Reads measurements. period_ns, woken_by: of inputs without. Raises UsageError, Unreadable."""
    found: list[Measured] = []
    for each in inputs:
        period = period_ns if each.period_ns is None else each.period_ns
        found += read_measured(each.path, Facts(each.state, each.busy, period, woken_by))
    return found


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
    found: dict[str, list[tuple[Measured, Latency, Advertised | None]]] = {}
    for one in measured:
        for latency in one.latencies:
            if latency.busy:
                continue
            if latency.state is None:
                remarks.append(
                    f"{one.file}: the state that was entered is not recorded; name it: STATE=FILE"
                )
                continue
            known = advertised.find(latency.state)
            name = known.name if known else latency.state
            if known is None and advertised.table is not None:
                meant = suggestion(name, [state.name for state in advertised.states])
                remarks.append(f"{one.file}: {request.table} has no state {name}{meant}")
            found.setdefault(name, []).append((one, latency, known))
    return {
        name: [
            fitted_latency(
                one,
                latency,
                [other for other in measured if other is not one],
                known,
                request.percent,
                together(request.confidence, len(several)),
            )
            for one, latency, known in several
        ]
        for name, several in found.items()
    }


def _states(
    request: FitRequest,
    measured: Sequence[Measured],
    advertised: AdvertisedStates,
    latencies: Mapping[str, list[FittedLatency]],
) -> tuple[tuple[FittedState, ...], list[str]]:
    chosen = {name: decisive(of) for name, of in latencies.items()}
    known_ns = {
        each.name: float(each.latency_ns)
        for each in advertised.states
        if each.latency_ns is not None
    }
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
