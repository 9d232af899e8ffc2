"""What there is to say about a converted recording: counts, places, and how to go on."""

import re
from collections.abc import Iterator

from ..linux.governors import governor_names
from ..linux.releases import UnknownRelease, release
from .convert import BROKEN, LEFT_OUT, Converted
from .recorded import Header, State

_DISTRIBUTIONS = (
    # uname -v of Debian: #1 SMP Debian 6.1.176-1 (2026-07-02)
    ("debian", re.compile(r".*\bDebian (\d+\.\d+\.\d+)-.*")),
    # uname -r and -v of Ubuntu: 6.8.0-31-generic #31-Ubuntu SMP ...
    ("ubuntu", re.compile(r"(\d+\.\d+\.\d+)-.* #\S*-Ubuntu\b.*")),
)
_SNOOZE_DRIVERS = ("powernv_idle", "pseries_idle")
INTERVALS = 8
"""Idle periods menu remembers one by one."""
SETTLED = 20
"""Decisions after which these are all recorded ones, with some to spare; correction factors, one
per range of times to the next timer, take longer to be forgotten."""


def kernel_of(header: Header) -> str:
    """What --kernel takes: the distribution's release if there is a model of its series, else the
    mainline release it started from."""
    whole = f"{header.release} {header.build}"
    for distribution, pattern in _DISTRIBUTIONS:
        match = pattern.fullmatch(whole)
        if match:
            name = f"{distribution}-{match[1]}"
            try:
                return release(name).name
            except UnknownRelease:
                break
    return ".".join(map(str, header.version))


def lines(converted: Converted, name: str) -> Iterator[str]:
    """For standard error. name: of the recording."""
    header = converted.header
    cpus = _number(len(converted.runs), "CPU")
    decisions = _number(converted.decisions, "decision")
    yield f"{name}: {decisions} of {cpus}: {header.governor}, Linux {header.release}"
    for kind, tally in converted.left_out.items():
        where = f"{name}:{tally.line}" if tally.line else name
        why = f" ({tally.message})" if tally.message else ""
        count = _number(tally.count, "decision")
        yield f"{where}: left out: {count} {LEFT_OUT[kind]}{why}"
    for kind, tally in converted.broken.items():
        where = f"{name}:{tally.line}"
        yield f"{where}: {_number(tally.count, 'time')} {BROKEN[kind]}"
    for cpu, events in sorted(header.lost.items()):
        if events:
            yield f"{name}: CPU {cpu} lost {_number(events, 'event')}: the buffer was full"
    if converted.cut:
        yield f"{name}: the recording's last line is missing; it was cut short"
    if converted.without_timers:
        count = _number(converted.without_timers, "decision")
        yield f"{name}: {count} without asking for timers, written as the greatest time"
    if converted.without_tick:
        count = _number(converted.without_tick, "decision")
        yield f"{name}: {count} without asking whether the tick was stopped, written as 0"
    yield from _history(converted, name)
    yield from _next(converted)


def _history(converted: Converted, name: str) -> Iterator[str]:
    unknown = [run.cpu for run in converted.runs if not run.known]
    if unknown:
        yield (
            f"{name}: what {_cpus(unknown)} went through before is unknown: the first {SETTLED} "
            "decisions, and later ones in rare conditions, may differ from a model's that starts "
            "afresh; record with --restart-governor to know"
        )
    for run in converted.runs:
        if run.known and run.earlier_ns:
            yield (
                f"{name}: CPU {run.cpu}: the governor started afresh, but found {run.earlier_ns} "
                "ns of an earlier idle period, where a model starts without: its first "
                f"{INTERVALS} decisions may differ"
            )


def _next(converted: Converted) -> Iterator[str]:
    header = converted.header
    if header.governor not in governor_names():
        return
    tables = {
        tuple(state for _, state in sorted(header.states[run.cpu].items()))
        for run in converted.runs
    }
    kernel = kernel_of(header)
    if len(tables) != 1:
        yield f"CPUs have {len(tables)} different tables; conform takes one (kernel: {kernel})"
        return
    (table,) = tables
    if len(table) < 2 or table[0].latency_us or table[0].residency_us:
        yield f"state 0 is {table[0].name}, not snooze; --states implies snooze (kernel: {kernel})"
        return
    pairs = (f"{state.latency_us * 1000}/{state.residency_us * 1000}" for state in table[1:])
    words = ["--states", ",".join(pairs)]
    words += ["--polling"] * _polls(header, table[0], kernel)
    words += ["--governor", header.governor, "--kernel", kernel]
    words += ["--hz", str(header.hz)] if header.hz else []
    disabled = ",".join(str(number) for number, state in enumerate(table) if state.disabled)
    words += ["--disabled", disabled] if disabled else []
    yield f"now: idle-states conform FILE {' '.join(words)}"
    if header.hz is None:
        yield "HZ could not be known; give --hz"


def _polls(header: Header, first: State, kernel: str) -> bool:
    """Whether state 0 has the POLLING flag, which sysfs does not show."""
    if header.driver in _SNOOZE_DRIVERS:
        return release(kernel).features.snooze_polling
    return first.name == "POLL"


def _cpus(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:8]))
    more = f" and {len(numbers) - 8} more" if len(numbers) > 8 else ""
    return f"CPU{'s' * (len(numbers) > 1)} {shown}{more}"


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
