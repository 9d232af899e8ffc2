"""Regular expressions that are compiled when they are first used.

A module names its patterns where it begins, and a command uses few of them: compiling all took a
tenth of its start. Their code is prepared, which is read in a fortieth of that time.
"""

import _sre  # type: ignore[import-not-found]
import marshal
from functools import cache

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
        expression, flags = self._given
        if (code := _prepared().get((expression, int(flags)))) is not None:
            compiled = _sre.compile(expression, *marshal.loads(code))
        else:
            import re

            compiled = re.compile(expression, flags)
        found = getattr(compiled, name)
        setattr(self, name, found)
        return found


PREPARED = f"patterns {_sre.MAGIC}"


@cache
def _prepared() -> "dict[tuple[Any, int], bytes]":
    """Returns (expression, flags) -> what `_sre.compile` takes behind the expression."""
    from .prepared import product

    return marshal.loads(product(PREPARED) or marshal.dumps({}))  # type: ignore[no-any-return]
