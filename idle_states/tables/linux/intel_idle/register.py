"""The states that intel_idle registers of a table, and its reasons to lose or change rows."""

from collections.abc import Iterator, Mapping, Sequence

from ....base.dataclass import replace
from ....base.model.beyond_opal import BuiltIn
from ....base.model.findings import UsageError
from ....base.model.stages import Changed, Lost
from ....base.model.table import IdleTable
from ..acpi_idle.for_intel import objects_of
from ..cpuidle_flags import HINT_SHIFT, OFF, POLLING, TIMER_STOP
from ..driver_table import DriverState, DriverTable
from ..releases import Release, began, reached
from . import figures
from .features import OLDEST, features
from .machine import X86Machine
from .platform import X86Platform, acpi_states
from .start import IntelIdleStart, start
from .states import NAME2FLAG, IntelIdleData, StartedState
from .updates import array_of, changed_because, least_rows, updated

GROUND = "drivers/idle/intel_idle.c"
_INIT = f"{GROUND} intel_idle_init_cstates_icpu()"
_PROBE = f"{GROUND} intel_idle_init()"
UPDATE = "intel_idle_init_cstates_icpu() and what it calls by model"


def register(table: IdleTable, release: Release, platform: X86Platform) -> DriverTable:
    """Returns what a release registers on a machine: of a packaged table its own figures, of
    another table these rows in place of the processor's.

    Raises UsageError for a release before 4.4, and for a table that the processor does not have.
    """
    if not reached(release, OLDEST):
        raise UsageError(
            f"expected Linux {began(release, OLDEST)} or later for platform {platform.name}, found "
            f"{release.name}: how intel_idle started before is not modelled"
        )
    data = _with_rows(figures.data_of(release), table, platform)
    machine = _with_acpi(platform, data, release)
    started = start(data, machine, platform.parameters, features(release))
    if started.status:
        cpu = data.listed(machine)
        doubt = "" if cpu is not None and cpu.table else figures.untold(release)
        because = f"cannot tell: {started.because}; {doubt}" if doubt else started.because
        return DriverTable(
            kernel=release.name,
            states=(),
            lost=tuple(
                Lost(row, state.name, "no-driver", because, _PROBE)
                for row, state in enumerate(table.states)
            ),
            offline="",
            assumptions=_assumptions(table, release, platform),
        )
    found = table.origin
    assert found.form == "driver"
    array: Sequence[StartedState] = data.arrays.get(started.array, ())
    if not started.array and not found.cpus:
        # the table is of ACPI's states itself
        array = _rows(found)
    # row of the driver's -> row of the table
    own = _own_rows(table, array)
    states = driver_states(started, [None, *map(own.get, started.rows)])
    usual = stock = array
    cpu = data.listed(machine)
    if started.array and cpu is not None:
        usual, _ = updated(data, cpu, machine, platform.parameters, features(release))
        stock = data.arrays[cpu.table] if found.by_release else array
    return DriverTable(
        kernel=release.name,
        states=states,
        lost=tuple(_lost(table, started, own)),
        changed=tuple(_changed(table, started, states, (stock, usual), machine)),
        messages=started.messages,
        offline="",
        assumptions=_assumptions(table, release, platform),
    )


def driver_states(
    started: IntelIdleStart, sources: Sequence[int | None]
) -> tuple[DriverState, ...]:
    """The states that are registered. sources: the row of the table that each one is of."""
    return tuple(
        DriverState(
            number,
            state.name,
            state.exit_latency_us,
            state.target_residency_us,
            "mwait" if number else "",
            sources[number],
            polling=bool(state.flags & POLLING),
            timer_stop=bool(state.flags & TIMER_STOP),
            off=bool(state.flags & OFF),
        )
        for number, state in enumerate(started.states)
    )


def _with_rows(data: IntelIdleData, table: IdleTable, platform: X86Platform) -> IntelIdleData:
    """The driver's data with the table's rows for the processor's, unless each release has its own.
    Raises UsageError."""
    found = table.origin
    if found.form != "driver" or not found.is_intel_idle:
        raise UsageError(
            f"expected a table of intel_idle for platform {platform.name}, found {table.name}"
        )
    machine = platform.machine
    if found.cpus and machine.model not in {cpu.model for cpu in found.cpus}:
        names = ", ".join(cpu.name for cpu in found.cpus)
        raise UsageError(
            f"expected platform {platform.name} to be one that {table.name} is for, found that it "
            f"is for {names}"
        )
    if found.by_release or not found.cpus:
        return data
    cpu = data.listed(machine)
    if cpu is None or not cpu.table:
        cpu = next((cpu for cpu in found.cpus if cpu.model == machine.model), None)
        if cpu is None:
            raise UsageError(
                f"expected a processor with a table of intel_idle for {table.name}, found "
                f"{platform.name}: its states are ACPI's"
            )
    rows = _rows(found)
    least = least_rows(machine)
    if len(rows) < least:
        raise UsageError(
            f"expected at least {least} rows of {table.name}, of which intel_idle changes some on "
            f"{platform.name}, found {len(rows)}"
        )
    array = array_of(cpu, machine)
    cpus = data.cpus if cpu in data.cpus else (*data.cpus, cpu)
    return replace(data, arrays={**data.arrays, array: rows}, cpus=cpus)


