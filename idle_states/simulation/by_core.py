"""simulate.Simulation by the compiled core: the same results, about a hundred times faster."""

import struct
from array import array
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

from .. import core
from ..core.packing import compiled, packed_features, packed_states
from ..linux import idle_loop
from ..linux.genpd.features import HISTORY
from ..linux.genpd.running import Laid, RunningDomains
from ..linux.governors import Governor, asks_utilisation
from ..linux.governors.interface import tick_ns
from ..linux.idle_call import is_asked, unasked_stop_tick
from ..linux.releases import folded
from ..reading import limits
from ..replay.counters import Tally, counts_in_ns
from ..replay.polling import polling
from .placement import CLUSTER
from .programs import LOG2_Q32, U64
from .setup import HISTOGRAM_SIZE, SCOPES, Setup, SimulationRun, too_many_events
from .utilisation import DECAYS

_EFFECT = struct.Struct("<QII")
_OP = struct.Struct("<QQIIIIII")
_PROGRAM = struct.Struct("<7I")
_DOMAIN = struct.Struct("<7I")
_DOMAIN_STATE = struct.Struct("<3Q")
_DOMAIN_COUNTER = struct.Struct("<4Q")
_COUNTER_BYTES = 48
_NOWHERE = (1 << 32) - 1
_POLL_SECONDS = 0.1


class Watch:
    """Lets another thread read the progress of a running simulation, and stop it."""

    def __init__(self) -> None:
        self.cells = array("Q", (0, 0))

    @property
    def now_ns(self) -> int:
        """Simulated time in ns of a recent event; it may lag behind the latest."""
        return self.cells[0]

    def stop(self) -> None:
        """Asks the simulation to stop early. The result of a stopped simulation is incomplete."""
        self.cells[1] = 1


def knows(setup: Setup) -> bool:
    """Whether the core is installed and can run this setup: any governor but haltpoll."""
    if not core.available() or setup.governor == "haltpoll":
        return False
    return core.can_replay(_governor(setup))


def simulate(setup: Setup, seed: int, trace: int = 0, watch: Watch | None = None) -> SimulationRun:
    """Runs one seed by the core, with the interpreter's lock released.

    trace: number of task switches to keep in the result. Raises Unreadable for more events than
    there may be.
    """
    topology, states = setup.topology, setup.table.states
    governor = _governor(setup)
    tally = Tally(setup.table, counts_in_ns(setup.release))
    smt = topology.small_core if setup.policy.smt == "small" else topology.core
    ops, programs = _programs(setup)
    domains = RunningDomains(setup.domains, folded(HISTORY, setup.release), range(topology.cpus))
    laid = domains.laid_out()
    inputs = (
        _setting(setup, seed, trace, laid),
        *(
            array("I", groups)
            for groups in (
                topology.small_core,
                topology.pair,
                topology.quad,
                topology.cluster,
                topology.llc,
                smt,
            )
        ),
        b"".join(_EFFECT.pack(each.exit_ns, each.scope, each.holds) for each in setup.effects),
        *_domains(laid, topology.cpus),
        ops,
        programs,
        array("Q", LOG2_Q32),
        array("Q", DECAYS),
        tally.thresholds,
    )
    counters = bytearray(_COUNTER_BYTES * len(states) * topology.cpus)
    reached = _zeros(len(states))
    scope_ns = _zeros(len(SCOPES) * (len(states) + 1))
    latencies, totals = _zeros(HISTOGRAM_SIZE), _zeros(8)
    of_domains = bytearray(_DOMAIN_COUNTER.size * sum(len(each.states) for each in laid))
    stayed_on = _zeros(len(laid))
    traced = _zeros(3 * trace)
    watch = watch or Watch()
    unfinished = compiled.simulate(
        setup.governor,
        packed_features(setup.governor, governor.features),
        packed_states(states),
        setup.hz,
        inputs,
        (counters, reached, scope_ns, of_domains, stayed_on, latencies, traced, totals),
        watch.cells,
    )
    if unfinished and not watch.cells[1]:
        raise too_many_events(setup, watch.now_ns)
    each_bytes = _COUNTER_BYTES * len(states)
    counted_states = _DOMAIN_COUNTER.iter_unpack(of_domains)
    for number, (each, often) in enumerate(zip(laid, stayed_on, strict=True)):
        domains.absorb(number, often, [next(counted_states) for _ in each.states])
    switches, counted, events, digest, latency_max_ns, traces, waited, waited_ns = totals
    levels = len(states) + 1
    return SimulationRun(
        seed,
        setup.duration_ns,
        tuple(
            tally.figures_of(counters[cpu * each_bytes : (cpu + 1) * each_bytes])
            for cpu in range(topology.cpus)
        ),
        tuple(reached),
        tuple(tuple(scope_ns[at : at + levels]) for at in range(0, len(scope_ns), levels)),
        _counted(latencies),
        latency_max_ns,
        switches,
        counted,
        events,
        digest,
        tuple((traced[at], traced[at + 1], traced[at + 2]) for at in range(0, 3 * traces, 3)),
        domains.figures(),
        waited,
        waited_ns,
    )


