"""Regular expressions that are compiled when they are first used.

A module names its patterns where it begins, and a command uses few of them: compiling all took a
tenth of its start.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from typing import Any, AnyStr


def pattern(expression: "AnyStr", flags: int = 0) -> "re.Pattern[AnyStr]":
    """Returns re.compile's pattern under another type, so that functions of `re` reject it."""
    return _Pattern(expression, flags)  # type: ignore[return-value]


class _Pattern:
    def __init__(self, expression: "Any", flags: int) -> None:
        self._given = expression, flags

    def __getattr__(self, name: str) -> "Any":
        """A method or an attribute of the compiled pattern, kept for the next use."""
        if name == "_given":
            raise AttributeError(name)  # of an object that is still being copied
        import re

        found = getattr(re.compile(*self._given), name)
        setattr(self, name, found)
        return found
