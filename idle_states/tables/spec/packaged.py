"""The names and files of the packaged specs, without reading them."""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from ...base.dataclass import dataclass
from ...base.resources import resource


@dataclass(frozen=True, slots=True)
class Revision:
    """A packaged spec. historical: a table as skiboot once had it, named REVISION@COMMIT."""

    name: str
    file: Path
    historical: bool


@lru_cache(maxsize=1)
def revisions() -> tuple[Revision, ...]:
    """Packaged tables of firmware in the order of processor generations, historical ones last."""
    found = _specs(resource("tables", "specs"))
    return tuple(sorted(found, key=lambda r: (r.historical, _generation_key(r.name), r.name)))


@lru_cache(maxsize=1)
def machines() -> tuple[Revision, ...]:
    """Packaged specs of Arm and RISC-V machines: examples, to be named or extended. They are no
    tables of firmware, which those of `revisions` stand for where nothing is named."""
    return tuple(sorted(_specs(resource("tables", "specs", "trees")), key=lambda r: r.name))


def named() -> tuple[Revision, ...]:
    """All that a TABLE may be named by."""
    return (*revisions(), *machines())


def _specs(folder: Path) -> list[Revision]:
    return [
        Revision(file.stem, file, "@" in file.stem)
        for file in folder.iterdir()
        if file.suffix == ".yaml"
    ]


def _generation_key(name: str) -> tuple[int, int]:
    if name.startswith("power"):
        digits = "".join(char for char in name[5:7] if char.isdigit())
        return (0, int(digits or 0))
    return (1, 0)


def resolve_table(name: str) -> Revision | None:
    """The table of firmware of that name."""
    return next((revision for revision in revisions() if revision.name == name), None)


def resolve_name(name: str) -> Revision | None:
    """The table or machine of that name."""
    return next((revision for revision in named() if revision.name == name), None)


def current() -> Iterator[str]:
    """Names of the revisions that `check` takes when none is named."""
    return (revision.name for revision in revisions() if not revision.historical)
