"""The packaged specs as they were read when idle-states was built, so that commands need not read
YAML for them (base/prepared.py)."""

import marshal
from collections.abc import Iterable
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

try:
    from _pickle import Unpickler  # pickle itself imports much that only writing needs
except ImportError:
    from pickle import Unpickler

from ...base.prepared import product
from ...base.resources import resource
from .loaded import LoadedSpec, Registry

PRODUCT = "specs"
"""What they are prepared as: the path of each below the specs -> a pickled LoadedSpec; "": the
registry."""


@cache
def spec(file: Path) -> LoadedSpec | None:
    """A packaged spec; None where the file is none or was not compiled as it stands."""
    found: LoadedSpec | None = _held(file.as_posix().removeprefix(_folder()))
    return found


@cache
def registry() -> Registry | None:
    """The packaged specs' registry; None where it was not compiled as they stand."""
    found: Registry | None = _held("")
    return found


def _held(name: str) -> Any:
    data = _compiled().get(name)
    return None if data is None else _Placed(BytesIO(data)).load()


class _Placed(Unpickler):
    """Puts the paths of packaged specs below the folder that they are in now."""

    def persistent_load(self, inside: str) -> str:
        return f"{_folder()}{inside}"


def compiled(specs: Iterable[LoadedSpec], registry: Registry) -> bytes:
    """Returns the product. registry: of the specs."""
    pickled = {next(iter(each.sources)).removeprefix(_folder()): _placed(each) for each in specs}
    return marshal.dumps({"": _placed(registry), **pickled})


def _placed(value: object) -> bytes:
    """Pickled, with the paths of packaged specs for `_Placed` to put in place."""
    from pickle import Pickler

    class Placed(Pickler):
        def persistent_id(self, value: object) -> str | None:
            packaged = isinstance(value, str) and value.startswith(_folder())
            return str(value).removeprefix(_folder()) if packaged else None

    data = BytesIO()
    Placed(data, protocol=5).dump(value)
    return data.getvalue()


@cache
def _folder() -> str:
    return f"{resource('tables', 'specs')}/"


@cache
def _compiled() -> dict[str, bytes]:
    """Returns the product; empty if there is none, or if its dependencies changed."""
    data = product(PRODUCT)
    return {} if data is None else marshal.loads(data)
