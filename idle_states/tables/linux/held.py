"""The states that a running kernel holds, from its sysfs; the driver is not modelled."""

from collections.abc import Iterable, Sequence

from ...base.dataclass import replace
from ...base.model.beyond_opal import Dump, Held, SysfsState
from ...base.model.table import IdleTable
from ...base.reading.sysfs import COUNTERS
from .driver_table import DriverState, DriverTable
from .qos import NO_LIMIT_US
from .releases import Release, running

POLL, SNOOZE = "POLL", "snooze"
OWN = (POLL, SNOOZE, "WFI")
"""Names of state 0 that the kernel's driver adds itself."""


def register(table: IdleTable, release: Release) -> DriverTable:
    """Returns the states as held. sysfs does not show snooze's flag POLLING, which is taken from
    the release; the exported tree and the offline method are unknown."""
    held = table.origin
    assert held.form == "sysfs"
    snooze_polls = release.features.snooze_polling
    return DriverTable(
        kernel=release.name,
        states=tuple(
            DriverState(
                number,
                state.name,
                state.latency_us,
                state.residency_us,
                "",
                number - held.first_row if number >= held.first_row else None,
                polling=number == 0
                and (state.name == POLL or (state.name == SNOOZE and snooze_polls)),
                off=state.disabled,
            )
            for number, state in enumerate(held.states)
        ),
        offline="",
        limit_us=limit_us(held),
    )


def held_of(dump: Dump, cpus: Sequence[int], kernel: str = "") -> Held:
    """Returns the states that CPUs of a dump share, with the counters of all of them. kernel: as
    the machine calls it, where the dump does not say."""
    states = tuple(map(_summed, zip(*(dump.cpus[cpu] for cpu in cpus), strict=True)))
    return Held(
        states,
        1 if states[0].name in OWN else 0,
        tuple(cpus),
        dump.drivers.get(cpus[0], ""),
        dump.governor,
        dump.kernel or kernel,
        dump.limit_us(cpus[0]),
        dump,
    )


def _summed(states: Sequence[SysfsState]) -> SysfsState:
    counts = {
        each: [count for state in states if (count := getattr(state, each)) is not None]
        for each in COUNTERS
    }
    return replace(states[0], **{each: sum(found) for each, found in counts.items() if found})


ENOUGH_ENTRIES, FEW = 1000, 1000
"""Entries of all states before a state's share of them counts; one in how many is hardly any."""


def is_hardly_used(state: SysfsState, states: Sequence[SysfsState]) -> bool:
    """Tells whether a state has at most a thousandth of the entries and of the idle time."""
    entries, idle_us = entries_of(states), idle_us_of(states)
    return (state.usage or 0) * FEW <= entries and (state.time_us or 0) * FEW <= idle_us


def entries_of(states: Iterable[SysfsState]) -> int:
    """Returns how often states were entered since boot."""
    return sum(state.usage or 0 for state in states)


def idle_us_of(states: Iterable[SysfsState]) -> int:
    """Returns how long CPUs were in states since boot, in us."""
    return sum(state.time_us or 0 for state in states)


def limit_us(held: Held) -> int:
    """Returns the latency limit that governors are told; before 4.11 they ask for the system's."""
    from .idle_loop import features

    release = running(held.kernel)
    obeyed = release is None or features(release).resume_latency
    return held.limit_us if obeyed and held.limit_us is not None else NO_LIMIT_US
