"""The packaged specs, and loading of any spec file with its ancestors."""

from collections import abc
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from ...base.model.findings import Faulty, Rejected
from ...base.model.table import IdleTable
from . import compiled
from .loaded import LoadedSpec
from .packaged import Revision, machines, resolve_table, revisions

if TYPE_CHECKING:
    from ...base.model.idle_tree import IdleTree


@cache
def find(name: str) -> IdleTable:
    """A packaged table of firmware by name. Raises KeyError if there is no such spec, Unreadable if
    it cannot be parsed, Faulty if it has errors."""
    revision = resolve_table(name)
    if revision is None:
        raise KeyError(name)
    loaded = load(revision.file)
    if loaded.table is None:
        raise Faulty(loaded.findings, loaded.sources)
    return loaded.table


def packaged(wanted: Callable[[Revision], bool] = lambda _: True) -> Iterator[IdleTable]:
    """Yields the packaged tables for which `wanted` is true, in the order of `revisions`. Tables
    whose spec has errors are left out: `list` and `check` report these."""
    for revision in revisions():
        if wanted(revision):
            try:
                yield find(revision.name)
            except Rejected:
                continue


def is_main(table: IdleTable) -> bool:
    """False for tables of simulators, fused cores and dropped revisions, and declared copies."""
    home = table.firmware
    supported = table.cpu is not None and table.cpu.supported
    return supported and not (home.quirk or home.fused_core or home.copy_of)


def find_machine(name: str) -> "IdleTree":
    """A packaged machine by name. Raises as `find` does."""
    revision = next((each for each in machines() if each.name == name), None)
    if revision is None:
        raise KeyError(name)
    loaded = load(revision.file)
    if loaded.machine is None:
        raise Faulty(loaded.findings, loaded.sources)
    return loaded.machine


def load(
    file: Path, shown_as: str | None = None, data: bytes | None = None, top: Path | None = None
) -> LoadedSpec:
    """Loads a spec with its ancestors.

    shown_as  how messages name the file; None: by its path
    data      what the file holds, where it has been read
    top       the directory below which its ancestors must lie; None: see `_beside`
    Raises Unreadable (exit 3) if the file or an ancestor cannot be parsed, OSError if it
    cannot be read. All other problems are findings.
    """
    if shown_as is None and data is None and top is None and (held := compiled.spec(file)):
        return held
    from . import loading  # YAML's parser is slow to import

    return loading.Loading({}, top).load(file, shown_as or file.as_posix(), data)


def load_held(path: str, contents: abc.Mapping[str, bytes]) -> LoadedSpec:
    """Like `load`, for a spec that is not on disk, such as one of a git commit.

    contents  path -> bytes of the spec and of all specs among which parents are searched
    """
    from . import loading

    return loading.Loading(contents).load(PurePath(path), path)
