"""Every value of a table that a stage changes on its way to the governor, and since which kernel.

Firmware, driver and cpuidle core say themselves what they pass on altered (`Changed`). What they
only convert is added here: flags of which the driver keeps one, latencies that are sums, times in
another unit, snooze's time-out in ticks.
"""

from collections.abc import Iterable, Iterator, Sequence

from ...base.dataclass import dataclass, replace
from ...base.model.findings import UsageError
from ...base.model.stages import Changed, Lost
from ...base.model.table import U32_MAX, IdleTable, Register
from ..devicetree.idle_nodes import ENTRY, EXIT, RESIDENCY, WAKEUP, row_nodes
from ..linux.convert import NANOSECONDS, THRESHOLD_NS, times_on_32_bits
from ..linux.driver_table import DriverState
from ..linux.genpd.reading import STATE as GENPD
from ..linux.grounds import known_of, modelled
from ..linux.kernel_ranges import is_numbered
from ..linux.platforms import AnyPlatform, subsystem_of
from ..linux.pseries import latency_us, tb_to_ns, uses_records
from ..linux.releases import (
    MAINLINE,
    PRESETS,
    SERIES2LAST,
    Release,
    place,
    reached,
    release,
    version_key,
    version_name,
)
from ..linux.request_parts import table_or_machine
from ..pipeline import Arrival, Journey, journey
from ..sources import Source, read_table
from .causes import Meaning, judged
from .request import KernelsRequest
from .steps import drivers_of

CORE = "drivers/cpuidle/driver.c __cpuidle_driver_init()"
SNOOZE = "drivers/cpuidle/cpuidle-powernv.c snooze_loop(), tb_ticks_per_usec"
STATE_NODE = "drivers/cpuidle/dt_idle_states.c init_state_node()"
TIMEBASE_HZ = 512_000_000
"""The timebase of every POWER processor with OPAL."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value that a stage changes, and what is known of it.

    row      position in the table; None: of no single row
    stage    "firmware", "driver", "cpuidle" (the core, and the governor behind it), or "genpd"
    kernels  the releases in which it changes so, neighbours joined: "4.8 to 4.14.6"; none: what
             firmware changes, whichever kernel follows
    but      distributions' kernels that do not, although the release they are taken as does
    """

    row: int | None
    state: str
    field: str
    stage: str
    before: str
    after: str
    cause: str
    reason: str
    ground: str
    judged: Meaning
    kernels: tuple[str, ...] = ()
    but: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Values:
    """The result: values in the order of rows, fields, stages and releases.

    kernels      the releases that were followed, neighbours joined
    assumptions  what the values rest on
    """

    source: Source
    platform: str
    kernels: tuple[str, ...]
    values: tuple[Value, ...]
    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KernelSpan:
    """Releases that do the same, by the first of them."""

    release: Release
    last: str


def values(request: KernelsRequest) -> Values:
    """Computes the result of a request with `values`. Raises UsageError, UnknownRelease, and what
    reading a table raises."""
    table = table_or_machine(request.table, request.platform)
    return values_of(read_table(table), request.platform, request.kernels)


def values_of(source: Source, platform: "AnyPlatform", kernels: Sequence[Release] = ()) -> Values:
    """The values of a source's table, which must have one, that change on a platform. kernels: as
    of KernelsRequest. Raises UsageError."""
    assert source.table is not None
    subsystem = subsystem_of(source.table, platform)
    named = sorted(kernels, key=lambda each: (not is_numbered(each.name), each.version))
    spans = [KernelSpan(each, each.name) for each in named] or spans_of(
        drivers_of(source.table, platform)
    )
    spans = [span for span in spans if modelled(span.release, subsystem)]
    if not spans:
        raise UsageError(f"expected a kernel that {subsystem} is modelled for, found none")
    way = journey(source, platform, [span.release for span in spans])
    value2spans: dict[Value, list[int]] = {}
    for at, arrival in enumerate(way.arrivals):
        for value in changed_values(way, arrival):
            value2spans.setdefault(value, []).append(at)
    ordered = sorted(value2spans.items(), key=lambda each: _place(each[0], each[1][0]))
    folding = Folding(spans, folded=not kernels)
    found = []
    for value, some in ordered:
        names, but = folding.names(some)
        found.append(replace(value, kernels=names, but=but))
    return Values(
        source,
        platform.name,
        folding.names(range(len(spans)))[0],
        (*_firmware(way), *found),
        tuple(_assumptions(source.table, folded=not kernels)),
    )


_STAGES = ("driver", "cpuidle", "genpd")


def _place(value: Value, first: int) -> tuple[object, ...]:
    row = 1 << 30 if value.row is None else value.row
    return row, value.field, _STAGES.index(value.stage), first, value.after


