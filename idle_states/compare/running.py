"""A collection from a running machine: its tree, what its kernel holds, and what both logged.

The tar that `idle-states collect` makes. The tree's way through the models must end where the
machine stands: the states its kernel registered, and the lines it logged.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..devicetree.tar_members import REGULAR, NotTar, members
from ..findings import Unreadable
from ..linux.driver_table import DriverTable
from ..sources.source import File, Source

TOP = "idle-states-collection"
"""Directory that everything in the tar lies below."""
CPUIDLE, UNAME, KERNEL_LOG = "cpuidle.txt", "uname.txt", "kernel-log.txt"
_MAX_BYTES = 64 * 1024 * 1024
_GOVERNOR = re.compile("cpuidle: using governor")


@dataclass(frozen=True, slots=True)
class Running:
    """What a running kernel makes of its tree, beside the model's prediction.

    kernel       as it calls itself; modelled_as: the release whose model was asked
    differences  in words; none: reality is as predicted
    """

    kernel: str
    modelled_as: str
    differences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Collected:
    """Texts of a collection; "" for what it lacks."""

    cpuidle: str
    uname: str
    kernel_log: str


def collected(data: bytes) -> Collected | None:
    """The texts of an unpacked tar that is a collection; None for another archive.

    Links and devices in it are not looked at; texts are cut at 64 MiB. Of what is no tar the
    reader of trees has said so before.
    """
    texts: dict[str, str] = {}
    try:
        for member in members(data):
            top, _, name = member.name.removeprefix("./").partition("/")
            if top == TOP and name in (CPUIDLE, UNAME, KERNEL_LOG) and member.kind == REGULAR:
                texts[name] = member.data[:_MAX_BYTES].decode("utf-8", "replace")
    except NotTar:
        return None
    if not texts:
        return None
    return Collected(*(texts.get(name, "") for name in (CPUIDLE, UNAME, KERNEL_LOG)))


def compare_running(driver: DriverTable, found: Collected) -> tuple[str, ...]:
    """Differences between what the model says of the kernel and what the machine shows."""
    return (*_states(driver, found.cpuidle), *_messages(driver, found.kernel_log))


def _states(driver: DriverTable, dump: str) -> Iterator[str]:
    if not dump.strip():
        return
    try:
        sources = _held(dump)
    except Unreadable as error:
        yield f"{CPUIDLE}: {error.findings[0].message}"
        return
    for source in sources:
        held = source.table.held if source.table else None
        if held is None:
            continue
        where = source.table.title.partition(",")[0] if source.table else ""
        for index in range(max(len(held.states), len(driver.states))):
            if index >= len(driver.states):
                yield f"{where}: state{index} {held.states[index].name} is not predicted"
            elif index >= len(held.states):
                yield f"{where}: state{index} {driver.states[index].name} is not registered"
            else:
                state, real = driver.states[index], held.states[index]
                predicted = (state.name, state.exit_latency_us, state.target_residency_us)
                shown = (real.name, real.exit_latency_us, real.target_residency_us)
                if predicted != shown:
                    yield f"{where}: state{index} is {_row(shown)}, predicted {_row(predicted)}"


def _held(dump: str) -> list[Source]:
    import tempfile

    from ..sources import format_sysfs

    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / CPUIDLE
        path.write_text(dump, "utf-8")
        return format_sysfs.read(File.open(path))


def _row(row: tuple[str, int, int]) -> str:
    return f"{row[0]} {row[1]}/{row[2]} us"


def _messages(driver: DriverTable, text: str) -> Iterator[str]:
    """Lines about idle states, in both directions; only where the log reaches back to the boot."""
    from ..linux import log

    boots = log.read(text)
    if not boots or boots[-1].version is None:
        return
    said = {line.text for line in boots[-1].messages if not _GOVERNOR.match(line.text)}
    # debug lines show with dynamic debugging only
    told = {message.text for message in driver.messages if message.level != "debug"}
    for line in sorted(told - said):
        yield f"the kernel log lacks the line {line!r}"
    for line in sorted(said - {message.text for message in driver.messages}):
        yield f"the kernel log has the line {line!r}, which is not predicted"
