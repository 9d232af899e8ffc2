"""The summary of a converted recording, as text: counts, problems, and commands to run next."""

import shlex
from collections.abc import Iterator

from ..linux.releases import UnknownRelease, release, running
from .convert import BROKEN, LEFT_OUT, Converted
from .recorded import RecordedMachine

_SNOOZE_DRIVERS = ("powernv_idle", "pseries_idle")
SETTLED = {"menu": 20, "ladder": 20, "teo": 60}
"""Governor -> number of decisions after which an unknown history hardly matters. menu keeps the
last eight idle periods, but its correction factors, one per range of times to the next timer, adapt
more slowly. ladder counts to four. teo's counts lose an eighth with every decision."""


def kernel_of(header: RecordedMachine) -> str:
    """The value for --kernel: the distribution's release if its series is modelled, else the
    mainline release that it is based on."""
    found = running(f"{header.release} {header.build}")
    return found.name if found else ".".join(map(str, header.version))


def lines(converted: Converted, name: str, output: str | None) -> Iterator[str]:
    """The summary's lines, for standard error.

    name    file name of the recording
    output  file name of the converted recording, None if it was not written to a file
    """
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
    unknown = [run.cpu for run in converted.runs if run.earlier is None]
    skip = SETTLED[header.governor] if unknown else 0
    if unknown:
        yield (
            f"{name}: what {_cpus(unknown)} went through before is unknown: the first {skip} "
            "decisions, and later ones in rare conditions, may differ from a model's that starts "
            "afresh; record with --restart-governor to know"
        )
    yield from _next(converted, output or "CONVERTED", skip)


def _next(converted: Converted, output: str, skip: int) -> Iterator[str]:
    header = converted.header
    tables = {tuple(header.states[run.cpu]) for run in converted.runs}
    kernel = kernel_of(header)
    try:
        snooze_polls = release(kernel).features.snooze_polling
    except UnknownRelease as error:
        yield f"conform cannot judge it: {error}"
        return
    if len(tables) != 1:
        yield f"CPUs have {len(tables)} different tables; conform takes one (kernel: {kernel})"
        return
    (table,) = tables
    if len(table) < 2 or table[0].latency_us or table[0].residency_us:
        yield f"state 0 is {table[0].name}, not snooze; --states implies snooze (kernel: {kernel})"
        return
    pairs = (f"{state.latency_us * 1000}/{state.residency_us * 1000}" for state in table[1:])
    words = [output, "--states", ",".join(pairs)]
    # sysfs does not show CPUIDLE_FLAG_POLLING, so state 0 is taken for polling by its driver
    snoozes = header.driver in _SNOOZE_DRIVERS
    words += ["--polling"] if (snooze_polls if snoozes else table[0].name == "POLL") else []
    words += ["--governor", header.governor, "--kernel", kernel]
    words += ["--hz", str(header.hz)] if header.hz else []
    disabled = ",".join(str(number) for number, state in enumerate(table) if state.disabled)
    words += ["--disabled", disabled] if disabled else []
    words += ["--skip", str(skip)] if skip else []
    yield f"now: idle-states conform {shlex.join(words)}"
    if header.hz is None:
        yield "HZ could not be known; 250 is assumed unless you give --hz"


def _cpus(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:8]))
    more = f" and {len(numbers) - 8} more" if len(numbers) > 8 else ""
    return f"CPU{'s' * (len(numbers) > 1)} {shown}{more}"


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
