"""Published counters and wake latencies of POWER9, simulated."""

from dataclasses import dataclass, replace
from functools import cache

from idle_states.lab.replay.machine import CpuTable, from_driver
from idle_states.lab.simulation import by_core as simulate_core
from idle_states.lab.simulation import placement, topology, workloads
from idle_states.lab.simulation.costs import Costs
from idle_states.lab.simulation.programs import Duration, Op, OpKind, Task, Workload
from idle_states.lab.simulation.setup import Effect, Setup, SimulationRun, effects_of
from idle_states.tables.linux.driver_table import DriverTable
from idle_states.tables.linux.releases import release
from idle_states.tables.pipeline import journey
from idle_states.tables.power.energy import SNOOZE
from idle_states.tables.skiboot.platform import parse_platform
from idle_states.tables.sources import read_table

FACTOR = 10_000
"""The state that dominates was used so many times more often than all others together."""
ERROR_PERCENT = 15.0
"""A wake-up by another CPU that is predicted from one by a timer is no farther off."""
_COUNTING_NS = 8_000_000_000
_LATENCY_NS = 1_000_000_000
_PERIOD_NS = 5_000_000


@dataclass(frozen=True, slots=True)
class CountedRow:
    """One row of skiboot 51974cab7: usage by state. switched: counted by the benchmark, on the
    average; disabled: a state switched off."""

    setting: str
    table: str
    disabled: str | None
    usage: dict[str, int]
    switched: float


ROWS = (
    CountedRow(
        "200 ns / 2 us",
        "power9-dd1@84368bbf8",
        None,
        {"snooze": 7, "stop0_lite": 3_200_324, "stop1_lite": 6},
        302295.26,
    ),
    CountedRow(
        "200 ns / 2 us, stop0_lite disabled",
        "power9-dd1@84368bbf8",
        "stop0_lite",
        {"snooze": 287_846, "stop0_lite": 0, "stop1_lite": 0},
        396338.72,
    ),
    CountedRow(
        "1 us / 10 us",
        "power9-dd1",
        None,
        {"snooze": 536_808, "stop0_lite": 3, "stop1_lite": 7},
        510224.62,
    ),
)
"""context_switch2 on POWER9 DD1 before and after its stop0_lite was corrected."""


@dataclass(frozen=True, slots=True)
class Counted:
    """usage: state -> idle periods of both CPUs. switched: round trips in a second."""

    row: CountedRow
    usage: dict[str, int]
    switched: float

    @property
    def factor(self) -> float:
        return dominance(self.usage)


def dominant(usage: dict[str, int]) -> str:
    return max(usage, key=lambda name: usage[name])


def dominance(usage: dict[str, int]) -> float:
    """Returns how many times more often the most used state was used than all others together;
    infinite if those were not."""
    most = max(usage.values())
    others = sum(usage.values()) - most
    return most / others if others else float("inf")


@cache
def counted(number: int) -> Counted:
    """By number in ROWS."""
    found = simulate_core.simulate(counting(number, _COUNTING_NS, replace(Costs(), jitter=200)), 1)
    return Counted(ROWS[number], used(found), found.counted * 1_000_000_000 / _COUNTING_NS)


def used(run: SimulationRun) -> dict[str, int]:
    """State -> idle periods of all CPUs."""
    return {
        rows[0].name: sum(row.usage for row in rows)
        for rows in zip(*(cpu.states for cpu in run.cpus), strict=True)
    }


def counting(
    number: int,
    duration_ns: int,
    costs: Costs,
    workload: str = "ping-pong",
    kernel: str = "4.11",
    hz: int = 250,
    exit_ns: int | None = None,
) -> Setup:
    """Returns the simulation of a row of ROWS. exit_ns: what leaving stop0_lite really takes; None:
    what the table says."""
    row = ROWS[number]
    source = read_table(row.table)
    driver = journey(source, parse_platform("op920"), [release(kernel)]).arrivals[0].driver
    names = [state.name for state in driver.states]
    held = from_driver(driver, [names.index(row.disabled)] if row.disabled else [])
    found = workloads.built_in(workload)
    assert found is not None
    exits = {} if exit_ns is None else {"stop0_lite": exit_ns}
    return Setup(
        row.table,
        topology.parse("cpus=2"),
        placement.parse(""),
        found,
        held,
        effects_of(held, source.table, exits),
        "menu",
        release(kernel),
        hz,
        duration_ns,
        costs,
    )


