"""What a change does to machines, as entries of the plain text of a review."""

from collections.abc import Iterator

from ...base.wording import joined, plural
from ...lab.replay.consumption import Change
from ...lab.replay.energy_said import in_percent
from ...tables.selection.idle_lengths import lengths
from ...tables.selection.selection import SelectionChange
from .machines import OnKernels, OnMachines
from .workloads import OnWorkload, Performed

_LEAST = 1.0
"""Percent below which a change is counted, not shown."""
_USED = 0.01
"""Idle periods for each unit of work, likewise."""


def entries(found: OnMachines, governor: str) -> Iterator[str]:
    """One entry for each group of the time's kernels, and for each workload that changes."""
    for group in found.kernels:
        then = [name for name in group.kernels if name in found.then and name != found.own]
        own = [f"{found.own}, the tree's"] if found.own in group.kernels else []
        named = [*own, *([f"{joined(then)}, current on {found.day}"] if then else [])]
        if named and (said := list(_effects(group))):
            yield f"{governor} on Linux {'; '.join(named)}: {'; '.join(said)}"
    for one in found.workloads:
        if is_shown(one):
            yield _workload(one)
    if small := sum(not is_shown(one) for one in found.workloads) + len(found.unchanged):
        yield f"{plural(small, 'simulated workload')} changed by less than {_LEAST:g} %"
    yield from found.unsaid


def is_shown(found: OnWorkload) -> bool:
    """Whether a change of a workload is large enough to be shown."""
    changes = (found.rate, found.power, found.energy)
    return any(max(abs(c.least), abs(c.most)) >= _LEAST for c in changes if c is not None)


def _effects(group: OnKernels) -> Iterator[str]:
    if group.gained:
        yield f"gains {joined(group.gained)}"
    if group.lost:
        yield f"loses {joined(group.lost)}"
    for moved in group.interrupted:
        yield f"idle {lengths(moved.first_ns, moved.last_ns)} {_states(moved)}"


def _states(moved: SelectionChange) -> str:
    return f"{' or '.join(moved.a)} -> {' or '.join(moved.b)}"


def _workload(found: OnWorkload) -> str:
    each = found.unit.removesuffix("s") or "unit"
    before, after = found.before, found.after
    said = [f"{before.units_per_s:.0f} -> {after.units_per_s:.0f} {found.unit}/s"]
    said.append(f"power {in_percent(found.power)} ({_whatever(found.power, found.power_any)})")
    if found.energy is not None and found.energy_any is not None:
        whatever = _whatever(found.energy, found.energy_any, found.turning)
        said.append(f"energy for each {each} {in_percent(found.energy)} ({whatever})")
    if used := list(_used(before, after)):
        said.append(f"idle periods for each {each}: {', '.join(used)}")
    return f"{found.workload} on Linux {found.kernel}: {'; '.join(said)}"


def _whatever(likely: Change, any_: Change, turning: tuple[float, float] | None = None) -> str:
    """Whether the sign holds whatever states draw."""
    if any_.sign:
        return f"{'rises' if any_.sign > 0 else 'falls'} whatever states draw"
    if turning is not None and likely.sign and round(turning[1]) < 100:
        word = "falls" if likely.sign < 0 else "rises"
        return f"{word} if states draw more than {turning[1]:.0f} % of snooze"
    return "either way, by what states draw" if any_.least or any_.most else "as before"


def _used(before: Performed, after: Performed) -> Iterator[str]:
    """State by state, how often it is entered for each unit of work, where that changes."""
    a, b = ({use.state: use.per_unit or 0.0 for use in side.states} for side in (before, after))
    for state in dict.fromkeys((*a, *b)):
        old, new = a.get(state, 0.0), b.get(state, 0.0)
        if abs(old - new) >= _USED:
            yield f"{state} {old:.2f} -> {new:.2f}"
