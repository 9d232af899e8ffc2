"""Tells whether the compiled core is there and of these sources; if not, why, and what to do about
it.

The core is loaded without the packages that it lies in, which --version has no use for.
"""

import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from types import ModuleType

from .resources import CORE, digest_of_core, source_tree

NAME = "idle_states.tables.linux.governors.core._core"
NOTE = CORE / "_core.missing"
"""The file that setup.py writes where it could not compile the core: one line, why."""

_PACKAGES = "apt-get install gcc libc6-dev python3-dev"
OTHER_SOURCES = "it was compiled from other sources than these"


def loaded() -> ModuleType:
    """The compiled core. Raises ImportError if it is missing, or was compiled from other sources
    than those beside it: its structs may then be others than `packing` has."""
    if NAME not in sys.modules:
        found = PathFinder.find_spec(NAME, [str(CORE)])
        if found is not None and found.loader is not None:
            made = module_from_spec(found)
            found.loader.exec_module(made)
            sys.modules[NAME] = made
    core = sys.modules.get(NAME)
    if core is None:
        raise ModuleNotFoundError(f"No module named {NAME!r}")
    here = digest_of_core()
    if here and getattr(core, "digest_of_sources", 0) != here:
        raise ImportError(OTHER_SOURCES)
    return core


def why() -> str:
    """Returns the reason why the core is missing: the error when idle-states was installed, or when
    the core is loaded now. "" if it is there."""
    try:
        loaded()
    except ModuleNotFoundError:
        try:
            return NOTE.read_text("utf-8").strip()
        except OSError:
            return "it was not compiled when idle-states was installed"
    except ImportError as error:
        return OTHER_SOURCES if error.msg == OTHER_SOURCES else f"it cannot be loaded: {error}"
    return ""


def remedy() -> str:
    """Returns the commands that give the core on this machine, in the words of a shell."""
    again = "make core" if source_tree() else "install idle-states again"
    return f"{_PACKAGES}, then {again}" if sys.platform == "linux" else again
