"""The tables of the skiboot that an input names, from a clone of skiboot."""

import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from idle_states.base.dataclass import replace
from idle_states.base.model.table import IdleTable
from idle_states.base.wording import joined
from idle_states.tables.identify import Claim, compare
from idle_states.tables.skiboot.export import export
from idle_states.tables.skiboot.log import OpalLog
from idle_states.tables.skiboot.platform import ALL_LEVELS
from idle_states.tables.sources import File, read_file
from tools.archives.mirrors import git

_COMMIT = re.compile(r"(?:-g|^skiboot-|^)([0-9a-f]{7,40})(?:-|$)")
_RELEASE = re.compile(r"(?:skiboot-)?v?([0-9]+\.[0-9]+(?:\.[0-9]+)?(?:-rc[0-9]+)?)")
_FILE = "hw/slw.c"


class Build(NamedTuple):
    """A commit, how the page names it, and the release at or before it."""

    commit: str
    shown: str
    release: str


class Skiboot:
    """A clone of skiboot."""

    def __init__(self, clone: Path, scratch: Path) -> None:
        self._clone = clone
        self._scratch = scratch

    def build(self, version: str) -> Build | None:
        """Returns the commit of a version as firmware says it; None if it names none. A commit that
        the clone lacks is taken as the release before it, and the name says so."""
        commit, release = _COMMIT.search(version), _RELEASE.match(version)
        tags = [f"v{release[1]}", f"skiboot-{release[1]}"] if release else []
        for name in [commit[1] if commit else "", *tags]:
            found = self._resolved(name) if name else ""
            if found:
                described = self._text("describe", "--tags", found)
                at = _RELEASE.match(described)
                lacks = f", for {commit[1]}" if commit and not name.startswith(commit[1]) else ""
                return Build(found, f"{described}{lacks}", at[1] if at else "")
        return None

    def tables(self, commit: str) -> Sequence[IdleTable]:
        """Returns the tables of a commit's hw/slw.c."""
        path = self._scratch / commit / "slw.c"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(git(self._clone, "show", f"{commit}:{_FILE}"))
        return [source.table for source in read_file(File.open(path)) if source.table]

    def _resolved(self, name: str) -> str:
        try:
            return self._text("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        except subprocess.CalledProcessError:
            return ""

    def _text(self, *words: str) -> str:
        return git(self._clone, *words).decode().strip()


def of_tree(table: IdleTable, levels: int | None, build: Build, own: Sequence[IdleTable]) -> str:
    """Returns how a tree's states differ from those of the build's own table on its stop levels."""
    platform = replace(ALL_LEVELS, enabled_stop_levels=levels, skiboot=build.release)
    claims = []
    for each in own:
        if table.cpu and each.cpu and each.cpu.generation == table.cpu.generation:
            exported = export(each, platform)
            rows = tuple(each.states[index] for index in exported.indices)
            claims.append(Claim(replace(each, name=_short(each)), rows, rows, exported.lost))
    return _nearest(table, claims)


def of_image(table: IdleTable, own: Sequence[IdleTable]) -> str:
    """Returns how an image's table differs from the nearest of the build's own."""
    return _nearest(table, [Claim(replace(o, name=_short(o)), o.states, o.states) for o in own])


def _nearest(table: IdleTable, claims: Sequence[Claim]) -> str:
    found = [(compare(table, claim), claim.table.name) for claim in claims]
    if not found:
        return "the build has no table for it"
    differences, name = min(found, key=lambda each: len(each[0]))
    texts = []
    for one in differences:
        state = one.wanted.name if one.wanted else table.states[one.index or 0].name
        texts.append(f"{state} {one.text.partition(';')[0]}")
    return f"{name}: " + ("; ".join(texts) or "equal in every value")


def of_log(log: OpalLog, own: Sequence[IdleTable]) -> Iterator[str]:
    """Yields how the states of a log stand in the tables of its build."""
    named = {state.name: "enabled" for state in log.enabled}
    named |= {state.name: "disabled" for state in log.disabled}
    tables = [t for t in own if log.generation in (None, t.cpu and t.cpu.generation)]
    if not named:
        yield "no states named"
        return
    if not tables:
        yield "the build has no table for it"
        return

    def fits(table: IdleTable) -> tuple[int, bool, int]:
        names = {state.name for state in table.states}
        return len(named.keys() & names), not table.firmware.is_special, -len(names)

    table = max(tables, key=fits)
    own_names = [state.name for state in table.states]
    strange = [name for name in named if name not in own_names]
    unnamed = [name for name in own_names if name not in named]
    yield f"{_short(table)}: {len(named) - len(strange)} of {len(own_names)} named"
    if strange:
        yield f"not in the table: {joined(strange)}"
    if unnamed:
        yield f"not named: {joined(unnamed)}"


def _short(table: IdleTable) -> str:
    return table.name.removesuffix("_cpu_idle_states")
