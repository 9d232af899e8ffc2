"""Two tables compared by meaning, stage by stage.

Rows are matched by name. A stage's differences are reported even where they follow from those of
an earlier stage: 200 ns against 1 us in the table, and again what each kernel makes of both.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated

from ...base.dataclass import dataclass
from ...base.model.acpi_objects import CstEntry, LpiState, Malformed
from ...base.model.beyond_opal import ListedNode
from ...base.model.forms import Limits
from ...base.model.table import IdleState, IdleTable, Psscr, Register, flag_names
from ...base.model.units import format_time
from ..devicetree.idle_nodes import TIMER_STOP, row_nodes
from ..linux.driver_table import DriverState, StopChoice
from ..linux.governors.settling import Circumstances
from ..linux.governors.steady import selection_map
from ..linux.platforms import AnyPlatform
from ..linux.releases import Release
from ..linux.suspend_parameter import parameter_name
from ..pipeline import Arrival, journey
from ..selection.idle_lengths import lengths
from ..selection.selection import map_changes, settling_of
from ..skiboot.export import Export
from ..sources import Source

ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference between two tables at one key."""

    stage: Annotated[
        str,
        Limits(pattern="^(table|use|nodes|export|(linux|menu|teo|ladder|haltpoll) .+)$"),
        "The place of the difference: the table, the use of its states on machines, nodes of an "
        "Arm or RISC-V machine, firmware's export, or a kernel's states.",
    ]
    path: Annotated[
        str, "The part: order, states.stop4.latency, cpus.cpu@0,cpu@1.states, default_stop, ..."
    ]
    a: Annotated[str, "The first table's value, as written; absent where it has none."]
    b: Annotated[str, "The second table's value, likewise."]


def diff(
    a: Source,
    b: Source,
    kernels: Sequence[Release],
    platform: AnyPlatform,
    governor: str | None = None,
    hz: int = 250,
) -> list[Difference]:
    """Returns all differences in the order of the stages. Both sources must have a table.

    governor  if given, also compare which states it selects among those each kernel registers, for
              idle periods ended by an interrupt, with the next timer far away and the tick running
    hz        the kernel's tick rate, for the governor
    """
    way_a, way_b = (journey(source, platform, kernels) for source in (a, b))
    held = [way.table.origin.form == "sysfs" for way in (way_a, way_b)]
    # a dump of sysfs has been through the driver: its rows do not compare with a firmware table's
    found = [] if held[0] != held[1] else list(_tables(way_a.table, way_b.table))
    found += _uses(way_a.table, way_b.table)
    if way_a.export is not None and way_b.export is not None:
        found += _exports(way_a.export, way_a.table, way_b.export, way_b.table)
    for arrival_a, arrival_b in zip(way_a.arrivals, way_b.arrivals, strict=True):
        found += arrivals_differ(arrival_a, arrival_b, governor, hz, known=not any(held))
    return found


def arrivals_differ(
    a: Arrival, b: Arrival, governor: str | None, hz: int, *, known: bool = True
) -> Iterator[Difference]:
    """Yields the differences in the states a kernel registers and, with a governor, selects. known:
    as for registered_otherwise()."""
    yield from registered_otherwise(a, b, known)
    if governor and a.driver.states and b.driver.states:
        yield from _selections(a, b, governor, hz)


def _tables(a: IdleTable, b: IdleTable) -> Iterator[Difference]:
    if a.register != b.register:
        yield Difference("table", "register", str(a.register), str(b.register))
    rows_a, rows_b = _by_name(a), _by_name(b)
    for name in dict.fromkeys([*rows_a, *rows_b]):
        path = f"states.{name}"
        if name not in rows_a or name not in rows_b:
            yield Difference("table", path, _whole(rows_a.get(name)), _whole(rows_b.get(name)))
            continue
        left, right = _fields(rows_a[name], a), _fields(rows_b[name], b)
        for field, value in left.items():
            if value != right.get(field):
                yield Difference("table", f"{path}.{field}", value, right.get(field, ABSENT))
    common_a = [name for name in rows_a if name in rows_b]
    common_b = [name for name in rows_b if name in rows_a]
    if common_a != common_b:
        yield Difference("table", "order", " ".join(common_a), " ".join(common_b))


