"""A trace of cpu_idle as a workload: each CPU computes and sleeps for the traced times, once.

One task is bound to each CPU. It computes while the CPU was not idle, and a timer ends each sleep.
The trace does not show how other idle states would have changed the work itself; the simulation
does show how they change latencies: a sleep that ends late delays all that follow.
"""

from ..findings import Unreadable, unreadable
from ..reading.inputs import Input
from ..reading.problems import InputProblems
from ..traces.periods import Pairing, Period
from ..traces.text import TraceText
from .programs import DURATION_MAX, Duration, Op, OpKind, Task, Workload
from .topology import CPUS_MAX

PERIODS_MAX = 500_000


def read(source: Input) -> tuple[Workload, int]:
    """Returns the workload and the length of the trace in ns. Raises Unreadable."""
    from ..reading.inputs import InputKind as InputKind
    from ..traces import dat as trace_dat

    if source.kind not in (InputKind.TEXT, InputKind.DAT):
        raise unreadable(source.name, f"expected a trace of cpu_idle, found {source.kind}")
    problems = InputProblems()
    reader, pairing = TraceText(problems), Pairing(problems)
    blocks = trace_dat.blocks(source) if source.kind is InputKind.DAT else source.blocks()
    periods: list[Period] = []
    for batch in reader.batches(blocks):
        periods += pairing.feed(batch)
        if len(periods) > PERIODS_MAX:
            raise unreadable(source.name, f"expected at most {PERIODS_MAX} idle periods")
    periods += pairing.finish()
    span = pairing.span_ns
    if not periods or span is None or span[0] == span[1]:
        raise unreadable(source.name, "expected idle periods, found none")
    return Workload(source.name, tuple(_tasks(periods, span[0], source.name))), span[1] - span[0]


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
