"""The names and files of the packaged specs, without reading them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ..resources import resource


@dataclass(frozen=True, slots=True)
class Revision:
    """A packaged spec. historical: a table as skiboot once had it, named REVISION@COMMIT."""

    name: str
    file: Path
    historical: bool


@lru_cache(maxsize=1)
def revisions() -> tuple[Revision, ...]:
    """Packaged specs in the order of processor generations, historical ones last."""
    found = [
        Revision(file.stem, file, "@" in file.stem)
        for file in resource("specs").iterdir()
        if file.suffix == ".yaml"
    ]
    return tuple(sorted(found, key=lambda r: (r.historical, _generation_key(r.name), r.name)))


def _generation_key(name: str) -> tuple[int, int]:
    if name.startswith("power"):
        digits = "".join(char for char in name[5:7] if char.isdigit())
        return (0, int(digits or 0))
    return (1, 0)


def resolve_name(name: str) -> Revision | None:
    return next((revision for revision in revisions() if revision.name == name), None)


def current() -> Iterator[str]:
    """Names of the revisions that `check` takes when none is named."""
    return (revision.name for revision in revisions() if not revision.historical)