def _governor(setup: Setup) -> Governor:
    return Governor.for_kernel(setup.governor, setup.release, setup.table.states, setup.hz)


def _counted(buckets: "array[int]") -> dict[int, int]:
    """Returns bucket -> count of those that have any, most of which lie near each other."""
    raw = buckets.tobytes()
    first = (len(raw) - len(raw.lstrip(b"\0"))) // buckets.itemsize
    end = -(-len(raw.rstrip(b"\0")) // buckets.itemsize)
    return {bucket: buckets[bucket] for bucket in range(first, end) if buckets[bucket]}


def _zeros(count: int) -> "array[int]":
    return array("Q", bytes(8 * count))


def _setting(setup: Setup, seed: int, trace: int, laid: Sequence[Laid]) -> "array[int]":
    """Returns the values of struct sim_setting in core/simulate.h, in its order."""
    costs, loop = setup.costs, idle_loop.features(setup.release)
    genpd = folded(HISTORY, setup.release)
    limit = polling(setup.table, setup.release, setup.hz)
    return array(
        "Q",
        (
            setup.topology.cpus,
            len(setup.workload.tasks),
            len(setup.table.states),
            seed & U64,
            setup.duration_ns,
            tick_ns(setup.hz),
            U64 if limit.limit_ns is None else limit.limit_ns,
            limit.told,
            setup.polls,
            is_asked(loop, setup.governor, setup.table.states),
            unasked_stop_tick(loop, True),
            loop.governor_decides_tick,
            core.mask(setup.table.disabled),
            setup.table.limit_us,
            counts_in_ns(setup.release),
            costs.switch,
            costs.wake,
            costs.idle_entry,
            costs.turn,
            costs.ipi,
            costs.snooze_overshoot,
            costs.jitter,
            costs.slice,
            costs.background,
            asks_utilisation(setup.governor, setup.release),
            costs.smt_busy_permille,
            costs.smt_hold_permille,
            setup.policy.recent,
            CLUSTER.index(setup.policy.cluster),
            trace,
            limits.SIMULATION_EVENTS,
            len(laid),
            sum(len(each.states) for each in laid),
            sum(len(each.cpus) for each in laid),
            genpd.deepest_children,
            setup.table.limit_us * 1000 if genpd.latency_limits else U64,
        ),
    )


def _domains(laid: Sequence[Laid], cpus: int) -> tuple[bytes, bytes, "array[int]", "array[int]"]:
    """Returns the power domains, their states and their CPUs, and each CPU's own domain."""
    packed, states = bytearray(), bytearray()
    members, own = array("I"), array("I", [_NOWHERE] * cpus)
    count = 0
    for number, each in enumerate(laid):
        parent = _NOWHERE if each.parent is None else each.parent
        sizes = count, len(each.states), len(members), len(each.cpus), len(each.own)
        packed += _DOMAIN.pack(parent, *sizes, each.governed)
        members.extend(each.cpus)
        count += len(each.states)
        for cpu in each.own:
            own[cpu] = number
        for state in each.states:
            states += _DOMAIN_STATE.pack(state.power_off_ns, state.power_on_ns, state.residency_ns)
    return bytes(packed), bytes(states), members, own


def _programs(setup: Setup) -> tuple[bytes, bytes]:
    """Returns the ops and the tasks, packed for the core; each program's ops occur once."""
    places: dict[int, int] = {}
    ops, programs = bytearray(), bytearray()
    for task in setup.workload.tasks:
        # tasks of the same name share one program
        first = places.get(id(task.ops))
        if first is None:
            first = places[id(task.ops)] = len(ops) // _OP.size
            for op in task.ops:
                duration = op.duration
                ops += _OP.pack(
                    duration.low,
                    duration.high,
                    op.kind,
                    duration.spread,
                    op.first,
                    op.count,
                    op.which,
                    op.sync,
                )
        programs += _PROGRAM.pack(
            first,
            len(task.ops),
            task.number,
            _NOWHERE if task.cpu is None else task.cpu,
            task.with_waker,
            task.once,
            task.again,
        )
    return bytes(ops), bytes(programs)


def simulate_all(
    setup: Setup, seeds: Sequence[int], advance: Callable[[int], None] = lambda more_ns: None
) -> list[SimulationRun]:
    """Runs every seed, in parallel threads, one per available processor. Returns results in order.

    advance: called repeatedly with the ns simulated since the last call, summed over all runs. An
    exception, such as KeyboardInterrupt, stops the runs that are still going on.
    """
    watches = [Watch() for _ in seeds]
    pool = ThreadPoolExecutor(max(1, min(core.processors(), len(seeds))))
    told = 0
    try:
        futures = [
            pool.submit(simulate, setup, seed, 0, watch)
            for seed, watch in zip(seeds, watches, strict=True)
        ]
        under_way = set(futures)
        while under_way:
            done, under_way = wait(under_way, _POLL_SECONDS, FIRST_EXCEPTION)
            for future in done:
                future.result()
            now = sum(watch.now_ns for watch in watches)
            advance(now - told)
            told = now
        return [future.result() for future in futures]
    finally:
        for watch in watches:
            watch.stop()
        pool.shutdown(cancel_futures=True)
