"""The packaged specs as they were read when idle-states was built, so that commands need not read
YAML for them (base/prepared.py)."""

import marshal
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
"""The form in which they are prepared: the path of each below the specs -> a pickled LoadedSpec;
"": the registry."""


@cache
def spec(file: Path) -> LoadedSpec | None:
    """A packaged spec; None where the file is none or was not compiled as it stands."""
    found: LoadedSpec | None = _held(file.as_posix().removeprefix(folder()))
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
        return f"{folder()}{inside}"


@cache
def folder() -> str:
    """Returns what the paths of packaged specs begin with."""
    return f"{resource('tables', 'specs')}/"


@cache
def _compiled() -> dict[str, bytes]:
    """Returns the product; empty if there is none, or if its dependencies changed."""
    data = product(PRODUCT)
    return {} if data is None else marshal.loads(data)
