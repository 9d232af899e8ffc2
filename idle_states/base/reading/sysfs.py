"""Dumps of cpuidle sysfs, as `grep . /sys/devices/system/cpu/cpu*/cpuidle/state*/*` prints them.

    /sys/devices/system/cpu/cpu0/cpuidle/state1/latency:349

A dump holds each CPU's table and the kernel's counters since boot; two dumps bracket a time. A
wider grep adds the governor, the CPUs' latency limits and /proc/version.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from ..dataclass import replace
from ..model.beyond_opal import Dump, SysfsState
from ..model.findings import unreadable
from ..patterns import pattern
from . import limits
from .inputs import CPU_MAX, Input, lines
from .problems import quoted

_LINE = pattern(
    rb"[^\s:]*\bcpu(\d{1,5})/(?:cpuidle/(?:state(\d{1,3})/)?|power/(?=pm_qos))([\w/]+):(.*)"
)
_GENERAL = pattern(
    rb"[^\s:]*/(?:(?:cpuidle|cpu|proc|proc/sys/kernel|proc/config|dev|tuned)/("
    rb"(?:current|available)_\w+|online|offline|version|interrupts|osrelease|cmdline|CONFIG_\w+|"
    rb"cpu_\w+_latency(?:/holders)?|active_profile)|(?:module|cpu)/(\w+/parameters/\w+|"
    rb"cpu\d{1,5}/topology/thread_siblings_list)|"
    rb"(?:sys|proc|dev|etc)/[^\s:]+):(.*)"
)
"""A line on the machine as a whole, which a wider grep prints too; only the named ones are read."""
_LIMIT = "pm_qos_resume_latency_us"
_NUMBERS = frozenset(
    "latency residency disable usage time above below rejected".split()  # of a state
)
_KNOWN = {
    name.encode(): name
    for name in (*_NUMBERS, "name", "desc", "default_status", "driver/name", _LIMIT)
}
_STATUS = (b"enabled", b"disabled")
_NEEDED = ("name", "latency", "residency")
_USUAL = ("disable", "usage", "time")
_TELLING = (*_NEEDED, "usage", "time")
"""Attributes that tell two machines apart: of one machine some stay, and others only grow."""
COUNTERS = ("usage", "time_us", "above", "below", "rejected")
LINES_MAX = limits.SYSFS_LINES
"""The most lines of a dump; 2,048 CPUs with nine states and 20 attributes make 370,000."""


_Given: TypeAlias = tuple[dict[str, str], dict[str, int], dict[str, int]]
"""Attribute -> its text, or its number, and its line."""


def read(source: Input, *, partial: bool = False) -> Dump:
    """A dump. partial: it may have no states at all, and what is damaged or missing is among what
    it missed. Raises Unreadable naming the line, or the attribute that is missing; and for dumps of
    two machines in one."""
    missed: list[str] = []

    def miss(message: str, line: int | None = None) -> None:
        if not partial:
            raise unreadable(source.name, message, line)
        missed.append(f"line {line}: {message}" if line else message)

    found: dict[int, dict[int, _Given]] = {}
    drivers, limits_of, machine = dict[int, str](), dict[int, str](), dict[str, str]()
    last: tuple[int, int] | None = None
    table = list[str]()
    for line, cpu, state, attribute, raw in _attributes(source, miss):
        if cpu is None:
            text = _decoded(raw)[: limits.SYSFS_MACHINE_CHARACTERS]
            if attribute == "interrupts":
                table.append(text)
            machine[attribute] = text
            continue
        if state is None:
            if attribute in (_LIMIT, "driver/name"):
                of_cpu = limits_of if attribute == _LIMIT else drivers
                of_cpu[cpu] = _decoded(raw)[: limits.SYSFS_CHARACTERS]
            continue
        if attribute in _NUMBERS:
            if not raw.isdigit() or len(raw) > limits.SYSFS_DIGITS:
                digits = f" of at most {limits.SYSFS_DIGITS} digits" if raw.isdigit() else ""
                message = f"expected a number{digits} as {attribute}, found {_decoded(raw)[:40]!r}"
                miss(message, line)
                continue
        elif attribute == "default_status":
            if raw not in _STATUS:
                continue
        elif attribute not in ("name", "desc"):
            continue
        if last != (cpu, state):
            last = cpu, state
            texts, numbers, places = found.setdefault(cpu, {}).setdefault(state, ({}, {}, {}))
        earlier = places.get(attribute)
        before = numbers.get(attribute, texts.get(attribute))
        places[attribute] = line
        if attribute in _NUMBERS:
            numbers[attribute] = int(raw)
        elif attribute == "default_status":
            numbers[attribute] = _STATUS.index(raw)
        else:
            texts[attribute] = _decoded(raw)[: limits.SYSFS_CHARACTERS]
        if earlier is not None and attribute in _TELLING:
            now = numbers.get(attribute, texts.get(attribute))
            if now != before and (attribute in _NEEDED or int(now or 0) < int(before or 0)):
                message = (
                    f"expected one {attribute} of CPU {cpu}, state {state}, found {now!r:.40} "
                    f"after {before!r:.40} in line {earlier}: are these dumps of two machines?"
                )
                raise unreadable(source.name, message, line)
    if source.cut is not None:
        miss(f"expected a whole dump, found: {source.cut}")
    machine |= {"interrupts": "\n".join(table)} if table else {}
    if not found and not partial:
        raise unreadable(source.name, "expected attributes of cpuidle states, found none")
    cpus = {cpu: _states(cpu, found[cpu], _USUAL if partial else (), miss) for cpu in sorted(found)}
    cpus = {cpu: states for cpu, states in cpus.items() if states}
    return Dump(source.name, cpus, drivers, limits_of, machine, tuple(missed))


def difference(before: Dump | None, after: Dump) -> dict[int, tuple[SysfsState, ...]]:
    """CPU -> states with what was counted between two dumps; before None: since boot.

    CPUs that only one of them has are left out. Raises Unreadable if the dumps are of different
    tables or in the wrong order.
    """
    if before is None:
        return dict(after.cpus)
    both = [cpu for cpu in after.cpus if cpu in before.cpus]
    if not both:
        raise unreadable(after.name, f"expected CPUs of {before.name}, found none of them")
    return {cpu: _between(cpu, before, after) for cpu in both}


def _between(cpu: int, before: Dump, after: Dump) -> tuple[SysfsState, ...]:
    rows = [[state.row for state in dump.cpus[cpu]] for dump in (before, after)]
    if rows[0] != rows[1]:
        raise unreadable(after.name, f"expected CPU {cpu} to have the states of {before.name}")
    states = []
    for number, (old, new) in enumerate(zip(before.cpus[cpu], after.cpus[cpu], strict=True)):
        counted: dict[str, int | None] = {}
        for counter in COUNTERS:
            a, b = getattr(old, counter), getattr(new, counter)
            if a is not None and b is not None and b < a:
                raise unreadable(
                    after.name,
                    f"expected {counter} of CPU {cpu}, state {number} to be at least {a} as in "
                    f"{before.name}, found {b}; give the earlier dump first",
                )
            counted[counter] = None if a is None or b is None else b - a
        disabled = old.disabled or new.disabled
        since = replace(new, disabled=disabled, **counted)  # type: ignore[arg-type]
        states.append(since)
    return tuple(states)


def _attributes(
    source: Input, miss: Callable[..., None]
) -> Iterator[tuple[int, int | None, int | None, str, bytes]]:
    """Line number, CPU, state, attribute and text of every line with a known attribute; state None:
    of the CPU itself; both None: of the machine."""
    for number, line in lines(source.blocks(), source.name):
        if number > LINES_MAX:
            raise unreadable(source.name, f"expected at most {LINES_MAX} lines", number)
        match = _LINE.fullmatch(line)
        attribute = _KNOWN.get(match[3]) if match else None
        if attribute is None:
            general = _GENERAL.fullmatch(line)
            if general and (name := general[1] or general[2]):
                yield number, None, None, name.decode(), general[3].strip(b" ")
            if general or not line.strip():
                continue
        if match is None:
            expected = "expected .../cpuN/cpuidle/stateN/attribute:value"
            miss(f"{expected}, found {quoted(line)}", number)
            continue
        cpu, state = int(match[1]), None if match[2] is None else int(match[2])
        if cpu > CPU_MAX or (state is not None and state >= limits.SYSFS_STATES):
            message = f"expected CPUs to {CPU_MAX} and states to {limits.SYSFS_STATES - 1}"
            raise unreadable(source.name, message, number)
        if attribute is not None:
            yield number, cpu, state, attribute, match[4].strip(b" ")


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "backslashreplace")


def _states(
    cpu: int, number2given: Mapping[int, _Given], usual: Sequence[str], miss: Callable[..., None]
) -> tuple[SysfsState, ...]:
    """The states up to the first that is incomplete. usual: what each has if the first has it."""
    states = []
    expected = (*_NEEDED, *(each for each in usual if each in number2given.get(0, ((), (), ()))[2]))
    for number in range(max(number2given) + 1):
        texts, numbers, places = number2given.get(number, ({}, {}, {}))
        missing = [each for each in expected if each not in places]
        if missing:
            where = f"cpu{cpu}/cpuidle/state{number}"
            miss(f"expected {' and '.join(missing)} in {where}, found none")
            break
        states.append(
            SysfsState(
                texts["name"],
                texts.get("desc", ""),
                numbers["latency"],
                numbers["residency"],
                bool(numbers.get("disable", 0)),
                numbers.get("usage"),
                numbers.get("time"),
                numbers.get("above"),
                numbers.get("below"),
                numbers.get("rejected"),
                bool(numbers["default_status"]) if "default_status" in numbers else None,
                places,
            )
        )
    return tuple(states)
