"""A trace of cpu_idle, or an exact recording, as a workload: each CPU computes and sleeps for the
times there, once.

One task is bound to each CPU. It computes while the CPU was not idle, and a timer ends each sleep.
Neither shows how other idle states would have changed the work itself; the simulation does show how
they change latencies: a sleep that ends late delays all that follow.
"""

from collections.abc import Iterator
from itertools import chain, islice

from ...base.model.findings import Unreadable, next_step, unreadable
from ...base.reading.inputs import Input, InputKind
from ...base.reading.problems import InputProblems
from ..traces import any_trace
from ..traces.periods import NO_MISS, Pairing, Period
from ..traces.recording import rows
from ..traces.text import TraceText
from .programs import DURATION_MAX, Duration, Op, OpKind, Task, Workload
from .topology import CPUS_MAX

PERIODS_MAX = 500_000


@next_step(any_trace.TRACE)
def read(source: Input) -> tuple[Workload, int]:
    """Returns the workload and the length of the trace in ns. Raises Unreadable."""
    if source.kind is InputKind.SYSFS:
        message = f"expected a trace of cpu_idle or a recording, found a {source.kind}"
        raise unreadable(source.name, message)
    if source.kind in (InputKind.CSV, InputKind.JSONL):
        periods = _bounded(_recorded(source), source.name)
        ends = [end for _, _, start, until, _ in periods for end in (start, until)]
        span = (min(ends), max(ends)) if ends else None
    else:
        periods, span = _traced(source)
    if not periods or span is None or span[0] == span[1]:
        raise unreadable(source.name, "expected idle periods, found none")
    return Workload(source.name, tuple(_tasks(periods, span[0], source.name))), span[1] - span[0]


def _traced(source: Input) -> tuple[list[Period], tuple[int, int] | None]:
    """Returns the periods of a trace, and its first and last ns."""
    problems = InputProblems()
    reader, pairing = TraceText(problems), Pairing(problems)

    periods = chain.from_iterable(pairing.whole(any_trace.batches(source, reader)))
    return _bounded(periods, source.name), pairing.span_ns


def _recorded(source: Input) -> Iterator[Period]:
    """The idle periods of a recording: each begins at its decision."""
    idle_until_ns: dict[int, int] = {}
    for row in rows(source):
        start_ns = row.situation.clock_ns
        if start_ns < idle_until_ns.get(row.cpu, 0):
            message = (
                f"expected a decision of CPU {row.cpu} after its last idle period, which ended at "
                f"{idle_until_ns[row.cpu]} ns, found one at {start_ns} ns"
            )
            raise unreadable(source.name, message, row.line)
        until_ns = start_ns + row.outcome.residency_ns
        if not row.outcome.rejected:
            idle_until_ns[row.cpu] = until_ns
            yield row.cpu, row.state, start_ns, until_ns, NO_MISS


def _bounded(periods: Iterator[Period], name: str) -> list[Period]:
    found = list(islice(periods, PERIODS_MAX + 1))
    if len(found) > PERIODS_MAX:
        raise unreadable(name, f"expected at most {PERIODS_MAX} idle periods")
    return found


def _tasks(periods: list[Period], start_ns: int, name: str) -> list[Task]:
    ops: dict[int, list[Op]] = {}
    awake_ns: dict[int, int] = {}
    for cpu, _, from_ns, until_ns, _ in periods:
        if cpu >= CPUS_MAX:
            raise _too_many(name, cpu)
        busy_ns, idle_ns = from_ns - awake_ns.get(cpu, start_ns), until_ns - from_ns
        if max(busy_ns, idle_ns) > DURATION_MAX:
            raise unreadable(name, f"expected times up to {DURATION_MAX} ns, found longer ones")
        program = ops.setdefault(cpu, [])
        if busy_ns > 0:
            program.append(Op(OpKind.RUN, Duration(busy_ns)))
        program.append(Op(OpKind.SLEEP, Duration(idle_ns)))
        awake_ns[cpu] = until_ns
    return [
        Task(f"CPU {cpu}", 0, tuple(program), cpu=cpu, once=True)
        for cpu, program in sorted(ops.items())
    ]


def _too_many(name: str, cpu: int) -> Unreadable:
    return unreadable(name, f"expected CPUs below {CPUS_MAX}, found CPU {cpu}")
