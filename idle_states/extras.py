"""The optional packages, and what to do about one that is missing.

An extra is a name in brackets, as pip takes it: idle-states[dask].
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from .findings import Location, Unreadable, unreadable

_COMPILED = "; without a wheel for this machine it needs a C compiler and Python.h"

EXTRA2PACKAGES = {
    "c": ("tree_sitter", "tree_sitter_c"),
    "dask": ("distributed",),
    "parquet": ("pyarrow",),
    "plot": ("matplotlib",),
    "prove": ("z3",),
}
"""Extra -> the modules of it that the program imports."""


class MissingPackage(Unreadable):
    """A package of an extra is not installed: exit status 3."""


def package(extra: str, module: str, where: str | Location) -> Any:
    """Imports a module of an extra.

    where  what needs it, as the error names it: a place, or the name of an input or output
    Raises MissingPackage (IS930), which says how to install it.
    """
    top = module.partition(".")[0]
    assert top in EXTRA2PACKAGES[extra], module
    try:
        with _away(module):
            return import_module(module)
    except ModuleNotFoundError:
        found = "none"
    except ImportError as error:
        found = f"one that cannot be loaded ({error})"
    message = f"expected the package {top} ({remedy(extra)}), found {found}"
    raise MissingPackage(unreadable(where, message).findings) from None


@contextmanager
def _away(module: str) -> Iterator[None]:
    """A context manager: the working directory is / while a module is first imported. matplotlib
    evaluates ./matplotlibrc, and z3 loads ./libz3.so before its own library."""
    if module in sys.modules:
        yield
        return
    here = os.open(".", getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.chdir("/")
        try:
            yield
        finally:
            os.fchdir(here)
    finally:
        os.close(here)


def remedy(extra: str) -> str:
    """The command that installs an extra, and what it may need."""
    return f"pip install 'idle-states[{extra}]'{_COMPILED if extra == 'c' else ''}"