def _rows(found: BuiltIn) -> tuple[StartedState, ...]:
    return tuple(
        StartedState(
            state.name,
            state.description,
            state.exit_latency_us,
            state.target_residency_us,
            sum(flag for name, flag in NAME2FLAG.items() if name in state.flag_names)
            | (state.mwait_hint or 0) << HINT_SHIFT,
        )
        for state in found.states
    )


def _with_acpi(platform: X86Platform, data: IntelIdleData, release: Release) -> X86Machine:
    """The machine with ACPI's states as the platform names them. Raises UsageError."""
    if objects := objects_of(platform, release):
        return replace(platform.machine, cst=objects.cst, lpi=objects.lpi)
    cpu = data.listed(platform.machine)
    rows = data.arrays.get(array_of(cpu, platform.machine), ()) if cpu else ()
    return replace(
        platform.machine,
        cst=acpi_states("acpi", platform.cst, rows),
        lpi=acpi_states("lpi", platform.lpi, rows),
    )


def _own_rows(table: IdleTable, array: Sequence[StartedState]) -> dict[int, int]:
    """Row of the driver's array -> row of the table: of the same name, where each release has rows
    of its own."""
    assert table.origin.form == "driver"
    if not table.origin.by_release:
        return {row: row for row in range(len(array))}
    name2row = {state.name: row for row, state in enumerate(table.states)}
    return {at: name2row[row.name] for at, row in enumerate(array) if row.name in name2row}


def _lost(table: IdleTable, started: IntelIdleStart, own: Mapping[int, int]) -> Iterator[Lost]:
    for row, state in enumerate(table.states):
        if not own:
            reason = "the driver was told to take ACPI's states, or has no table for the processor"
            yield Lost(row, state.name, "not-native", reason, _PROBE)
        elif row not in own.values():
            reason = "this release's table has no such row"
            yield Lost(row, state.name, "not-in-release", reason, GROUND)
    for left in started.left:
        if left.row in own:
            row = own[left.row]
            yield Lost(row, table.states[row].name, left.cause, left.reason, _INIT)


def _changed(
    table: IdleTable,
    started: IntelIdleStart,
    states: Sequence[DriverState],
    rows: tuple[Sequence[StartedState], Sequence[StartedState]],
    machine: X86Machine,
) -> Iterator[Changed]:
    """Values that differ from the table's, and states that are registered switched off. rows: the
    driver's, and what it makes of them for the machine."""
    off = dict(started.off)
    for state in states[1:]:
        if state.source is None:
            continue
        row = table.states[state.source]
        raw, usual = (of[started.rows[state.index - 1]] for of in rows)
        for field, before, steps in (
            (
                "latency",
                row.latency_ns // 1000,
                (raw.exit_latency_us, usual.exit_latency_us, state.exit_latency_us),
            ),
            (
                "residency",
                (row.residency_ns or 0) // 1000,
                (raw.target_residency_us, usual.target_residency_us, state.target_residency_us),
            ),
        ):
            released, updated_us, after = steps
            if before == after:
                continue
            reason, cause = "intel_idle.table= says so", "by-parameter"
            ground = f"{GROUND} cmdline_table_adjust()"
            if updated_us == after != released:
                reason, cause = changed_because(machine), "by-machine"
                ground = f"{GROUND} {UPDATE}"
            elif released == after:
                reason, ground, cause = "this release has these figures", GROUND, "by-release"
            before_us, after_us = f"{before} us", f"{after} us"
            yield Changed(state.source, row.name, field, before_us, after_us, reason, ground, cause)
        if state.off:
            yield Changed(
                state.source,
                row.name,
                "default_status",
                "enabled",
                "disabled",
                off.get(state.name, ""),
                _INIT,
                "switched-off",
            )


def _assumptions(table: IdleTable, release: Release, platform: X86Platform) -> tuple[str, ...]:
    basis = figures.basis(release, platform.machine.model)
    by_release = table.origin.form == "driver" and table.origin.by_release
    ignored = platform.parameters.table and not features(release).table_parameter
    return (
        *platform.assumed,
        *([basis] if basis and by_release else []),
        *(
            [f"Linux {release.name} has no parameter table, and ignores it (table=)"]
            * bool(ignored)
        ),
    )
