"""Published sweeps over the period of a wake-up, simulated: shares of a thread's time by state.

No document says what the woken thread did, what a wake-up took its waker, how long snooze goes on
after its time limit and how even the hardware is. These four are free. They are fitted to half the
rows, by the least mean error on a grid; the other half is then predicted. Whoever exchanges the
halves sees what the first half could not have said. A measurement on the same machine may then be
predicted as a whole.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from statistics import fmean

from idle_states.lab.replay.machine import from_times
from idle_states.lab.simulation import by_core as simulate_core
from idle_states.lab.simulation import placement, topology, workloads
from idle_states.lab.simulation.costs import Costs
from idle_states.lab.simulation.setup import Effect, Setup
from idle_states.lab.simulation.summary import BISTABLE_POINTS, UNNOTICED_NS
from idle_states.tables.linux.releases import release

FIT_NS, DURATION_NS = 200_000_000, 500_000_000
SEEDS = (1, 2, 3, 4)
WOKEN = 1
"""The CPU whose time the measurements are of."""
AIM = 1.0
"""A row that is predicted and not bistable should be no farther off, in points of a hundred."""

Shares = tuple[float, float]
"""The shares of the woken thread's time: snooze, CEDE; in a hundred."""
Measured = tuple[float, float | None]
"""The same; None: not published."""


@dataclass(frozen=True, slots=True)
class MeasuredRow:
    """One row of a measurement. cede_ns: exit latency and target residency."""

    period_us: int
    setting: str
    kernel: str
    cede_ns: tuple[int, int]
    measured: Measured
    hz: int = 100


@dataclass(frozen=True, slots=True)
class Free:
    """The free parameters, in ns. handling: by how much a wake-up makes the waker's period
    longer; work: of the woken thread, between two waits."""

    work: int
    handling: int
    overshoot: int
    jitter: int


@dataclass(frozen=True, slots=True)
class MeasuredSweep:
    """A measurement. fitted: the rows, by number, that parameters are fitted to."""

    name: str
    workload: str
    cases: tuple[MeasuredRow, ...]
    grid: tuple[Free, ...]
    fitted: frozenset[int]


@dataclass(frozen=True, slots=True)
class PredictedRow:
    """A row. snooze: least and greatest share over seeds, with the jitter that was fitted, and
    with UNNOTICED_NS less and more."""

    case: MeasuredRow
    simulated: Shares
    snooze: Shares
    fitted: bool

    @property
    def points(self) -> float:
        """The error: the greater one of both states."""
        return distance(self.simulated, self.case.measured)

    @property
    def bistable(self) -> bool:
        return self.snooze[1] - self.snooze[0] > BISTABLE_POINTS


@dataclass(frozen=True, slots=True)
class SweepOutcome:
    """The outcome of a sweep. mean_points: of the rows that were fitted."""

    sweep: MeasuredSweep
    free: Free
    mean_points: float
    rows: tuple[PredictedRow, ...]

    @property
    def worst(self) -> float:
        """Returns the worst of the rows that were predicted and are not bistable."""
        return max(row.points for row in self.rows if not row.fitted and not row.bistable)


def _grid(
    works: Iterable[int],
    handlings: Iterable[int],
    overshoots: Iterable[int],
    jitters: Iterable[int],
) -> tuple[Free, ...]:
    return tuple(Free(*each) for each in product(works, handlings, overshoots, jitters))


def _cases(
    measured: Mapping[int, tuple[float, float, float, float]],
    settings: Iterable[tuple[str, str, tuple[int, int]]],
) -> tuple[MeasuredRow, ...]:
    """measured: period in us -> both shares in the first setting, and in the second."""
    return tuple(
        MeasuredRow(period, *setting, (row[2 * number], row[2 * number + 1]))
        for period, row in measured.items()
        for number, setting in enumerate(settings)
    )


