"""Tables of intel_idle by name, made of the packaged figures: intel:skx, intel:icx@5.10."""

import hashlib
import re
from collections.abc import Sequence

from ....base.model.beyond_opal import BuiltIn, BuiltInState, MatchedCpu
from ....base.model.findings import UsageError
from ....base.model.table import IdleState, IdleTable, ReadFrom, Register
from ....base.reading.acpi.signs import OBTAINED
from ....base.wording import suggestion
from ...skiboot.platform import BadPlatform
from ..acpi_idle.for_intel import objects_of
from ..cpuidle_flags import HINT_SHIFT
from ..releases import NEWEST, Release, release
from .figures import listed_in, tree_of
from .known import NUMBERED, driver_data
from .machine import AcpiState
from .platform import OF_OTHERS, acpi_states, names, short_names, spelled
from .platform_text import parse_machine
from .start import CST_FACTOR
from .states import NAME2FLAG, StartedState

_NAME = re.compile(
    r"intel:(?P<machine>(?P<cpu>[^@,]*)(?:@(?P<release>[^:,@]+))?(?P<keys>,.*)?)", re.DOTALL
)


def is_named(text: str) -> bool:
    """Tells whether a TABLE names a table of intel_idle rather than a file."""
    return _NAME.fullmatch(text) is not None


def table_named(text: str) -> IdleTable:
    """Returns the table of intel:NAME, whose figures are each release's own, or of
    intel:NAME@RELEASE, whose figures are that release's whatever kernel it is followed into. Keys
    of --platform may follow: then the table is followed on that machine. Of a processor without a
    table the rows are ACPI's states, which acpi= names.

    Raises UsageError for a processor that has none, and UnknownRelease.
    """
    match = _NAME.fullmatch(text)
    assert match is not None
    name = spelled(match["cpu"])
    machine = f"{name}{match['keys'] or ''}"
    if name not in names():
        raise UsageError(
            f"expected a processor ({', '.join(short_names())}), found {match['cpu']!r}"
            f"{suggestion(name, names())}{OF_OTHERS}"
        )
    try:
        platform = parse_machine(machine)
    except BadPlatform as error:
        raise UsageError(str(error)) from None
    _, model = names()[name]
    if match["release"]:
        return _table(tree_of(release(match["release"])), model, text, machine)
    for tree in reversed(NUMBERED):
        if _listed(tree, model):
            return _table(tree, model, text, machine, by_release=True)
    objects = objects_of(platform, release(NEWEST))
    if objects is not None and objects.cst:
        return _of_acpi(objects.cst, text, machine)
    if platform.cst is None:
        raise UsageError(
            f"expected a processor with a table of intel_idle, found {name}: its states are "
            f"ACPI's; give its tables, {name},acpi=./acpi.txt (get them {OBTAINED}), or name the "
            f"states, such as {name},acpi=0x00/1:0x21/127:0x60/1048"
        )
    return _of_acpi(acpi_states("acpi", platform.cst, ()) or (), text, machine)


def _table(
    tree: str, model: int, text: str, machine: str, *, by_release: bool = False
) -> IdleTable:
    """The table of a processor of family 6 in one of `tables.TREES`. Raises UsageError if it has
    none there."""
    cpu = _listed(tree, model)
    if cpu is None:
        raise UsageError(
            f"expected a table of intel_idle in Linux {tree}, found none for {text}: its states "
            "are ACPI's there, if it has any"
        )
    rows = driver_data(tree).arrays[cpu.table]
    states = tuple(map(_state, rows))
    digest = hashlib.sha256(repr((tree, cpu.table, rows)).encode()).hexdigest()
    return IdleTable(
        cpu.table,
        _rows(states),
        Register.NONE,
        origin=BuiltIn(states, cpus=(cpu,), machine=machine, by_release=by_release),
        title=f"intel_idle's table for {cpu.name}, as Linux {tree} has it",
        read_from=ReadFrom("driver", text, digest),
    )


def _of_acpi(entries: Sequence[AcpiState], text: str, machine: str) -> IdleTable:
    """The states of _CST as intel_idle takes them."""
    states = tuple(
        BuiltInState(
            f"C{number}_ACPI",
            entry.description,
            entry.latency_us,
            entry.latency_us * (CST_FACTOR if entry.cstate > 1 else 1),
            mwait_hint=entry.address & 0xFF,
        )
        for number, entry in enumerate(entries, 1)
    )
    digest = hashlib.sha256(repr(states).encode()).hexdigest()
    return IdleTable(
        "_CST",
        _rows(states),
        Register.NONE,
        origin=BuiltIn(states, machine=machine),
        title="ACPI's states, with the residencies that intel_idle derives",
        read_from=ReadFrom("driver", text, digest),
    )


def _rows(states: Sequence[BuiltInState]) -> tuple[IdleState, ...]:
    return tuple(
        IdleState(
            state.name,
            state.exit_latency_us * 1000,
            state.target_residency_us * 1000,
            flags=0,
            note=state.description,
        )
        for state in states
    )


def as_of(table: IdleTable, kernel: Release) -> IdleTable:
    """The table with the figures of a release, if each has its own and this one has the processor;
    else as it is."""
    found = table.origin
    if found.form != "driver" or not found.by_release:
        return table
    tree, model = tree_of(kernel), found.cpus[0].model
    if _listed(tree, model) is None:
        return table
    return _table(tree, model, table.read_from.file, found.machine, by_release=True)


def _listed(tree: str, model: int) -> MatchedCpu | None:
    """A processor of family 6 that has a table in a tree."""
    found = listed_in(tree, model)
    return found[0] if found is not None and found[0].table else None


def _state(row: StartedState) -> BuiltInState:
    names_of = tuple(name for name, flag in NAME2FLAG.items() if row.flags & flag)
    return BuiltInState(
        row.name,
        row.description,
        row.exit_latency_us,
        row.target_residency_us,
        row.flags,
        names_of,
        mwait_hint=row.flags >> HINT_SHIFT,
    )
