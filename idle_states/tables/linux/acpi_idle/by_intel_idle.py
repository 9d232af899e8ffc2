"""The states that intel_idle registers of ACPI's objects on a named x86 machine, if it starts."""

from collections.abc import Iterator, Mapping

from ....base.dataclass import replace
from ....base.model.stages import Lost
from ....base.model.table import IdleTable
from ....base.wording import joined
from ..driver_table import DriverState, DriverTable
from ..intel_idle import figures
from ..intel_idle.features import features as intel_features
from ..intel_idle.platform import X86Platform
from ..intel_idle.register import driver_states
from ..intel_idle.start import IntelIdleStart
from ..intel_idle.start import start as start_intel_idle
from ..releases import Release
from .cst import Skipped
from .for_intel import given
from .machine import AcpiMachine, Place

_INTEL = "drivers/idle/intel_idle.c intel_idle_init()"


def by_intel_idle(
    table: IdleTable,
    release: Release,
    platform: X86Platform,
    machine: AcpiMachine,
    places: Mapping[Place, int],
) -> DriverTable | str:
    """Returns the states that intel_idle registers, or the reason why it does not start."""
    objects = given(machine, release)
    cst, slots, flattened = objects.evaluated, objects.slots, objects.flattened
    started = start_intel_idle(
        figures.data_of(release),
        replace(platform.machine, cst=objects.cst, lpi=objects.lpi),
        platform.parameters,
        intel_features(release),
    )
    if started.status:
        return started.because or "it does not start"
    skipped = {places[-1, each.index]: each for each in cst.skipped if (-1, each.index) in places}
    sources = _sources(started, [slot.source for slot in slots], places)
    by_lpi = bool(started.states[1:]) and started.states[1].name.endswith("_LPI")
    if by_lpi:
        own = [state.sources for state in flattened.states]
        sources = [places.get(each[0]) if len(each) == 1 else None for each in own]
    if started.array:
        sources = [None] * len(started.states[1:])
    states = driver_states(started, [None, *sources])
    return DriverTable(
        kernel=release.name,
        states=states,
        lost=tuple(_lost(table, started, states, platform, by_lpi, skipped)),
        messages=(*(() if started.array or by_lpi else objects.messages), *started.messages),
        offline="",
        assumptions=without_acpi(platform),
        driver="intel_idle",
    )


def without_acpi(platform: X86Platform) -> tuple[str, ...]:
    """Returns the assumptions on a machine, but for those on ACPI's objects, which are known."""
    return tuple(text for text in platform.assumed if not text.endswith("(acpi=)"))


def _sources(
    started: IntelIdleStart, entries: list[int | None], places: Mapping[Place, int]
) -> list[int | None]:
    rows = [places.get((-1, entry)) if entry is not None else None for entry in entries]
    return [rows[at] for at in started.rows if at < len(rows)] if not started.array else []


def _lost(
    table: IdleTable,
    started: IntelIdleStart,
    states: tuple[DriverState, ...],
    platform: X86Platform,
    by_lpi: bool,
    skipped: Mapping[int, Skipped],
) -> Iterator[Lost]:
    used = {state.source for state in states}
    names = [state.name for state in states[1:]]
    for row, state in enumerate(table.states):
        if row in used:
            continue
        cause, reason = "limit", "max_cstate, or the room for states, ends the list before it"
        if started.array:
            off = [each.name for each in states if each.off]
            switched = f"; by these entries it switches {joined(off)} off" if off else ""
            cause = "native"
            reason = (
                f"intel_idle has a table of its own for {platform.processor or platform.name} "
                f"({joined(names)}){switched}"
            )
        elif by_lpi:
            cause, reason = "lpi", "intel_idle takes the states of _LPI"
        elif row in skipped:
            cause, reason = skipped[row].cause, skipped[row].reason
        yield Lost(row, state.name, cause, reason, _INTEL)