PERIODS = MeasuredSweep(
    "wake-up-period",
    "busy-waker",
    _cases(
        {
            10: (21.85, 0.0, 21.62, 0.0),
            50: (0.03, 76.07, 76.85, 0.0),
            100: (0.03, 87.18, 87.61, 0.02),
            500: (0.0, 97.27, 3.7, 93.53),
        },
        (
            ("CEDE (1, 10)", "5.13", (1_000, 10_000)),
            ("CEDE (10, 100)", "5.13", (10_000, 100_000)),
        ),
    ),
    _grid(range(8_000, 12_001, 500), range(0, 8_001, 1_000), range(500, 3_501, 1_000), (0, 1_000)),
    frozenset({0, 1, 2, 3}),
)
"""linuxppc-dev 1626676399-15975-1: a thread wakes a sibling; POWER9 partition, Linux 5.13."""
POLLING = MeasuredSweep(
    "polling-flag",
    "periodic",
    _cases(
        {
            110: (95.4, 0.03, 1.17, 92.67),
            250: (1.38, 96.46, 0.59, 97.28),
            350: (62.91, 35.56, 0.42, 98.04),
        },
        (
            ("without POLLING", "6.0", (12_000, 120_000)),
            ("with POLLING", "6.2", (12_000, 120_000)),
        ),
    ),
    _grid(range(2_000, 6_001, 500), (0, 1_000, 2_000, 3_000), range(500, 3_501, 1_000), (0, 1_000)),
    frozenset({0, 2, 4}),
)
"""The review of Linux 5ddcc03a07ae: 6.0-rc4 before and after snooze was flagged POLLING."""
TICKS = tuple(
    MeasuredRow(230, f"HZ {hz}", "6.2", (12_000, 120_000), (snooze, None), hz)
    for hz, snooze in ((100, 0.63), (250, 1.53), (1000, 2.81))
)
"""Snooze's share by HZ; on the machine of POLLING, as its rows with the flag suggest."""


@cache
def shares(
    workload: str, case: MeasuredRow, free: Free, seed: int = 1, duration_ns: int = DURATION_NS
) -> Shares:
    """Returns what one simulation has."""
    chosen = release(case.kernel)
    period = 1_000 * case.period_us + free.handling
    found = workloads.built_in(f"{workload}:period={period}ns,work={free.work}ns")
    assert found is not None
    setup = Setup(
        "CEDE",
        topology.parse("smt4"),
        placement.parse(""),
        found,
        from_times((case.cede_ns,), chosen.features.snooze_polling),
        (Effect(0, 0, True), Effect(case.cede_ns[0], 0, True)),
        "menu",
        chosen,
        case.hz,
        duration_ns,
        replace(Costs(), snooze_overshoot=free.overshoot, jitter=free.jitter),
    )
    states = simulate_core.simulate(setup, seed).cpus[WOKEN].states
    snooze, cede = (100_000 * state.time_us / duration_ns for state in states)
    return snooze, cede


def distance(simulated: Shares, measured: Measured) -> float:
    """The greater one of both states', where it was measured."""
    both = zip(simulated, measured, strict=True)
    return max(abs(share - known) for share, known in both if known is not None)


@cache
def predict(sweep: MeasuredSweep, fitted: frozenset[int]) -> SweepOutcome:
    """Fits some rows and predicts all. Needs the compiled core, for its speed.

    A fitted row that turns out to be bistable says little of the parameters; they are fitted again
    without it.
    """
    used = fitted
    while True:
        free, error = _fit(sweep, used)
        rows = tuple(
            _row(sweep.workload, case, free, number in fitted)
            for number, case in enumerate(sweep.cases)
        )
        left = frozenset(number for number in used if not rows[number].bistable)
        if left == used or not left:
            return SweepOutcome(sweep, free, error, rows)
        used = left


def _fit(sweep: MeasuredSweep, used: frozenset[int]) -> tuple[Free, float]:
    def mean_error(free: Free) -> float:
        return fmean(
            distance(shares(sweep.workload, case, free, 1, FIT_NS), case.measured)
            for number, case in enumerate(sweep.cases)
            if number in used
        )

    best = min(sweep.grid, key=mean_error)
    return best, mean_error(best)


def exchanged(sweep: MeasuredSweep) -> SweepOutcome:
    """The other half fitted."""
    return predict(sweep, frozenset(range(len(sweep.cases))) - sweep.fitted)


def missed(rows: Iterable[PredictedRow]) -> list[PredictedRow]:
    """Rows that were predicted, are not bistable, and are beyond the aim."""
    return [row for row in rows if not row.fitted and not row.bistable and row.points > AIM]


@cache
def ticks(free: Free) -> tuple[PredictedRow, ...]:
    """TICKS, none of which is fitted. free: of POLLING."""
    return tuple(_row(POLLING.workload, case, free, False) for case in TICKS)


def _row(workload: str, case: MeasuredRow, free: Free, fitted: bool) -> PredictedRow:
    jitters = {max(0, free.jitter + change) for change in (-UNNOTICED_NS, 0, UNNOTICED_NS)}
    jittered = [
        shares(workload, case, replace(free, jitter=jitter), seed)[0]
        for jitter in sorted(jitters)
        for seed in SEEDS
    ]
    runs = [shares(workload, case, free, seed) for seed in SEEDS]
    mean = (fmean(run[0] for run in runs), fmean(run[1] for run in runs))
    return PredictedRow(case, mean, (min(jittered), max(jittered)), fitted)
