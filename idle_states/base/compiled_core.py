"""Tells whether the compiled core is there and of these sources; if not, why, and what to do about
it.

The core is loaded without the packages that it lies in, which --version has no use for.
"""

import os
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from types import ModuleType

from .located import PACKAGE, source_folder

NAME = "idle_states.tables.linux.governors.core._core"
CORE = f"{PACKAGE}/tables/linux/governors/core"
"""The folder of the compiled core."""
NOTE = f"{CORE}/_core.missing"
"""The file that setup.py writes where it could not compile the core: one line, why."""

_PACKAGES = "apt-get install gcc libc6-dev python3-dev"
OTHER_SOURCES = "it was compiled from other sources than these"


def loaded() -> ModuleType:
    """The compiled core. Raises ImportError if it is missing, or was compiled from other sources
    than those beside it: its structs may then be others than `packing` has."""
    if NAME not in sys.modules:
        found = PathFinder.find_spec(NAME, [CORE])
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
            with open(NOTE, encoding="utf-8") as note:
                return note.read().strip()
        except OSError:
            return "it was not compiled when idle-states was installed"
    except ImportError as error:
        return OTHER_SOURCES if error.msg == OTHER_SOURCES else f"it cannot be loaded: {error}"
    return ""


def remedy() -> str:
    """Returns the commands that give the core on this machine, in the words of a shell."""
    again = "make core" if source_folder() else "install idle-states again"
    return f"{_PACKAGES}, then {again}" if sys.platform == "linux" else again


def digest_of_core() -> int:
    """A number for what the core is compiled from, which setup.py compiles into it; 0 where
    the C is not there, as where idle-states was installed without a source tree."""
    from zlib import crc32

    digest = 0
    names = sorted(name for name in os.listdir(CORE) if name.endswith((".c", ".h")))
    for name in [*names, "structs.py"] if names else []:
        with open(f"{CORE}/{name}", "rb") as file:
            digest = crc32(name.encode() + b"\0" + file.read(), digest)
    return digest & 0x7FFF_FFFF  # a long of 32 bits holds it
