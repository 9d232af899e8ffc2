"""Workloads from YAML files; errors name the place of every problem.

    name: log writer
    counts: commits
    tasks:
      writer:
        count: 4
        program:
          - run: {uniform: [5us, 20us]}
          - wake: logger
          - count
          - wait
      logger:
        cpu: 0
        program:
          - wait
          - run: 2us
          - wake: {task: writer, which: next}

`first`, beside `program`, is executed once before it; with `once: yes`, so is the program. Times
are fixed, {uniform: [FROM, TO]} or {exponential: MEAN}. which: same (the default), next, random or
all. The schema for editors is schemas/idle-states-workload.schema.json.
"""

from ...base.dataclass import dataclass
from ...base.model.findings import Finding, Location, Severity, Unreadable, next_step
from ...base.reading import scalars
from ...base.reading.complaints import SpecProblems
from ...base.reading.document import Mapping, Node, Scalar, Sequence, decode, parse
from .programs import (
    DURATION_MAX,
    MULTIPLES,
    NO_TIME,
    TASKS_MAX,
    BadWorkload,
    Duration,
    Op,
    OpKind,
    Spread,
    Task,
    Which,
    Workload,
    check,
)
from .topology import CPUS_MAX

_WORKLOAD = ("name", "counts", "note", "tasks")
_TASK = ("count", "cpu", "with-waker", "once", "first", "program")
_WAKE = ("task", "which", "sync")
_OPS = tuple(kind.name.lower() for kind in OpKind)
_TIMED = (OpKind.RUN, OpKind.SPIN, OpKind.SLEEP, OpKind.EVERY)
_WHICH = tuple(which.name.lower() for which in Which)


@dataclass(frozen=True, slots=True)
class _Group:
    first: int
    count: int
    body: Mapping


@next_step("idle-states simulate --list describes the built-in workloads, which need no file")
def read(data: bytes, file: str) -> Workload:
    """Raises Unreadable with all problems of the file."""
    text = decode(data, file)
    document = parse(text, file)
    problems = SpecProblems()
    problems.unknown_keys(document, _WORKLOAD, "a workload")
    name = _text(document, "name", problems) or file
    groups = _groups(document, problems)
    tasks = tuple(
        task for task_name, group in groups.items() for task in _tasks(task_name, groups, problems)
    )
    workload = Workload(
        name, tasks, _text(document, "counts", problems), _text(document, "note", problems)
    )
    if not problems.findings:
        try:
            check(workload)
        except BadWorkload as error:
            problems.add("IS922", "wrong-type", str(error), document.where)
    if problems.findings:
        raise Unreadable(problems.findings, {file: text})
    return workload


def _groups(document: Mapping, problems: SpecProblems) -> dict[str, _Group]:
    if "tasks" not in document.entries:
        problems.missing_key("tasks", "a workload", document.where)
    tasks = scalars.mapping(document.entries.get("tasks"), "tasks by their names", problems)
    if tasks is None:
        return {}
    found: dict[str, _Group] = {}
    first = 0
    for name, body in tasks.entries.items():
        if not name:
            problems.wrong_type("a name of a task", "an empty one", tasks.keys[name])
        task = scalars.mapping(body, f"what {name!r} does, as a mapping", problems)
        if task is None:
            continue
        problems.unknown_keys(task, _TASK, "a task")
        count = _count(task, problems)
        if count == 0:
            problems.out_of_range("at least 1", "0", task.entries["count"].where)
        found[name] = _Group(first, count or 1, task)
        first += count or 1
    if first > TASKS_MAX:
        problems.out_of_range(f"at most {TASKS_MAX} tasks", str(first), tasks.where)
        return {}
    return found


def _tasks(name: str, groups: dict[str, _Group], problems: SpecProblems) -> list[Task]:
    group = groups[name]
    body = group.body
    first = _ops(body, "first", groups, problems)
    ops = _ops(body, "program", groups, problems)
    if "program" not in body.entries:
        problems.missing_key("program", f"task {name!r}", body.where)
    cpus = _cpus(body, problems)
    with_waker = _flag(body, "with-waker", problems)
    once = _flag(body, "once", problems)
    if cpus and with_waker:
        problems.wrong_type("cpu or with-waker", "both", body.keys["with-waker"])
    return [
        Task(
            name,
            number,
            first + ops,
            cpus[number % len(cpus)] if cpus else None,
            with_waker,
            once,
            len(first),
        )
        for number in range(group.count)
    ]


def _ops(
    body: Mapping, key: str, groups: dict[str, _Group], problems: SpecProblems
) -> tuple[Op, ...]:
    node = body.entries.get(key)
    if node is None:
        return ()
    if not isinstance(node, Sequence):
        problems.wrong_type("a list of what to do", node.kind, node.where)
        return ()
    if not node.items:
        problems.wrong_type("something to do", "an empty list", node.where)
    return tuple(op for item in node.items if (op := _op(item, groups, problems)))


