"""Compares a running machine with the model, given the tar that `idle-states collect` makes.

The tar holds the machine's device tree, its cpuidle sysfs and its logs. What the model computes
from the tree must be what the machine shows: the states its kernel registered, the lines it logged.
Each difference is a finding of IS507.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Annotated

from ...base.dataclass import dataclass
from ...base.model.beyond_opal import Held
from ...base.model.findings import Unreadable
from ..linux.driver_table import DriverTable
from ..sources import File, Source, format_tar
from ..sources.format_tar import COLLECTION, CPUIDLE, KERNEL_LOG, MACHINE

_SHOWN = 20
"""Number of differences of a kind that are reported."""
_GOVERNOR = re.compile("cpuidle: using governor")


@dataclass(frozen=True, slots=True)
class Running:
    """The differences of a running kernel from the model's prediction for its tree."""

    kernel: Annotated[str, "The kernel's own name for itself."]
    modelled_as: Annotated[str, "The release whose model was asked."]
    ground: Annotated[str, "How well its driver is known."]
    differences: Annotated[tuple[str, ...], "In words; none: the machine is as predicted."]


@dataclass(frozen=True, slots=True)
class Collected:
    """A collection's texts; empty if a text is missing.

    states  the tables of its cpuidle sysfs; none where no CPU has states, or sysfs was not there
    broken  why these cannot be read; "" if they can
    sysfs   whether sysfs was there
    """

    states: Sequence[Source]
    broken: str
    sysfs: bool
    uname: str
    kernel_log: bytes


def collected(file: File) -> Collected | None:
    """The texts that a collection has beside its device tree; None for another file."""
    texts, shown = format_tar.collected(file), file.shown
    if not texts:
        return None
    uname, dump = format_tar.uname_of(texts), texts.get(CPUIDLE, b"")
    states, broken = list[Source](), ""
    if dump.strip():
        try:
            states = format_tar.held(dump, f"{shown}/{COLLECTION}/{CPUIDLE}", uname)
        except Unreadable as error:
            broken = f"{CPUIDLE}: {error.findings[0].message}"
    return Collected(states, broken, MACHINE in texts, uname, texts.get(KERNEL_LOG, b""))


def compare_running(
    drivers: Sequence[DriverTable], found: Collected, *, opal: bool
) -> tuple[str, ...]:
    """Differences, in words, between the model of the kernel and the running machine. drivers: of
    each table of its tree, in one kernel; opal: whether the log is compared, too."""
    of_states = _shown(_states(drivers, found), "states")
    return (*of_states, *(_messages(drivers[0], found.kernel_log) if opal else ()))


def _shown(differences: Iterator[str], what: str) -> Iterator[str]:
    for number, text in enumerate(differences):
        if number == _SHOWN:
            yield f"{1 + sum(1 for _ in differences)} more {what} differ"
            return
        yield text


def _states(drivers: Sequence[DriverTable], found: Collected) -> Iterator[str]:
    names = [state.name for driver in drivers for state in driver.states]
    if found.broken:
        yield found.broken
    elif found.sysfs and not found.states and len(names) > len(drivers):
        yield f"no CPU has idle states; predicted: {', '.join(dict.fromkeys(names))}"
    for source in found.states:
        if source.table is not None and source.table.origin.form == "sysfs":
            where, held = source.table.title.partition(",")[0], source.table.origin
            yield from min((list(_of_cpus(where, driver, held)) for driver in drivers), key=len)


def _of_cpus(where: str, driver: DriverTable, held: Held) -> Iterator[str]:
    for index in range(max(len(held.states), len(driver.states))):
        if index >= len(driver.states):
            yield f"{where}: state{index} {held.states[index].name} is not predicted"
        elif index >= len(held.states):
            yield f"{where}: state{index} {driver.states[index].name} is not registered"
        else:
            state, shown = driver.states[index], held.states[index].row
            predicted = (state.name, state.exit_latency_us, state.target_residency_us)
            if predicted != shown:
                yield f"{where}: state{index} is {_row(shown)}, predicted {_row(predicted)}"


def _row(row: tuple[str, int, int]) -> str:
    return f"{row[0]} {row[1]}/{row[2]} us"


def _messages(driver: DriverTable, text: bytes) -> Iterator[str]:
    """Lines about idle states that are predicted and missing, or logged and not predicted. Yields
    nothing if the log does not reach back to the boot."""
    from ..linux import log

    boots = log.read(text)
    if not boots or boots[-1].version is None:
        return
    logged = {line.text for line in boots[-1].messages if not _GOVERNOR.match(line.text)}
    # debug lines show with dynamic debugging only
    expected = {message.text for message in driver.messages if message.level != "debug"}
    for line in sorted(expected - logged):
        yield f"the kernel log lacks the line {line!r}"
    unpredicted = sorted(logged - {message.text for message in driver.messages})
    for line in unpredicted[:_SHOWN]:
        yield f"the kernel log has the line {line!r}, which is not predicted"
    if len(unpredicted) > _SHOWN:
        more = len(unpredicted) - _SHOWN
        yield f"the kernel log has {more} more different lines that are not predicted"
    if boots[-1].more:
        yield f"the kernel log has {boots[-1].more} more lines about idle states, not compared"
