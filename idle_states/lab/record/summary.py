"""The summary of a converted recording, as text: counts, problems, and commands to run next."""

import shlex
from collections.abc import Iterator

from ...base.wording import few, plural
from ...tables.linux.releases import UnknownRelease
from .convert import BROKEN, LEFT_OUT, Converted


def lines(converted: Converted, name: str, output: str | None) -> Iterator[str]:
    """The summary's lines, for standard error.

    name    file name of the recording
    output  file name of the converted recording, None if it was not written to a file
    """
    header = converted.header
    cpus = plural(len(converted.runs), "CPU")
    decisions = plural(converted.decisions, "decision")
    yield f"{name}: {decisions} of {cpus}: {header.governor}, Linux {header.release}"
    for kind, tally in converted.left_out.items():
        where = f"{name}:{tally.line}" if tally.line else name
        why = f" ({tally.message})" if tally.message else ""
        count = plural(tally.count, "decision")
        yield f"{where}: left out: {count} {LEFT_OUT[kind]}{why}"
    for kind, tally in converted.broken.items():
        where = f"{name}:{tally.line}"
        yield f"{where}: {plural(tally.count, 'time')} {BROKEN[kind]}"
    for cpu, events in sorted(header.lost.items()):
        if events:
            yield f"{name}: CPU {cpu} lost {plural(events, 'event')}: the buffer was full"
    if converted.cut:
        yield f"{name}: the recording's last line is missing; it was cut short"
    if converted.without_timers:
        count = plural(converted.without_timers, "decision")
        yield f"{name}: {count} without asking for timers, written as the greatest time"
    if converted.without_tick:
        count = plural(converted.without_tick, "decision")
        yield f"{name}: {count} without asking whether the tick was stopped, written as 0"
    unknown = [run.cpu for run in converted.runs if run.earlier is None]
    if unknown:
        skip = converted.head.skip
        yield (
            f"{name}: the earlier history of {_cpus(unknown)} is unknown: the first {skip} "
            "decisions, and rarely later ones, may differ from a newly started model; to avoid "
            "this, record with --restart-governor"
        )
    yield from _next(converted, output or "CONVERTED")


def _next(converted: Converted, output: str) -> Iterator[str]:
    """Yields the contents of the head, and the command that judges by it."""
    head = converted.head
    try:
        kernel = head.kernel()
    except UnknownRelease as error:
        yield f"conform cannot judge it: {error}"
        return
    assert kernel is not None
    tables = list(dict.fromkeys(head.states.values()))
    hz = "unknown HZ" if head.hz is None else f"HZ {head.hz}"
    yield f"its head says: {head.governor} of Linux {kernel.name}, {hz}, {head.driver}"
    for table in tables:
        states = (
            f"{state.name} {state.latency_us}/{state.residency_us}"
            f"{' switched off' if state.disabled else ''}"
            for state in table
        )
        yield f"its head says: {', '.join(states)} us"
    if len(tables) > 1:
        yield f"CPUs have {len(tables)} different tables; each is judged by its own"
    yield f"now: idle-states conform {shlex.quote(output)}"
    if head.hz is None:
        yield "HZ is unknown; 250 is assumed unless you give --hz"


def _cpus(numbers: list[int]) -> str:
    return f"CPU{'s' * (len(numbers) > 1)} {few([str(each) for each in numbers], 8)}"
