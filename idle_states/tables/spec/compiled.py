"""The packaged specs as they were read when idle-states was built, so that commands need not read
YAML for them (base/prepared.py)."""

import marshal
from functools import cache
from pathlib import Path
from typing import Any

from ...base.located import specs_folder
from ...base.prepared import product, unpickled
from .loaded import LoadedSpec, Registry

PRODUCT = "specs"
"""The form in which they are prepared: the path of each below the specs -> a pickled LoadedSpec;
"": the registry."""


@cache
def spec(file: Path) -> LoadedSpec | None:
    """A packaged spec; None where the file is none or was not compiled as it stands."""
    found: LoadedSpec | None = _held(file.as_posix().removeprefix(specs_folder()))
    return found


@cache
def registry() -> Registry | None:
    """The packaged specs' registry; None where it was not compiled as they stand."""
    found: Registry | None = _held("")
    return found


def _held(name: str) -> Any:
    data = _compiled().get(name)
    return None if data is None else unpickled(data)


@cache
def _compiled() -> dict[str, bytes]:
    """Returns the product; empty if there is none, or if its dependencies changed."""
    data = product(PRODUCT)
    return {} if data is None else marshal.loads(data)
