"""Compares a running machine with the model, given the tar that `idle-states collect` makes.

The tar holds the machine's device tree, its cpuidle sysfs and its logs. What the model computes
from the tree must be what the machine shows: the states its kernel registered, the lines it logged.
"""

import re
from collections.abc import Iterator
from typing import Annotated

from ...base.dataclass import dataclass
from ...base.model.findings import Unreadable
from ..linux.driver_table import DriverTable
from ..sources import format_tar
from ..sources.format_tar import CPUIDLE, KERNEL_LOG

_SHOWN = 20
"""Number of differences of a kind that are reported."""
_GOVERNOR = re.compile("cpuidle: using governor")


@dataclass(frozen=True, slots=True)
class Running:
    """What a running kernel makes of its tree, beside the model's prediction."""

    kernel: Annotated[str, "As it calls itself."]
    modelled_as: Annotated[str, "The release whose model was asked."]
    ground: Annotated[str, "How well its driver is known."]
    differences: Annotated[tuple[str, ...], "In words; none: the machine is as predicted."]


@dataclass(frozen=True, slots=True)
class Collected:
    """The texts of a collection; empty if a text is missing."""

    cpuidle: bytes
    uname: str
    kernel_log: bytes


def collected(data: bytes) -> Collected | None:
    """The texts of an unpacked tar that is a collection; None for another archive."""
    texts = format_tar.collected(data)
    if not texts:
        return None
    uname = format_tar.uname_of(texts)
    return Collected(texts.get(CPUIDLE, b""), uname, texts.get(KERNEL_LOG, b""))


def compare_running(driver: DriverTable, found: Collected) -> tuple[str, ...]:
    """Differences, in words, between the model of the kernel and the running machine."""
    return (
        *_shown(_states(driver, found.cpuidle), "states"),
        *_messages(driver, found.kernel_log),
    )


def _shown(differences: Iterator[str], what: str) -> Iterator[str]:
    for number, text in enumerate(differences):
        if number == _SHOWN:
            yield f"{1 + sum(1 for _ in differences)} more {what} differ"
            return
        yield text


def _states(driver: DriverTable, dump: bytes) -> Iterator[str]:
    if not dump.strip():
        return
    try:
        sources = format_tar.held(dump, CPUIDLE)
    except Unreadable as error:
        yield f"{CPUIDLE}: {error.findings[0].message}"
        return
    for source in sources:
        if source.table is None or source.table.origin.form != "sysfs":
            continue
        held = source.table.origin
        where = source.table.title.partition(",")[0]
        for index in range(max(len(held.states), len(driver.states))):
            if index >= len(driver.states):
                yield f"{where}: state{index} {held.states[index].name} is not predicted"
            elif index >= len(held.states):
                yield f"{where}: state{index} {driver.states[index].name} is not registered"
            else:
                state, real = driver.states[index], held.states[index]
                predicted = (state.name, state.exit_latency_us, state.target_residency_us)
                shown = real.row
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
    said = {line.text for line in boots[-1].messages if not _GOVERNOR.match(line.text)}
    # debug lines show with dynamic debugging only
    told = {message.text for message in driver.messages if message.level != "debug"}
    for line in sorted(told - said):
        yield f"the kernel log lacks the line {line!r}"
    unpredicted = sorted(said - {message.text for message in driver.messages})
    for line in unpredicted[:_SHOWN]:
        yield f"the kernel log has the line {line!r}, which is not predicted"
    if len(unpredicted) > _SHOWN:
        more = len(unpredicted) - _SHOWN
        yield f"the kernel log has {more} more different lines that are not predicted"
    if boots[-1].more:
        yield f"the kernel log has {boots[-1].more} more lines about idle states, not compared"