def _uses(a: IdleTable, b: IdleTable) -> Iterator[Difference]:
    """Yields the reasons for states' use that one machine has and the other has not; of two dumps
    of sysfs."""
    if a.origin.form != "sysfs" or b.origin.form != "sysfs":
        return
    from ..why.answer import explained_of

    of_a, of_b = (
        {(e.state, r.kind): r.because for _, e in explained_of(held) for r in e.reasons}
        for held in (a.origin, b.origin)
    )
    for key in dict.fromkeys([*of_a, *of_b]):
        if (key in of_a) != (key in of_b):
            path = ".".join(("states", *key))
            yield Difference("use", path, of_a.get(key, "no"), of_b.get(key, "no"))


def _by_name(table: IdleTable) -> dict[str, IdleState]:
    """Name -> row; the key of a second row of the same name is "name[index]"."""
    rows: dict[str, IdleState] = {}
    for index, state in enumerate(table.states):
        rows[state.name if state.name not in rows else f"{state.name}[{index}]"] = state
    return rows


def _whole(state: IdleState | None) -> str:
    if state is None:
        return ABSENT
    residency = "none" if state.residency_ns is None else format_time(state.residency_ns)
    return f"{format_time(state.latency_ns)}/{residency}"


def _fields(state: IdleState, table: IdleTable) -> dict[str, str]:
    """Field -> value as a person writes it, of the fields that the kind of source has."""
    register = table.register
    fields = {
        "latency": format_time(state.latency_ns),
        "residency": "none" if state.residency_ns is None else format_time(state.residency_ns),
    }
    if table.origin.form == "nodes":
        rows = zip(table.states, row_nodes(table.origin), strict=True)
        node = next(node for row, node in rows if row is state)
        return fields | _node_fields(node, parameter_name(table.origin))
    if table.origin.form == "sysfs":
        return fields
    if table.origin.form == "acpi":
        row = next(row for row, each in enumerate(table.states) if each is state)
        return fields | _acpi_fields(table.origin.rows[row].entry)
    if table.origin.form == "driver":
        row = next(row for row, each in enumerate(table.states) if each is state)
        stored = table.origin.of_row(row)
        fields["flags"] = " ".join(stored.flag_names) or "none"
        if stored.mwait_hint is not None:
            fields["mwait"] = f"{stored.mwait_hint:#04x}"
        fields["power"] = str(stored.power_usage)
        return fields
    fields["flags"] = " ".join(flag_names(state.flags)) or "none"
    if register is Register.PSSCR:
        psscr = state.psscr
        fields |= {f"psscr.{name}": str(getattr(psscr, name)) for name in Psscr.FIELDS}
        fields["psscr.other"] = f"{psscr.other:#x}"
    elif register is Register.PMICR:
        fields["pmicr"] = f"{state.control:#x}"
    if register is not Register.NONE:
        fields["mask"] = f"{state.mask:#x}"
    return fields


def _acpi_fields(entry: CstEntry | LpiState | Malformed) -> dict[str, str]:
    if isinstance(entry, CstEntry):
        return {
            "type": str(entry.kind),
            "power": f"{entry.power_mw} mW",
            "register": str(entry.register),
        }
    if isinstance(entry, Malformed):
        return {}
    return {
        "enabled": "yes" if entry.enabled else "no",
        "arch-flags": f"{entry.arch_flags:#x}",
        "enable-parent": str(entry.enable_parent),
        "entry": hex(entry.entry) if isinstance(entry.entry, int) else str(entry.entry),
    }


def _node_fields(node: ListedNode, parameter: str | None) -> dict[str, str]:
    """The other properties Linux reads of a node: local-timer-stop, status and `parameter`."""
    fields = {
        "timer-stop": "yes" if TIMER_STOP in node.properties else "no",
        "available": "yes" if node.available else "no",
    }
    if parameter is not None:
        value = node.u32(parameter)
        fields[parameter] = "none" if value is None else f"{value:#x}"
    return fields


