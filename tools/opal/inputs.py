"""Real inputs of OPAL: files of folders, and every version of a file in the history of a git
repository."""

import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from idle_states.tables.sources import File
from idle_states.tables.sources.formats import format_of
from tools.archives.mirrors import git

KINDS = ("dtb", "dts", "lid", "log")
"""The formats of what is taken."""
_NAME = re.compile(r"[^.]*|.*\.(?:dtb|dts|lid|pnor|bin|log|txt|out)(?:\.[0-9a-z]+)?", re.I)
_OPAL = re.compile(
    rb"ibm,opal|(?:OPAL|SkiBoot) \S+ starting|SLW: |cpuidle-powernv|fastsleep_|stop\d"
)
_MOST_BYTES = 1 << 24


@dataclass(frozen=True, slots=True)
class Input:
    """A file to audit. name: what the page calls it; kind: one of KINDS."""

    name: str
    path: Path
    kind: str


def inputs_in(places: Sequence[Path], scratch: Path) -> Iterator[Input]:
    """Yields the inputs of folders and git repositories, each content once. scratch: a directory
    for the files of repositories."""
    seen: set[str] = set()
    for number, place in enumerate(places):
        files = _of_git(place, scratch / str(number)) if _is_git(place) else _of_folder(place)
        for name, path in files:
            file = File.open(path)
            if file.sha256 in seen or not _OPAL.search(file.data):
                continue
            seen.add(file.sha256)
            kind = format_of(file)
            if kind in KINDS:
                yield Input(name, path, kind)


def _is_git(place: Path) -> bool:
    return (place / "HEAD").is_file() and (place / "objects").is_dir()


def _of_folder(place: Path) -> Iterator[tuple[str, Path]]:
    files = [place] if place.is_file() else sorted(place.rglob("*"))
    for path in files:
        if path.is_file() and _NAME.fullmatch(path.name) and path.stat().st_size <= _MOST_BYTES:
            inner = path.relative_to(place.parent).as_posix()
            yield inner, path


def _of_git(place: Path, scratch: Path) -> Iterator[tuple[str, Path]]:
    """Every version of a file; those that the repository lacks are left out."""
    title = [part for part in place.parts if part not in ("repo", ".git")][-1].replace("+", "/", 1)
    listed = git(place, "rev-list", "--all", "--objects", "--missing=allow-any").decode()
    for line in listed.splitlines():
        name, _, inner = line.partition(" ")
        if not inner or not _NAME.fullmatch(Path(inner).name):
            continue
        try:
            if git(place, "cat-file", "-t", name) != b"blob\n":
                continue
            data = git(place, "cat-file", "blob", name)
        except subprocess.CalledProcessError:
            continue
        if len(data) > _MOST_BYTES or not _OPAL.search(data):
            continue
        path = scratch / name[:12] / Path(inner).name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        yield f"{title}: {inner}, {name[:9]}", path
