"""The measured exit latencies, where a governor believes those that its table advertises.

Typical wake-ups decide what idle periods cost: the middle of what was measured, or its mean. An
honest table would advertise more than that, the longest that the measurements support: the quantile
that `fit` takes, else the longest measured, else the mean.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from operator import attrgetter
from typing import Annotated

from ...base.dataclass import dataclass, replace
from ...base.model.findings import UsageError
from ...base.model.forms import Count
from ...tables.linux.releases import Release
from ...tables.linux.request_parts import GovernorRequest
from ...tables.power.energy import PowerModel
from ..fit.answer import fitted, read_inputs
from ..fit.request import P9999, FitRequest, measured_input
from ..replay.machine import CpuTable
from ..replay.tables import HeldTables
from .evaluate import Candidate, Outcomes, Work
from .judging import Judged
from .search import Tuned, judged_alike

SPEC = "spec"
"""In the place of a file: what the spec itself records under `measured`."""
_US = 1000


@dataclass(frozen=True, slots=True)
class TrueLatency:
    """The exit latency of a state, as measured."""

    state: Annotated[str, "Name."]
    advertised_ns: Annotated[Count, "The exit latency in the kernel."]
    typical_ns: Annotated[Count, "Middle of the wake-ups measured, or their mean."]
    honest_ns: Annotated[Count, "The exit latency to advertise, in whole us."]
    ground: Annotated[str, "Who measured it, or in which file."]


@dataclass(frozen=True, slots=True)
class HonestTable:
    """A table with honest latencies.

    what  its residencies, in words
    gain  the share of the present table's cost that it saves, negative where it costs more; None
          where that costs nothing
    """

    what: str
    judged: Judged
    gain: float | None


@dataclass(frozen=True, slots=True)
class Truth:
    """latencies: of the states that were measured. files: (name, SHA-256) of what was read."""

    latencies: tuple[TrueLatency, ...]
    files: tuple[tuple[str, str], ...] = ()

    def real(self, table: CpuTable) -> CpuTable:
        """The table with exit latencies as they typically are."""
        return _with_exits(table, {one.state: one.typical_ns for one in self.latencies})

    def honest(self, table: CpuTable) -> CpuTable:
        """The table with exit latencies as it should advertise them."""
        return _with_exits(table, {one.state: one.honest_ns for one in self.latencies})

    def power(self, model: PowerModel, table: CpuTable) -> PowerModel:
        """The model with the time that entering and leaving takes scaled to typical latencies."""
        states = dict(model.states)
        for one in self.latencies:
            state = states.get(one.state)
            if state is not None:
                tau = one.typical_ns
                if one.advertised_ns:
                    tau = state.tau_ns * one.typical_ns // one.advertised_ns
                states[one.state] = replace(state, tau_ns=tau)
        return replace(model, states=states)


def truth_of(
    words: Sequence[str], held: HeldTables, of: GovernorRequest, release: Release
) -> Truth:
    """Reads measurements as fit does, or takes the spec's. Raises UsageError if they say nothing of
    the table's states, and the errors of reading them."""
    exits = {
        name: state.exit_ns
        for name, state in zip(held.states.names, held.states.states, strict=True)
        if not state.polling
    }
    files: tuple[tuple[str, str], ...] = ()
    if tuple(words) == (SPEC,):
        found = _recorded(held)
    else:
        found, files = _fitted(words, held, of, release)
    latencies = tuple(
        TrueLatency(name, exits[name], typical, max(-(-honest // _US) * _US, _US), ground)
        for name, (typical, honest, ground) in found.items()
        if name in exits
    )
    if not latencies:
        raise UsageError(
            f"expected measured wake-ups of {', '.join(exits)}, found none with --measured"
        )
    return Truth(latencies, files)


def judge_honest(
    truth: Truth, table: CpuTable, power: PowerModel, tuned: Tuned, work: Work
) -> tuple[HonestTable, ...]:
    """Tables that advertise what was measured, with the residencies of the three tables of a
    search, none below its exit latency.

    power: with real latencies; work: evaluates with the present table.
    """
    honest = truth.honest(table)
    wanted: dict[Candidate, str] = {}
    for what, judged in (
        ("present residencies", tuned.present),
        ("break-even residencies", tuned.even),
        ("the best residencies", tuned.best),
    ):
        wanted.setdefault(_at_least_exits(judged.candidate, honest), what)
    outcomes: Sequence[Outcomes] = work.with_table(honest).evaluate(list(wanted))
    judges = judged_alike(truth.real(table), power, tuned, outcomes)
    present = tuned.present.value
    return tuple(
        HonestTable(what, judged, float(1 - judged.value / present) if present else None)
        for what, judged in zip(wanted.values(), judges, strict=True)
    )


def _at_least_exits(candidate: Candidate, table: CpuTable) -> Candidate:
    exits = (-(-state.exit_ns // _US) for state in table.states[1:])
    return tuple(max(own, least) for own, least in zip(candidate, exits, strict=True))


def _with_exits(table: CpuTable, exits: Mapping[str, int]) -> CpuTable:
    states = tuple(
        replace(state, exit_ns=exits.get(name, state.exit_ns))
        for name, state in zip(table.names, table.states, strict=True)
    )
    return replace(table, states=states)


_Found = dict[str, tuple[int, int, str]]
"""Kernel's name of a state -> (typical, honest, ground)."""


def _recorded(held: HeldTables) -> _Found:
    found: _Found = {}
    for name, row in held.rows:
        if not row.measured:
            continue
        middles = [one for one in row.measured if one.statistic in ("p50", "mean")]
        longest = max(row.measured, key=attrgetter("net_ns"))
        typical = max(middles, key=attrgetter("net_ns")) if middles else longest
        found[name] = typical.net_ns, longest.net_ns, longest.source
    return found


def _fitted(
    words: Sequence[str], held: HeldTables, of: GovernorRequest, release: Release
) -> tuple[_Found, tuple[tuple[str, str], ...]]:
    inputs = tuple(measured_input(word) for word in words)
    measured = read_inputs(inputs)
    request = FitRequest(inputs, release, of.table, Decimal(50), platform=of.platform)
    typical = fitted(request, measured)
    longest = fitted(replace(request, percent=P9999), measured)
    row2name = {row.name: name for name, row in held.rows}
    found: _Found = {}
    for middle, most in zip(typical.states, longest.states, strict=True):
        if middle.by is None or most.by is None:
            continue
        low, high = middle.by.value_ns, most.by.value_ns
        if low is not None and high is not None:
            name = row2name.get(middle.name, middle.name)
            found[name] = low, max(low, high), most.by.of.file
    return found, tuple((one.file, one.sha256) for one in measured)
