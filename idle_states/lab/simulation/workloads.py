"""Built-in workloads, by name: NAME or NAME:key=value,...

Each is a program of a few lines (programs.py), with the times of a published benchmark where there
is one. How long the tasks compute between two waits is a parameter: no document gives it.
"""

import re
from collections.abc import Callable
from inspect import Parameter, getdoc, signature
from typing import Annotated

from ...base.dataclass import dataclass
from ...base.model.units import UNITS_NS, format_time
from .programs import BadWorkload, Duration, Op, OpKind, Spread, Task, Which, Workload, check

_TIME = re.compile(r"(\d{1,12})(ns|us|ms|s)", re.ASCII)
_COUNT = re.compile(r"\d{1,6}", re.ASCII)

WAIT, COUNT = Op(OpKind.WAIT), Op(OpKind.COUNT)
QUIET = (Op(OpKind.SLEEP, Duration(1_000_000)),) * 10
"""Initial idle periods that fill the governor's history, as on a machine that was idle before."""


Ns = Annotated[int, "ns"]
"""A parameter that is a time in ns."""


def run(ns: int) -> Op:
    return Op(OpKind.RUN, Duration(ns))


def run_about(ns: int) -> Op:
    """Returns a run of ns / 2 to 3 * ns / 2, uniform."""
    return Op(OpKind.RUN, Duration(ns - ns // 2, ns + ns // 2, Spread.UNIFORM))


def run_random(mean_ns: int) -> Op:
    return Op(OpKind.RUN, Duration(mean_ns, 0, Spread.EXPONENTIAL))


def wake(first: int, count: int = 1, which: Which = Which.SAME, *, sync: bool = False) -> Op:
    return Op(OpKind.WAKE, first=first, count=count, which=which, sync=sync)


def ping_pong(work: Ns = 860, cpus: int = 2) -> Workload:
    """Two tasks, each bound to its CPU, wake each other in turn, as context_switch2 does, after
    the CPUs were idle for ten times 1 ms. Counted: round trips. work: of either between two waits.
    cpus: 2, or 1 for both on CPU 0."""
    if cpus not in (1, 2):
        raise BadWorkload(f"ping-pong: expected cpus of 1 or 2, found {cpus}")
    return Workload(
        "ping-pong",
        (
            Task(
                "ping",
                0,
                (*QUIET, run(work), COUNT, wake(1, sync=True), WAIT),
                cpu=0,
                again=len(QUIET),
            ),
            Task(
                "pong",
                0,
                (*QUIET, WAIT, run(work), wake(0, sync=True)),
                cpu=cpus - 1,
                again=len(QUIET),
            ),
        ),
        "round trips",
    )


def pipe(work: Ns = 1500) -> Workload:
    """Two tasks, placed by the scheduler, wake each other in turn, as perf bench sched pipe does.
    Counted: round trips. work: of either between two waits."""
    return Workload(
        "pipe",
        (
            Task("writer", 0, (run(work), COUNT, wake(1), WAIT)),
            Task("reader", 0, (WAIT, run(work), wake(0))),
        ),
        "round trips",
    )


def hand_off(work: Ns = 5_000, worker: Ns = 2_000) -> Workload:
    """A task hands work to a worker of its CPU and waits for it, as a file system's log does: the
    pair that the recently used CPU was made for. Counted: hand-offs. work: of the task; worker: of
    the worker."""
    return Workload(
        "hand-off",
        (
            Task("task", 0, (run(work), wake(1), COUNT, WAIT)),
            Task("worker", 0, (WAIT, run(worker), wake(0)), with_waker=True),
        ),
        "hand-offs",
    )


def periodic(period: Ns = 100_000, work: Ns = 1_000, waker: Ns = 1_000) -> Workload:
    """A task on CPU 0 wakes one on CPU 1 every period, as the published sweeps do. Counted:
    wake-ups. work: of the task that is woken; waker: of the other, busy the rest of the time."""
    return Workload(
        "periodic",
        (
            Task("waker", 0, (Op(OpKind.EVERY, Duration(period)), run(waker), wake(1)), cpu=0),
            Task("woken", 0, (WAIT, run(work), COUNT), cpu=1),
        ),
        "wake-ups",
    )


def busy_waker(period: Ns = 100_000, work: Ns = 1_000) -> Workload:
    """Returns the workload periodic with a waker that computes all the time. Counted: wake-ups.
    work: of the task that is woken."""
    return Workload(
        "busy-waker",
        (
            Task("waker", 0, (Op(OpKind.SPIN, Duration(period)), wake(1)), cpu=0),
            Task("woken", 0, (WAIT, run(work), COUNT), cpu=1),
        ),
        "wake-ups",
    )


def schbench(
    messages: int = 1, workers: int = 4, work: Ns = 30_000, think: Ns = 10_000
) -> Workload:
    """Message threads wake their workers in turn, and each answers, as schbench does. Counted:
    requests. work: of a worker, think: of a message thread, half to one and a half of it."""
    _positive("schbench", messages=messages, workers=workers)
    tasks = []
    per_message = 1 + workers
    for message in range(messages):
        own = message * per_message
        ask = (run_about(think), wake(own + 1, workers, Which.ALL), *(WAIT,) * workers)
        answer = (WAIT, run_about(work), COUNT, wake(own))
        tasks.append(Task("message", message, ask))
        tasks += [Task("worker", message * workers + number, answer) for number in range(workers)]
    return Workload("schbench", tuple(tasks), "requests")


def ebizzy(threads: int = 8, work: Ns = 20_000, pause: Ns = 2_000) -> Workload:
    """Threads that compute nearly all the time, and sleep now and then for a lock. Counted:
    records. work: of a record, exponential; pause: after every eighth, exponential."""
    _positive("ebizzy", threads=threads)
    record = (run_random(work), COUNT)
    pausing = Op(OpKind.SLEEP, Duration(pause, 0, Spread.EXPONENTIAL))
    return Workload(
        "ebizzy",
        tuple(Task("thread", number, (*record * 8, pausing)) for number in range(threads)),
        "records",
    )


def server(clients: int = 8, gap: Ns = 1_000_000, work: Ns = 50_000) -> Workload:
    """Requests that timers bring, each client's after an exponential gap. Counted: requests.
    gap: on the average; work: of a request, exponential."""
    _positive("server", clients=clients)
    gaps = Op(OpKind.SLEEP, Duration(gap, 0, Spread.EXPONENTIAL))
    program = (gaps, run_random(work), COUNT)
    return Workload(
        "server", tuple(Task("client", number, program) for number in range(clients)), "requests"
    )


BUILT_IN: dict[str, Callable[..., Workload]] = {
    "busy-waker": busy_waker,
    "ebizzy": ebizzy,
    "hand-off": hand_off,
    "periodic": periodic,
    "ping-pong": ping_pong,
    "pipe": pipe,
    "schbench": schbench,
    "server": server,
}


@dataclass(frozen=True, slots=True)
class Described:
    """A built-in workload."""

    name: Annotated[str, "The WORKLOAD of the command line."]
    text: Annotated[str, "A description of the workload."]
    parameters: Annotated[dict[str, str], "Name and default, as WORKLOAD:name=value takes them."]


def described() -> list[Described]:
    found = []
    for name, function in BUILT_IN.items():
        text = " ".join((getdoc(function) or "").split())
        parameters = {
            word: _spelled(parameter) for word, parameter in signature(function).parameters.items()
        }
        found.append(Described(name, text, parameters))
    return found


def built_in(text: str) -> Workload | None:
    """Returns None if no built-in workload has the name before the colon. Raises BadWorkload."""
    name, _, words = text.partition(":")
    function = BUILT_IN.get(name)
    if function is None:
        return None
    known = signature(function).parameters
    chosen: dict[str, int] = {}
    for word in words.split(",") if words else ():
        key, equals, value = word.partition("=")
        if not equals or key not in known:
            expected = ", ".join(known)
            raise BadWorkload(f"{name}: expected key=value with {expected}, found {word!r}")
        if key in chosen:
            raise BadWorkload(f"{name}: expected {key} once, found it again")
        chosen[key] = _value(name, key, value, known[key])
    workload = function(**chosen)
    check(workload)
    return workload


def _value(name: str, key: str, value: str, parameter: Parameter) -> int:
    if parameter.annotation is Ns:
        match = _TIME.fullmatch(value)
        if match is None:
            raise BadWorkload(
                f"{name}: expected {key} as a time with its unit, such as 200ns or 10us, found "
                f"{value!r}"
            )
        return int(match[1]) * UNITS_NS[match[2]]
    if not _COUNT.fullmatch(value):
        raise BadWorkload(f"{name}: expected {key} as a number, found {value!r}")
    return int(value)


def _spelled(parameter: Parameter) -> str:
    if parameter.annotation is Ns:
        return format_time(parameter.default)
    return str(parameter.default)


def _positive(name: str, **counts: int) -> None:
    for word, count in counts.items():
        if count < 1:
            raise BadWorkload(f"{name}: expected {word} of 1 or more, found {count}")
