"""Tables of intel_idle by name, made of the packaged figures: intel:skx, intel:icx@5.10."""

import hashlib
import re

from ...beyond_opal import BuiltIn, BuiltInState, MatchedCpu
from ...findings import UsageError
from ...table import IdleState, IdleTable, Origin, Register
from ...wording import suggestion
from ..releases import Release, release
from . import tables
from .figures import tree_of
from .known import driver_data
from .platform import names, short_names
from .states import HINT_SHIFT, NAME2FLAG, StartedState

PREFIX = "intel:"
_NAME = re.compile(r"intel:(?P<machine>[a-z0-9-]+)(?:@(?P<release>[^:]+))?")


def is_named(text: str) -> bool:
    """Whether a TABLE names a table of intel_idle rather than a file."""
    return _NAME.fullmatch(text) is not None


def table_named(text: str) -> IdleTable:
    """Returns the table of intel:NAME, whose figures are each release's own, or of
    intel:NAME@RELEASE, whose figures are that release's whatever kernel it is followed into.

    Raises UsageError for a processor that has none, and UnknownRelease.
    """
    match = _NAME.fullmatch(text)
    assert match is not None
    machine = match["machine"]
    if machine not in names():
        raise UsageError(
            f"expected a processor ({', '.join(short_names())}), found {machine!r}"
            f"{suggestion(machine, names())}"
        )
    _, model = names()[machine]
    if match["release"]:
        return _table(tree_of(release(match["release"])), model, text, machine)
    for tree in reversed(tables.TREES.split()):
        if _listed(tree, model):
            return _table(tree, model, text, machine, by_release=True)
    raise UsageError(
        f"expected a processor with a table of intel_idle, found {machine}: its states are ACPI's"
    )


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
    digest = hashlib.sha256(repr((tree, cpu.table, rows)).encode()).hexdigest()
    return IdleTable(
        cpu.table,
        tuple(
            IdleState(
                row.name,
                row.exit_latency_us * 1000,
                row.target_residency_us * 1000,
                flags=0,
                note=row.description,
            )
            for row in rows
        ),
        Register.NONE,
        built_in=BuiltIn(
            tuple(map(_state, rows)), cpus=(cpu,), machine=machine, by_release=by_release
        ),
        title=f"intel_idle's table for {cpu.name}, as Linux {tree} has it",
        exported=True,
        origin=Origin("driver", text, digest),
    )


def as_of(table: IdleTable, kernel: Release) -> IdleTable:
    """The table with the figures of a release, if each has its own and this one has the processor;
    else as it is."""
    found = table.built_in
    if found is None or not found.by_release:
        return table
    tree, model = tree_of(kernel), found.cpus[0].model
    if _listed(tree, model) is None:
        return table
    return _table(tree, model, table.origin.file, found.machine, by_release=True)


def _listed(tree: str, model: int) -> MatchedCpu | None:
    cpus = driver_data(tree).cpus
    found = next((cpu for cpu in cpus if (cpu.family, cpu.model) == (6, model)), None)
    return found if found is not None and found.table else None


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
