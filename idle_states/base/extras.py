"""The optional packages, and the command that installs one that is missing.

An extra is a name in brackets, as pip takes it behind a checkout or a wheel: '.[dask]'.
"""

import shlex
import sys
from importlib import import_module
from typing import Any

from .model.findings import Location, Unreadable, unreadable

_NOTES = {
    "dtschema": " (it needs a C compiler and Python.h, for pylibfdt has no wheel; on Debian 14 and "
    "later: apt-get install dt-schema)",
}

EXTRAS = {
    "dask": {"distributed": "distributed>=2024.1"},
    "dtschema": {"dtschema": "dtschema>=2024.11"},
    "parquet": {"pyarrow": "pyarrow>=14"},
}
"""Extra -> its modules, each with the requirement that setup.cfg has for it."""


class MissingPackage(Unreadable):
    """A package of an extra is not installed: exit status 3."""


def package(extra: str, module: str, where: str | Location) -> Any:
    """Imports a module of an extra.

    where  what needs it, as the error names it: a place, or the name of an input or output
    Raises MissingPackage (IS930), which says how to install it.
    """
    top = module.partition(".")[0]
    assert top in EXTRAS[extra], module
    try:
        return import_module(module)
    except ModuleNotFoundError:
        found = "none"
    except ImportError as error:
        found = f"one that cannot be loaded ({error})"
    message = f"expected the package {top}, found {found}; to install it: {remedy(extra)}"
    raise MissingPackage(unreadable(where, message).findings) from None


def remedy(extra: str) -> str:
    """Returns the command that installs an extra for the Python that runs this, however idle-states
    itself was installed, and names what the command may need."""
    words = [sys.executable or "python3", "-m", "pip", "install", *EXTRAS[extra].values()]
    return f"{shlex.join(words)}{_NOTES.get(extra, '')}"
