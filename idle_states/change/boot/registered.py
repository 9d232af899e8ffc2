"""The states that a guest's CPUs registered, as it shows them, beside those predicted."""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from typing import TypeVar

from ...base.model.beyond_opal import SysfsState
from ...base.model.findings import Unreadable
from .stage import REGISTERED, Mismatch, Stage, held

R = TypeVar("R")
NO_DRIVER = "none"
Row = tuple[str, str, int, int, bool]
"""The values of a state: name, description, latency and residency in us, whether it is off from the
start."""
Counted = tuple[SysfsState, SysfsState | None]
"""A state as it was at first, and with what was counted during the work; None: not known."""

_PLACE = re.compile(r"cpuidle/(\w+):(.*)", re.ASCII)


def registered_stage(
    driver: str, rows: Mapping[int, Sequence[Row]], sections: Mapping[str, str], governor: str = ""
) -> Stage:
    """The driver's name, the governor's and each CPU's states.

    driver    the one predicted
    rows      the rows predicted for each CPU there is
    sections  what the guest printed: "cpuidle" and "governors"
    governor  the one that the kernel was told to use; "": none
    """
    names = [("driver", driver, driver_in(sections))]
    if governor:
        names.append(("governor", governor, governor_in(sections)))
    differences = [Mismatch(*each) for each in names if each[1] != each[2]]
    text = sections["cpuidle"] if sections["cpuidle"].strip() else None
    return rows_stage(rows, text, row_of, _shown, differences, len(names))


def rows_stage(
    wanted: Mapping[int, Sequence[R]],
    dump: str | None,
    row_of: Callable[[SysfsState], R],
    shown: Callable[[R | None], str],
    differences: Sequence[Mismatch] = (),
    judged: int = 0,
) -> Stage:
    """Each CPU's states, row by row.

    wanted       the rows predicted for each CPU there is
    dump         the states' attributes as the guest shows them; None: it shows none
    row_of       the row of a state
    shown        a row in words; "" for None
    differences  others of the stage, and how many values they are of: judged
    """
    try:
        there = held(dump) if dump is not None else {}
    except Unreadable as error:
        return Stage.of(REGISTERED, [Mismatch("sysfs", "idle states", str(error))], 1)
    found = list(differences)
    for cpu in sorted({*wanted, *there}):
        rows = map(row_of, there.get(cpu, ()))
        for number, (want, row) in enumerate(zip_longest(wanted.get(cpu, ()), rows)):
            judged += 1
            if row != want:
                found.append(Mismatch(f"cpu{cpu}/state{number}", shown(want), shown(row)))
    return Stage.of(REGISTERED, found, judged)


def driver_in(sections: Mapping[str, str]) -> str:
    """The driver that the guest names; "" if it names none."""
    return _places(sections).get("current_driver", "")


def governor_in(sections: Mapping[str, str]) -> str:
    """The governor that the guest names as the one in use; "" if it names none."""
    places = _places(sections)
    return places.get("current_governor", "") or places.get("current_governor_ro", "")


def _places(sections: Mapping[str, str]) -> dict[str, str]:
    return dict(_PLACE.findall(sections["governors"]))


def held_by(sections: Mapping[str, str]) -> Mapping[int, tuple[SysfsState, ...]]:
    """CPU -> its states, as the guest shows them; empty where they cannot be read."""
    text = sections["cpuidle"]
    try:
        return held(text) if text.strip() else {}
    except Unreadable:
        return {}


def with_counts(
    found: Mapping[int, Sequence[SysfsState]], counted: Mapping[int, Sequence[SysfsState]], cpu: int
) -> list[Counted]:
    """The states of a CPU. found, counted: CPU -> its states, as held_by and counted_in say."""
    counts = counted.get(cpu, ())
    return [
        (state, counts[number] if number < len(counts) else None)
        for number, state in enumerate(found.get(cpu, ()))
    ]


def row_of(state: SysfsState) -> Row:
    return (state.name, state.description, *state.row[1:], bool(state.default_disabled))


def _shown(row: Row | None) -> str:
    if row is None:
        return ""
    name, description, latency, residency, off = row
    return f'{name} "{description}" {latency}/{residency} us{", off" if off else ""}'
