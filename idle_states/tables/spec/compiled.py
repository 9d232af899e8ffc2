"""The packaged specs as they were read when idle-states was built, so that commands need not read
YAML for them.

Prepared for all specs at once (base/prepared.py), they are used only while the digest of each spec
is the same, too.
"""

from collections.abc import Iterable
from functools import cache
from importlib.util import source_hash
from io import BytesIO
from pathlib import Path

try:
    from _pickle import Unpickler, loads  # pickle itself imports much that only writing needs
except ImportError:
    from pickle import Unpickler, loads

from ...base.dataclass import dataclass, replace
from ...base.prepared import content, product
from ...base.resources import resource
from .loaded import LoadedSpec, Registry
from .packaged import named

PRODUCT = "specs"
"""What they are prepared as."""


@dataclass(frozen=True, slots=True)
class _Compiled:
    """The product's content.

    names    of the packaged specs, among which parents are searched
    specs    path below the specs -> a pickled LoadedSpec without its texts, and the files these are
             of with digests
    registry pickled, and the files that it is of with digests
    """

    names: tuple[str, ...]
    specs: dict[str, tuple[bytes, tuple[tuple[str, bytes], ...]]]
    registry: tuple[bytes, tuple[tuple[str, bytes], ...]]


def spec(file: Path) -> LoadedSpec | None:
    """A packaged spec; None where the file is none or was not compiled as it stands."""
    held, inside = _compiled(), file.as_posix().removeprefix(_folder())
    found = held.specs.get(inside) if held else None
    if found is None:
        return None
    pickled, files = found
    texts = {}
    for name, digest in files:
        data = content(f"tables/specs/{name}")
        if source_hash(data) != digest:
            return None
        texts[f"{_folder()}{name}"] = data.decode()
    return replace(_unpickled(pickled), sources=texts)


@cache
def registry() -> Registry | None:
    """The packaged specs' registry; None where it was not compiled as they stand."""
    held = _compiled()
    if held is None:
        return None
    pickled, files = held.registry
    if any(source_hash(content(f"tables/specs/{name}")) != digest for name, digest in files):
        return None
    found: Registry = _Placed(BytesIO(pickled)).load()
    return found


@cache
def _unpickled(data: bytes) -> LoadedSpec:
    loaded: LoadedSpec = _Placed(BytesIO(data)).load()
    return loaded


class _Placed(Unpickler):
    """Puts the paths of packaged specs below the folder that they are in now."""

    def persistent_load(self, inside: str) -> str:
        return f"{_folder()}{inside}"


def compiled(specs: Iterable[LoadedSpec], registry: Registry) -> bytes:
    """Returns the product. registry: of the specs."""
    from pickle import dumps

    specs = list(specs)
    sources = {file: text for each in specs for file, text in each.sources.items()}
    content = _Compiled(
        _names(),
        {_inside(next(iter(each.sources))): _pickled(each) for each in specs},
        (_placed(registry), _digests(sources)),
    )
    return dumps(content, protocol=5)


def _pickled(loaded: LoadedSpec) -> tuple[bytes, tuple[tuple[str, bytes], ...]]:
    return _placed(replace(loaded, sources={})), _digests(loaded.sources)


def _digests(sources: dict[str, str]) -> tuple[tuple[str, bytes], ...]:
    return tuple((_inside(file), source_hash(text.encode())) for file, text in sources.items())


def _placed(value: object) -> bytes:
    """Pickled, with the paths of packaged specs for `_Placed` to put in place."""
    from pickle import Pickler

    class Placed(Pickler):
        def persistent_id(self, value: object) -> str | None:
            packaged = isinstance(value, str) and value.startswith(_folder())
            return _inside(str(value)) if packaged else None

    data = BytesIO()
    Placed(data, protocol=5).dump(value)
    return data.getvalue()


def _inside(file: str) -> str:
    return file.removeprefix(_folder())


@cache
def _folder() -> str:
    return f"{resource('tables', 'specs')}/"


@cache
def _compiled() -> _Compiled | None:
    """Returns the compiled specs; None if there are none, or if their dependencies changed."""
    if (data := product(PRODUCT)) is None:
        return None
    found: _Compiled = loads(data)
    return found if _names() == found.names else None


def _names() -> tuple[str, ...]:
    return tuple(each.name for each in named())