def _op(item: Node, groups: dict[str, _Group], problems: SpecProblems) -> Op | None:
    if isinstance(item, Scalar):
        if item.text in ("wait", "count"):
            return Op(OpKind[item.text.upper()])
        if item.text in _OPS:
            what = "a task" if item.text == "wake" else "a time"
            problems.wrong_type(f"{item.text}: with {what}", "nothing", item.where)
        else:
            problems.unknown_name("something to do", item.text, item.where, _OPS)
        return None
    if not isinstance(item, Mapping) or len(item.entries) != 1:
        found = f"{len(item.entries)} keys" if isinstance(item, Mapping) else item.kind
        problems.wrong_type("one thing to do, such as run: 10us", found, item.where)
        return None
    (word, value), where = next(iter(item.entries.items())), next(iter(item.keys.values()))
    if word not in _OPS:
        problems.unknown_name("something to do", word, where, _OPS)
        return None
    kind = OpKind[word.upper()]
    if kind in _TIMED:
        duration = _duration(value, problems)
        if duration is None:
            return None
        if duration.low == 0 and (duration.spread is Spread.EXPONENTIAL or kind in MULTIPLES):
            problems.out_of_range("at least 1 ns", "0", value.where)
            return None
        return Op(kind, duration)
    if kind is OpKind.WAKE:
        return _wake(value, groups, problems)
    problems.wrong_type(f"{word} alone", "a value", value.where)
    return None


def _wake(value: Node, groups: dict[str, _Group], problems: SpecProblems) -> Op | None:
    which, sync, target = Which.SAME, False, value
    if isinstance(value, Mapping):
        problems.unknown_keys(value, _WAKE, "a wake")
        if "task" not in value.entries:
            problems.missing_key("task", "a wake", value.where)
            return None
        target = value.entries["task"]
        if "which" in value.entries:
            word = scalars.choice(value.entries["which"], problems, _WHICH, "which to wake")
            which = Which[word.upper()] if word else which
        sync = _flag(value, "sync", problems)
    name = scalars.choice(target, problems, groups, "a task")
    if name is None:
        return None
    group = groups[name]
    return Op(OpKind.WAKE, NO_TIME, group.first, group.count, which, sync)


def _duration(value: Node, problems: SpecProblems) -> Duration | None:
    if not isinstance(value, Mapping):
        time = scalars.time_ns(value, problems, DURATION_MAX)
        return None if time is None else Duration(time)
    if len(value.entries) != 1 or next(iter(value.entries)) not in ("uniform", "exponential"):
        problems.wrong_type("uniform: [FROM, TO] or exponential: MEAN", "other keys", value.where)
        return None
    word, inner = next(iter(value.entries.items()))
    if word == "exponential":
        mean = scalars.time_ns(inner, problems, DURATION_MAX)
        return None if mean is None else Duration(mean, 0, Spread.EXPONENTIAL)
    if not isinstance(inner, Sequence) or len(inner.items) != 2:
        problems.wrong_type("two times, as [FROM, TO]", inner.kind, inner.where)
        return None
    low, high = (scalars.time_ns(item, problems, DURATION_MAX) for item in inner.items)
    if low is None or high is None:
        return None
    if high < low:
        problems.out_of_range(f"at least {low} ns", f"{high} ns", inner.items[1].where)
        return None
    return Duration(low, high, Spread.UNIFORM)


def _cpus(body: Mapping, problems: SpecProblems) -> list[int]:
    node = body.entries.get("cpu")
    if node is None:
        return []
    items = node.items if isinstance(node, Sequence) else [node]
    if not items:
        problems.wrong_type("a CPU", "an empty list", node.where)
    found = [scalars.integer(item, problems, most=CPUS_MAX - 1, what="a CPU") for item in items]
    return [cpu for cpu in found if cpu is not None]


def _text(mapping: Mapping, key: str, problems: SpecProblems) -> str:
    return scalars.text(mapping.entries.get(key), "text", problems) or ""


def _count(task: Mapping, problems: SpecProblems) -> int | None:
    node = task.entries.get("count")
    if node is None:
        return 1
    return scalars.integer(node, problems, most=TASKS_MAX, what="a number")


def _flag(mapping: Mapping, key: str, problems: SpecProblems) -> bool:
    node = mapping.entries.get(key)
    return bool(scalars.yes_no(node, problems))


def misfit(workload: Workload, cpus: int, file: str | None) -> Unreadable | None:
    """Returns the error for a task that is bound to a CPU the machine lacks; None if none is."""
    for task in workload.tasks:
        if task.cpu is not None and task.cpu >= cpus:
            message = f"expected {task.name} on one of {cpus} CPUs, found CPU {task.cpu}"
            where = Location(file or workload.name)
            return Unreadable([Finding("IS924", "out-of-range", Severity.ERROR, message, where)])
    return None