def spans_of(drivers: Iterable[str]) -> list[KernelSpan]:
    """Every release, from each at which one of the drivers changes to the last before the next;
    then distributions' kernels."""
    begun = {each for name in drivers for row in known_of(name)[0].rows for each in row.releases}
    series2points: dict[str, set[int]] = {series: {0} for series in MAINLINE}
    for name in begun:
        line, key = place(name)
        if line in series2points and len(key) > 2 and key[2] > 0:
            series2points[line].add(key[2])
    spans = []
    for series, points in series2points.items():
        ordered = sorted(points)
        for point, following in zip(ordered, [*ordered[1:], None], strict=True):
            own = version_key(series)
            last = SERIES2LAST[series] if following is None else version_name((*own, following - 1))
            first = version_name((*own, point))
            spans.append(KernelSpan(release(first), first if _same(first, last) else last))
    return [*spans, *(KernelSpan(release(name), name) for name in PRESETS)]


def _same(first: str, last: str) -> bool:
    return (*version_key(first), 0)[:3] == (*version_key(last), 0)[:3]


class Folding:
    """Names of some of several releases.

    folded  all releases are among the several: neighbours of kernel.org's are one range, and a
            distribution's kernel is named only where it does otherwise than the release that it
            is taken as
    """

    def __init__(self, spans: Sequence[KernelSpan], *, folded: bool) -> None:
        self.spans = spans
        self.own = [at for at, span in enumerate(spans) if is_numbered(span.release.name)]
        self.own.sort(key=lambda at: spans[at].release.version)
        self.others = [at for at, span in enumerate(spans) if not is_numbered(span.release.name)]
        self.folded = folded

    def names(self, some: Iterable[int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Returns the names, and those of distributions' kernels that are not among them although
        their release is."""
        wanted = set(some)
        runs: list[list[int]] = []
        for before, at in zip([-1, *self.own], self.own, strict=False):
            if at in wanted:
                if before in wanted and self.folded:
                    runs[-1].append(at)
                else:
                    runs.append([at])
        found = [_range(self.spans[run[0]].release.name, self.spans[run[-1]].last) for run in runs]
        but = []
        for at in self.others:
            base = self._base(self.spans[at].release)
            name = self.spans[at].release.name
            if at in wanted and base not in wanted:
                found.append(name)
            elif at not in wanted and base in wanted:
                but.append(name)
        return tuple(found), tuple(but)

    def _base(self, kernel: Release) -> int | None:
        """The span that has the release which a distribution's kernel is taken as."""
        if not self.folded:
            return None
        key = (*kernel.version, 0)[:3]
        earlier = [at for at in self.own if (*self.spans[at].release.version, 0)[:3] <= key]
        return earlier[-1] if earlier else None


def _range(first: str, last: str) -> str:
    return first if first == last else f"{first} to {last}"


def changed_values(way: Journey, arrival: Arrival) -> Iterator[Value]:
    """Yields the values that a kernel changes, without `kernels`."""
    table = way.table
    for row, changed in arrival.changed:
        stage = "genpd" if changed.field in (ENTRY, EXIT, RESIDENCY) else "driver"
        yield _of(table, row, stage, changed)
    for row, lost in arrival.lost:
        if lost.cause == "over-threshold":
            yield _over(table, row, lost)
    for stage, at, converted in _converted(way, arrival):
        yield _of(table, at, stage, converted)


def _firmware(way: Journey) -> Iterator[Value]:
    for changed in way.export.changed if way.export else ():
        yield _of(way.table, changed.index, "firmware", changed)


def _of(table: IdleTable, row: int | None, stage: str, changed: Changed) -> Value:
    return Value(
        row,
        changed.state if row is None else table.states[row].name,
        changed.field,
        stage,
        changed.before,
        changed.after,
        changed.cause,
        changed.reason,
        changed.ground,
        judged(changed, stage, table),
    )


def _over(table: IdleTable, row: int, lost: Lost) -> Value:
    limit = f"cpuidle does not use states with an exit latency above {THRESHOLD_NS} ns"
    before = f"{table.states[row].latency_ns} ns"
    return _of(
        table,
        row,
        "driver",
        Changed(row, lost.state, "latency", before, "none", limit, lost.ground, lost.cause),
    )


def _converted(way: Journey, arrival: Arrival) -> Iterator[tuple[str, int | None, Changed]]:
    """Yields (stage, row, change) of what the models need not say, because nothing is lost by
    it."""
    table = way.table
    for row, state in sorted(arrival.registered.items()):
        for changed in _of_state(table, row, state):
            yield "driver", row, changed
    if table.partition is not None:
        for changed in _records(table, arrival.release):
            yield "driver", 0, changed
    if arrival.driver.snooze_timeout_us is not None and arrival.driver.states:
        yield "driver", None, _timeout(table, arrival.driver.snooze_timeout_us)
    if reached(arrival.release, NANOSECONDS) and arrival.driver.states:
        reason = "cpuidle multiplies by 1000, and governors compare ns (since 5.5, c1d51f684c72)"
        unit = Changed(0, "every state", "times", "1 us", "1000 ns", reason, CORE, "unit")
        yield "cpuidle", None, unit
        for row, changed in _of_32_bits(table, arrival):
            yield "cpuidle", row, changed
    if any(domain.states and not domain.dead for domain in arrival.driver.domains):
        reason = "genpd multiplies by 1000, and its governor compares ns"
        every = Changed(0, "every domain state", "times", "1 us", "1000 ns", reason, GENPD, "unit")
        yield "genpd", None, every


def _timeout(table: IdleTable, timeout_us: int) -> Changed:
    hz = table.partition.timebase_hz if table.partition else TIMEBASE_HZ
    ticks_a_us, rest = divmod(hz, 1_000_000)
    reason, cause = f"snooze counts ticks of the timebase, {ticks_a_us} a microsecond", "ticks"
    if rest:
        reason, cause = f"{reason}, of {hz} Hz: the rest is dropped", "ticks-truncated"
    before, after = f"{timeout_us} us", f"{timeout_us * ticks_a_us} ticks"
    return Changed(0, "snooze", "time-out", before, after, reason, SNOOZE, cause)


def _of_state(table: IdleTable, row: int, state: DriverState) -> Iterator[Changed]:
    own = table.states[row]
    if table.register is not Register.NONE:
        kept = "TIMER_STOP" if state.timer_stop else "none"
        reason = "cpuidle keeps of the flags whether the timer stops; the platform code reads them"
        before = f"{own.flags:#x}"
        ground = "drivers/cpuidle/cpuidle-powernv.c powernv_add_idle_states()"
        yield Changed(row, own.name, "flags", before, kept, reason, ground, "flags")
        if table.register is Register.PMICR:
            for name, value in (("pmicr", own.control), ("pmicr-mask", own.mask)):
                if value:
                    reason = "Linux enters nap, sleep and winkle by instructions, not by PMICR"
                    before = f"{value:#x}"
                    yield Changed(row, own.name, name, before, "not read", reason, ground, "unread")
    if table.origin.form == "nodes":
        node = row_nodes(table.origin)[row]
        wakeup, entry, leave = (node.u32(name) for name in (WAKEUP, ENTRY, EXIT))
        after = f"{state.exit_latency_us} us"
        sum_us = (entry or 0) + (leave or 0)
        if wakeup is None and sum_us == state.exit_latency_us:
            before = f"{entry} us + {leave} us"
            reason = "the node has no wakeup-latency-us: cpuidle's exit latency is entry and exit"
            yield Changed(row, own.name, "latency", before, after, reason, STATE_NODE, "summed")
        elif wakeup is not None and entry is not None and leave is not None and wakeup != sum_us:
            before = f"{entry} us + {leave} us"
            reason = "wakeup-latency-us stands for both"
            yield Changed(row, own.name, "latency", before, after, reason, STATE_NODE, "wakeup")


def _of_32_bits(table: IdleTable, arrival: Arrival) -> Iterator[tuple[int, Changed]]:
    """Yields what a 32-bit Arm kernel's core makes of times that its products do not hold."""
    if table.origin.form != "nodes" or table.origin.riscv:
        return
    reason = "a 32-bit kernel multiplies by 1000 in 32 bits, which wraps"
    for row, state in sorted(arrival.registered.items()):
        for name, us in times_on_32_bits(state, arrival.release):
            before, after = f"{us} us", f"{us * 1000 & U32_MAX} ns"
            own = table.states[row].name
            yield row, Changed(row, own, name, before, after, reason, CORE, "wrapped-on-32-bits")


def _records(table: IdleTable, kernel: Release) -> Iterator[Changed]:
    """Yields what becomes of the ticks of a partition's extended-cede records."""
    partition = table.partition
    assert partition is not None
    if partition.shared or not uses_records(table, kernel.features):
        return
    name = table.states[0].name if table.states else "CEDE"
    for number, record in enumerate(partition.extended_cede):
        ticks, us = record.latency_ticks, latency_us(record, partition.timebase_hz)
        ns = tb_to_ns(ticks, partition.timebase_hz)
        what = f"extended-cede[{number}]"
        ground = "arch/powerpc/kernel/time.c tb_to_ns()"
        exact = ns * partition.timebase_hz == ticks * 1_000_000_000
        reason = f"ticks of {partition.timebase_hz} Hz"
        if not exact:
            reason += "; the fraction is dropped, and so is a last bit that the shift makes 0"
        cause = "ticks-to-ns" if exact else "ticks-to-ns-truncated"
        yield Changed(0, name, what, f"{ticks} ticks", f"{ns} ns", reason, ground, cause)
        if us * 1000 != ns:
            ground = "drivers/cpuidle/cpuidle-pseries.c fixup_cede0_latency()"
            reason = "the kernel rounds up to microseconds"
            yield Changed(
                0, name, what, f"{ns} ns", f"{us} us", reason, ground, "record-rounded-up"
            )


def _assumptions(table: IdleTable, *, folded: bool) -> Iterator[str]:
    if folded:
        yield (
            "a distribution's kernel is named where it differs from the release that it is based on"
        )
    if table.register is not Register.NONE:
        yield f"the timebase has {TIMEBASE_HZ} Hz, as on every POWER processor with OPAL"
    elif table.origin.form == "nodes" and not table.origin.riscv:
        yield (
            "the tree does not tell whether its kernel has 32 bits: changes of a 32-bit kernel "
            "are shown too"
        )
