"""simulate.Simulation by the compiled core: the same results, about a hundred times faster."""

from array import array
from collections.abc import Callable, Sequence

from ...base.reading import limits
from ...tables.linux import idle_loop
from ...tables.linux.genpd.features import HISTORY
from ...tables.linux.genpd.running import Laid, RunningDomains
from ...tables.linux.governors import asks_utilisation, core
from ...tables.linux.governors.core.packing import compiled, packed_features, packed_states
from ...tables.linux.governors.core.structs import (
    DOMAIN,
    DOMAIN_COUNTER,
    DOMAIN_STATE,
    EFFECT,
    FORESEEN,
    NOWHERE,
    OP,
    PROGRAM,
    SETTING,
)
from ...tables.linux.governors.interface import tick_ns
from ...tables.linux.idle_loop import is_asked, unasked_stop_tick
from ...tables.linux.releases import folded
from ..replay.counters import Tally, counts_in_ns
from ..replay.machine import CpuTable
from ..replay.oracle import Foreseen
from ..replay.polling import polling
from .placement import CLUSTER
from .programs import LOG2_Q32, U64
from .setup import HISTOGRAM_SIZE, SCOPES, Setup, SimulationRun, too_many_events
from .utilisation import DECAYS

_COUNTER_BYTES = 48
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
    """Tells whether the core is installed and can run this setup: any governor but haltpoll."""
    if not core.available() or setup.governor == "haltpoll":
        return False
    return core.can_replay(setup.model())


def simulate(
    setup: Setup,
    seed: int,
    trace: int = 0,
    watch: Watch | None = None,
    others: Sequence[CpuTable] = (),
) -> SimulationRun:
    """Runs one seed by the core, with the interpreter's lock released. trace: number of task
    switches to keep in the result; others: tables with other residencies, with which the governor
    is asked as well. Raises Unreadable for more events than there may be."""
    topology, states = setup.topology, setup.table.states
    governor = setup.model()
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
        b"".join(
            EFFECT.pack(exit_ns=each.exit_ns, scope=each.scope, holds=each.holds)
            for each in setup.effects
        ),
        *_domains(laid, topology.cpus),
        ops,
        programs,
        array("Q", LOG2_Q32),
        array("Q", DECAYS),
        tally.thresholds,
        _foreseen(setup.foreseen),
        b"".join(packed_states(other.states) for other in others),
    )
    counters = bytearray(_COUNTER_BYTES * len(states) * topology.cpus)
    reached = _zeros(len(states))
    scope_ns = _zeros(len(SCOPES) * (len(states) + 1))
    latencies, totals = _zeros(HISTOGRAM_SIZE), _zeros(9)
    hindsight = tally.empty_counters()
    of_domains = bytearray(DOMAIN_COUNTER.layout.size * sum(len(each.states) for each in laid))
    stayed_on = _zeros(len(laid))
    traced, agreed = _zeros(3 * trace), _zeros(len(others))
    of_machine = counters, reached, scope_ns, of_domains, stayed_on
    watch = watch or Watch()
    unfinished = compiled.simulate(
        setup.governor,
        packed_features(setup.governor, governor.features),
        packed_states(states),
        setup.hz,
        inputs,
        (*of_machine, latencies, traced, hindsight, totals, agreed),
        watch.cells,
    )
    if unfinished and not watch.cells[1]:
        raise too_many_events(setup, watch.now_ns)
    each_bytes = _COUNTER_BYTES * len(states)
    counted_states = DOMAIN_COUNTER.layout.iter_unpack(of_domains)
    for number, (each, often) in enumerate(zip(laid, stayed_on, strict=True)):
        domains.absorb(number, often, [next(counted_states) for _ in each.states])
    switches, counted, events, digest, latency_max_ns, traces, waited, waited_ns, between = totals
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
        tally.figures_of(hindsight) if setup.foreseen else None,
        between,
        tuple(agreed),
    )


def simulate_each(setups: Sequence[Setup], seed: int) -> list[SimulationRun]:
    """Runs setups that differ in their residencies alone. Of those with which the governor decides
    the same from the first to the last decision, one is simulated, and `above` and `below` are
    counted with its residencies."""
    found: dict[int, SimulationRun] = {}
    settings = [_setting(setup, seed, 0, ()) for setup in setups]
    groups = [[at for at, own in enumerate(settings) if own == each] for each in {*settings}]
    while groups:
        first, *others = groups.pop()
        run = simulate(setups[first], seed, others=[setups[at].table for at in others])
        found[first] = run
        # those that leave the first one's way at different decisions do not go on together
        left: dict[int, list[int]] = {}
        for at, agreed in zip(others, run.agreed, strict=True):
            left.setdefault(agreed, []).append(at)
        found |= dict.fromkeys(left.pop(U64, ()), run)
        groups += left.values()
    return [found[at] for at in range(len(setups))]


def _foreseen(chosen: Foreseen | None) -> bytes:
    if chosen is None:
        return b""
    of_lengths = zip(chosen.lengths_ns, chosen.states, strict=True)
    return b"".join(FORESEEN.pack(length_ns=length, state=state) for length, state in of_lengths)


