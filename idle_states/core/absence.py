"""Why the compiled core is not there, and what to do about it."""

import sys
from importlib import import_module
from pathlib import Path

from ..resources import source_tree

NOTE = Path(__file__).with_name("_core.missing")
"""What setup.py writes where it could not compile the core: one line, why."""

_PACKAGES = "apt-get install gcc libc6-dev python3-dev"


def why() -> str:
    """Why the core is missing: what went wrong when idle-states was installed, or when the core is
    loaded now. "" if it is there."""
    try:
        import_module(f"{__package__}._core")
    except ModuleNotFoundError:
        try:
            return NOTE.read_text("utf-8").strip()
        except OSError:
            return "it was not compiled when idle-states was installed"
    except ImportError as error:
        return f"it cannot be loaded: {error}"
    return ""


def remedy() -> str:
    """What gives the core on this machine, in the words of a shell."""
    again = "make core" if source_tree() else "install idle-states again"
    return f"{_PACKAGES}, then {again}" if sys.platform == "linux" else again
