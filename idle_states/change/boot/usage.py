"""The states that a guest can have entered between two looks at its counters.

Emulated time is uneven, so that no count is predicted: a counter may have grown, or must not have.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

from ...base.dataclass import dataclass, replace
from ...base.model.beyond_opal import SysfsState
from ...base.model.findings import Unreadable
from ...base.reading import sysfs
from ...base.reading.inputs import Input
from ...tables.linux.driver_table import DriverTable
from ...tables.linux.governors import Governor, UnknownGovernor
from ...tables.linux.governors.interface import Outcome, Situation, tick_ns
from ...tables.linux.qos import NO_LIMIT_US
from ...tables.linux.releases import Release
from ...tables.linux.request_parts import FAR_NS
from ...tables.selection.selection import TableSelection, select
from .stage import USAGE, Mismatch, PredictedKernel, Stage

LONG_NS = 50_000_000
"""An idle period that every guest has which does nothing for a second."""
_PERIODS = 16
"""Equal idle periods before the decision that is looked at; menu's history has room for eight."""
_GROWS, _STAYS = "may grow", "stays"


class PredictedDrivers(PredictedKernel, Protocol):
    """The prediction for a guest's CPUs.

    number2driver  the kernel's number of a CPU -> what it registers for it
    """

    @property
    def number2driver(self) -> Mapping[int, DriverTable]: ...


Refuses = Callable[[int], str]
"""Returns why firmware does not suspend a CPU with this argument; "" if it does."""


@dataclass(frozen=True, slots=True)
class Entered:
    """A state and what firmware may make of it.

    selected  the governor can select it
    runs      firmware may suspend the CPU
    refusals  why firmware may not, a sentence for each reason
    """

    selected: bool
    runs: bool
    refusals: tuple[str, ...]


def usage_stage(
    predicted: PredictedDrivers,
    refuses: Refuses,
    sections: Mapping[str, str],
    governor: str,
    hz: int,
) -> Stage:
    """Holds the counters of each CPU's states against what can have happened.

    sections  what the guest printed: its states' attributes "before" and "after" the work
    governor  the guest's
    """
    drivers = predicted.number2driver
    if predicted.release is None:
        return Stage.unjudged(USAGE, f"there is no model of {predicted.kernel}")
    if not any(driver.states for driver in drivers.values()):
        return Stage.unjudged(USAGE, "no states are predicted to be registered")
    try:
        counted = _counted(sections)
        selections = {
            cpu: selected(driver, predicted.release, governor, hz)
            for cpu, driver in drivers.items()
        }
    except (Unreadable, UnknownGovernor) as error:
        return Stage.unjudged(USAGE, str(error))
    differences, judged = [], 0
    for cpu, driver in sorted(drivers.items()):
        for state, counts in zip(driver.states, counted.get(cpu, ()), strict=False):
            can = entered(driver, state.index, refuses, selections[cpu])
            grows = {
                "usage": can.selected and can.runs,
                "rejected": can.selected and bool(can.refusals),
            }
            for name, may in grows.items():
                count = getattr(counts, name)
                judged += count is not None
                if count and not may:
                    path = f"cpu{cpu}/state{state.index}/{name}"
                    differences.append(Mismatch(path, _STAYS, f"grew by {count}"))
        deepest = of_long_idles(selections[cpu])
        rows = counted.get(cpu, ())
        if deepest is not None and deepest < len(rows):
            judged += 1
            row = rows[deepest]
            if not (row.usage or row.rejected):
                path = f"cpu{cpu}/state{deepest}"
                differences.append(Mismatch(path, "selected for long idle periods", "never"))
    return Stage.of(USAGE, differences, judged)


def selected(driver: DriverTable, release: Release, governor: str, hz: int) -> TableSelection:
    """Returns the governor's selection, with the tick overdue or not. Raises UnknownGovernor."""
    selection = select(governor, release, driver, hz)
    overdue = _with_overdue_tick(driver, release, governor, hz)
    unreachable = tuple(state for state in selection.unreachable if state not in overdue)
    return replace(selection, unreachable=unreachable)


def _with_overdue_tick(
    driver: DriverTable, release: Release, governor: str, hz: int
) -> frozenset[int]:
    """The states taken after idle periods of one length, when the tick should have come before.

    A guest is late now and then, and select() makes no map of it: the time to the tick is then
    negative, which menu since 5.13, and some of teo's releases, compare as shorter than any
    residency, be it 0.
    """
    found = set()
    tick = tick_ns(hz)
    for idle_ns in (1_000, 50_000, tick - 1):
        for timer_ns in (idle_ns, FAR_NS):
            model = Governor.for_kernel(governor, release, driver, hz)
            usual = Situation(NO_LIMIT_US, timer_ns, min(timer_ns, tick), disabled=driver.off)
            for _ in range(_PERIODS):
                model.reflect(Outcome(model.select(usual).state, idle_ns))
            found.add(model.select(replace(usual, delta_next_ns=-1)).state)
    return frozenset(found)


def of_long_idles(selection: TableSelection) -> int | None:
    """The state taken for idle periods of LONG_NS; None if there are several."""
    found = {
        state
        for mapped in selection.maps
        for each in mapped.ranges
        if each.first_ns <= LONG_NS and (each.last_ns is None or each.last_ns >= LONG_NS)
        for state in each.states
    }
    return found.pop() if len(found) == 1 else None


def entered(
    driver: DriverTable, index: int, refuses: Refuses, selection: TableSelection
) -> Entered:
    """Returns the possible outcomes of a state: the last one's power domains may send firmware
    their own parameter."""
    state = driver.states[index]
    is_selected = index not in selection.unreachable
    if not index or state.parameter is None:
        return Entered(is_selected, True, ())
    parameters = [state.parameter]
    if index == len(driver.states) - 1:
        parameters += _of_domains(driver)
    refusals = [refuses(parameter) for parameter in parameters]
    return Entered(is_selected, "" in refusals, tuple(dict.fromkeys(filter(None, refusals))))


def _of_domains(driver: DriverTable) -> Iterator[int]:
    for domain in driver.domains:
        for state in domain.states if not domain.dead else ():
            if state.parameter is not None:
                yield state.parameter


def counted_in(sections: Mapping[str, str]) -> Mapping[int, tuple[SysfsState, ...]]:
    """CPU -> its states, with what was counted during the work; empty where there are none, or
    they cannot be read."""
    try:
        return _counted(sections)
    except Unreadable:
        return {}


def _counted(sections: Mapping[str, str]) -> dict[int, tuple[SysfsState, ...]]:
    """CPU -> its states, with what was counted during the work. Raises Unreadable."""
    before, after = (
        sysfs.read(Input(f"{name}.txt", held=sections[name].encode()))
        for name in ("before", "after")
    )
    return sysfs.difference(before, after)