def _counted(buckets: "array[int]") -> dict[int, int]:
    """Returns bucket -> count of those that have any, most of which lie near each other."""
    raw = buckets.tobytes()
    first = (len(raw) - len(raw.lstrip(b"\0"))) // buckets.itemsize
    end = -(-len(raw.rstrip(b"\0")) // buckets.itemsize)
    return {bucket: buckets[bucket] for bucket in range(first, end) if buckets[bucket]}


def _zeros(count: int) -> "array[int]":
    return array("Q", bytes(8 * count))


def _setting(setup: Setup, seed: int, trace: int, laid: Sequence[Laid]) -> bytes:
    costs, loop = setup.costs, idle_loop.features(setup.release)
    genpd = folded(HISTORY, setup.release)
    limit = polling(setup.table, setup.release, setup.hz)
    return SETTING.pack(
        cpus=setup.topology.cpus,
        tasks=len(setup.workload.tasks),
        states=len(setup.table.states),
        seed=seed & U64,
        duration_ns=setup.duration_ns,
        tick_ns=tick_ns(setup.hz),
        poll_limit_ns=U64 if limit.limit_ns is None else limit.limit_ns,
        poll_told=limit.reports,
        polls=setup.polls,
        asks=is_asked(loop, setup.governor, setup.table.states),
        got_tick_stops=unasked_stop_tick(loop, True),
        decides_tick=loop.governor_decides_tick,
        disabled=core.mask(setup.table.disabled),
        latency_req_us=setup.table.limit_us,
        counts_ns=counts_in_ns(setup.release),
        switch_ns=costs.switch,
        wake_ns=costs.wake,
        idle_entry_ns=costs.idle_entry,
        turn_ns=costs.turn,
        ipi_ns=costs.ipi,
        overshoot_ns=costs.snooze_overshoot,
        jitter_ns=costs.jitter,
        slice_ns=costs.slice,
        background_ns=costs.background,
        utilises=asks_utilisation(setup.governor, setup.release),
        smt_busy=costs.smt_busy_permille,
        smt_hold=costs.smt_hold_permille,
        recent=setup.policy.recent,
        cluster=CLUSTER.index(setup.policy.cluster),
        trace_most=trace,
        events_most=limits.SIMULATION_EVENTS,
        domains=len(laid),
        domain_states=sum(len(each.states) for each in laid),
        domain_cpus=sum(len(each.cpus) for each in laid),
        deepest_children=genpd.deepest_children,
        domain_limit_ns=setup.table.limit_us * 1000 if genpd.latency_limits else U64,
        foreseen=len(setup.foreseen.states) if setup.foreseen else 0,
    )


def _domains(laid: Sequence[Laid], cpus: int) -> tuple[bytes, bytes, "array[int]", "array[int]"]:
    """Returns the power domains, their states and their CPUs, and each CPU's own domain."""
    packed, states = bytearray(), bytearray()
    members, own = array("I"), array("I", [NOWHERE] * cpus)
    count = 0
    for number, each in enumerate(laid):
        parent = NOWHERE if each.parent is None else each.parent
        packed += DOMAIN.pack(
            parent=parent,
            first_state=count,
            states=len(each.states),
            first_cpu=len(members),
            cpus=len(each.cpus),
            own=len(each.own),
            governed=each.governed,
        )
        members.extend(each.cpus)
        count += len(each.states)
        for cpu in each.own:
            own[cpu] = number
        for state in each.states:
            states += DOMAIN_STATE.pack(
                off_ns=state.power_off_ns, on_ns=state.power_on_ns, residency_ns=state.residency_ns
            )
    return bytes(packed), bytes(states), members, own


def _programs(setup: Setup) -> tuple[bytes, bytes]:
    """Returns the ops and the tasks, packed for the core; each program's ops occur once."""
    places: dict[int, int] = {}
    ops, programs = bytearray(), bytearray()
    for task in setup.workload.tasks:
        # tasks of the same name share one program
        first = places.get(id(task.ops))
        if first is None:
            first = places[id(task.ops)] = len(ops) // OP.layout.size
            for op in task.ops:
                duration = op.duration
                ops += OP.pack(
                    low=duration.low,
                    high=duration.high,
                    kind=op.kind,
                    spread=duration.spread,
                    first=op.first,
                    count=op.count,
                    which=op.which,
                    sync=op.sync,
                )
        programs += PROGRAM.pack(
            first=first,
            count=len(task.ops),
            number=task.number,
            cpu=NOWHERE if task.cpu is None else task.cpu,
            with_waker=task.with_waker,
            once=task.once,
            again=task.again,
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
    from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

    pool = ThreadPoolExecutor(max(1, min(core.processors(), len(seeds))))
    shown = 0
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
            advance(now - shown)
            shown = now
        return [future.result() for future in futures]
    finally:
        for watch in watches:
            watch.stop()
        pool.shutdown(cancel_futures=True)