POWERNV = {
    # state: woken by a timer, woken by another CPU
    "snooze": (1709, 2565),
    "stop0_lite": (2028, 3856),
    "stop0": (1954, 3670),
    "stop1": (1895, 3872),
    "stop2": (14556, 17421),
    "stop4": (873988, 1003922),
    "stop5": (959137, 1058870),
}
"""linuxppc-dev 20230828061530.126588-1: means in ns, on a POWER9 without a hypervisor."""
CEDE = {"timer": (5677, 6413), "ipi": (7564, 9514)}
"""The same harness in a partition of a POWER9: median and 99th percentile of 400, in ns."""
FITTED_IPI = "stop0_lite"
"""Costs.ipi was taken from this row."""


@dataclass(frozen=True, slots=True)
class Wake:
    """The time that a wake-up took, in ns. by_table: p50 and p99 with the exit latency of the
    table; by_timer: with what the row of a timer leaves for it."""

    state: str
    kind: str
    measured: tuple[int, int | None]
    by_table: tuple[int, int]
    by_timer: tuple[int, int]
    fitted: bool

    def percent(self, simulated: tuple[int, int], at: int = 0) -> float:
        """Error of p50 (at 0) or p99 (1), of the measurement."""
        measured = self.measured[at]
        assert measured is not None
        return 100 * (simulated[at] - measured) / measured


@cache
def wakes() -> tuple[Wake, ...]:
    """Returns the wakes of every state, by a timer and by another CPU."""
    power9 = read_table("power9").table
    assert power9 is not None
    base = POWERNV[SNOOZE]
    found = []
    driver = _driver("power9")
    latencies = {state.name: state.latency_ns for state in power9.states}
    for name, measured in POWERNV.items():
        exits = (latencies.get(name, 0), measured[0] - base[0])
        for kind, value in zip(("timer", "ipi"), measured, strict=True):
            by_table, by_timer = (_woken(driver, name, kind, each, 0) for each in exits)
            fitted = kind == "timer" or name in (SNOOZE, FITTED_IPI)
            found.append(Wake(name, kind, (value, None), by_table, by_timer, fitted))
    return (*found, *_cede(base[0]))


def _driver(table: str) -> DriverTable:
    platform = parse_platform("all-levels")
    return journey(read_table(table), platform, [release("6.1")]).arrivals[0].driver


def _cede(base_ns: int) -> list[Wake]:
    """Uniform jitter has p99 - p50 for 49 parts in a hundred of it."""
    driver = _driver("pseries-shared")
    name = driver.states[1].name
    middle, high = CEDE["timer"]
    jitter = round((high - middle) / 0.49)
    fitted = middle - jitter // 2 - base_ns
    own = driver.states[1].exit_latency_us * 1000
    return [
        Wake(
            name,
            kind,
            measured,
            _woken(driver, name, kind, own, 0),
            _woken(driver, name, kind, fitted, jitter),
            kind == "timer",
        )
        for kind, measured in CEDE.items()
    ]


def _woken(driver: DriverTable, name: str, kind: str, exit_ns: int, jitter: int) -> tuple[int, int]:
    """p50 and p99 with no other state enabled. The row of snooze has in it what a waker does, so
    that its own cost is the least there is."""
    names = [state.name for state in driver.states]
    held: CpuTable = from_driver(driver, set(range(len(names))) - {names.index(name)})
    effects = tuple(Effect(exit_ns if each == name else 0, 0, False) for each in names)
    switch = POWERNV[SNOOZE][kind == "ipi"]
    setup = Setup(
        name,
        topology.parse("cpus=2"),
        placement.parse(""),
        _timer() if kind == "timer" else _ipi(),
        held,
        effects,
        "menu",
        release("6.1"),
        250,
        _LATENCY_NS,
        replace(Costs(), switch=switch, wake=1, jitter=jitter),
    )
    found: SimulationRun = simulate_core.simulate(setup, 1)
    middle, high = found.latency_ns(50), found.latency_ns(99)
    assert middle is not None
    assert high is not None
    return middle, high


def _timer() -> Workload:
    program = (Op(OpKind.EVERY, Duration(_PERIOD_NS)), Op(OpKind.RUN, Duration(1000)))
    return Workload("timer", (Task("woken", 0, program, cpu=1),))


def _ipi() -> Workload:
    found = workloads.built_in(f"busy-waker:period={_PERIOD_NS}ns,work=1us")
    assert found is not None
    return found