def _exports(a: Export, table_a: IdleTable, b: Export, table_b: IdleTable) -> Iterator[Difference]:
    names_a = " ".join(table_a.states[index].name for index in a.indices)
    names_b = " ".join(table_b.states[index].name for index in b.indices)
    if names_a != names_b:
        yield Difference("export", "states", names_a or "none", names_b or "none")
    if a.outcome != b.outcome:
        yield Difference("export", "outcome", a.outcome, b.outcome)


def registered_otherwise(a: Arrival, b: Arrival, known: bool) -> Iterator[Difference]:
    """Yields the differences between the states that kernels register, of one table or two.

    known: neither side is a dump of sysfs, so default_stop, deepest_stop etc. are known too.
    """
    stage = f"linux {a.release.name}"
    states_a = {state.name: state for state in a.driver.states}
    states_b = {state.name: state for state in b.driver.states}
    for name in dict.fromkeys([*states_a, *states_b]):
        left, right = registered_as(states_a.get(name)), registered_as(states_b.get(name))
        if left != right:
            yield Difference(stage, f"states.{name}", left, right)
    for path in dict.fromkeys([*(of_a := _domains(a)), *(of_b := _domains(b))]):
        left, right = of_a.get(path, ABSENT), of_b.get(path, ABSENT)
        if left != right:
            yield Difference(stage, path, left, right)
    if not known:
        return
    for path, value_a, value_b in (
        ("default_stop", _choice(a.driver.default_stop), _choice(b.driver.default_stop)),
        ("deepest_stop", _choice(a.driver.deepest_stop), _choice(b.driver.deepest_stop)),
        ("offline", a.driver.offline, b.driver.offline),
        (
            "snooze_timeout",
            _timeout(a.driver.snooze_timeout_us),
            _timeout(b.driver.snooze_timeout_us),
        ),
        ("fatal", a.driver.fatal or "no", b.driver.fatal or "no"),
    ):
        if value_a != value_b:
            yield Difference(stage, path, value_a, value_b)


def registered_as(state: DriverState | None) -> str:
    """Returns the times of a state that a kernel registers, in words."""
    if state is None:
        return ABSENT
    times = f"{state.exit_latency_us}/{state.target_residency_us} us"
    if any(state.beyond_us):
        times = "{}/{} ns".format(*state.times_ns)
    return f"{times}, polling" if state.polling else times


def _domains(arrival: Arrival) -> dict[str, str]:
    """Path -> what a kernel makes of the power domains and of their states."""
    path2value: dict[str, str] = {}
    for domain in arrival.driver.domains:
        how = "off in a state that fits" if domain.governed else "off in its first state"
        path2value[f"domains.{domain.name}"] = f"on: {domain.dead}" if domain.dead else how
        for number, state in enumerate(domain.states):
            latencies = f"{state.power_off_ns}+{state.power_on_ns}"
            times = f"{number}: {latencies}/{state.residency_ns} ns"
            path2value[f"domains.{domain.name}.{state.name}"] = times
    return path2value


def _choice(choice: StopChoice | None) -> str:
    return "none" if choice is None else f"PSSCR {choice.psscr:#x} mask {choice.mask:#x}"


def _timeout(microseconds: int | None) -> str:
    return "none" if microseconds is None else f"{microseconds} us"


def _selections(a: Arrival, b: Arrival, governor: str, hz: int) -> Iterator[Difference]:
    """Differences: the ranges of idle lengths for which the governor selects different states."""
    ranges_a, ranges_b = (
        selection_map(
            settling_of(governor, arrival.release, arrival.driver, hz),
            Circumstances(limit_us=arrival.driver.limit_us),
        )
        for arrival in (a, b)
    )
    names_a, names_b = ([state.name for state in arrival.driver.states] for arrival in (a, b))
    for change in map_changes(names_a, ranges_a, names_b, ranges_b):
        path = f"idle {lengths(change.first_ns, change.last_ns)}"
        stage = f"{governor} {a.release.name}"
        yield Difference(stage, path, "/".join(change.a), "/".join(change.b))
