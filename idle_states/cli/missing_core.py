"""The note that a command gives before slow work where the compiled core is missing."""

from .values import say


def note_missing_core() -> None:
    """Prints on stderr that the reference does the work, and how to get the core."""
    from ..tables.linux.governors import core

    if not core.available():
        from ..base import compiled_core

        say(
            f"the compiled core is missing ({compiled_core.why()}); the Python reference is "
            f"used instead and takes much longer. To get the core: {compiled_core.remedy()}"
        )
