"""Definitions of macros by place in a C file."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping

from .lexer import UnsupportedC
from .macros import Macro


class Definitions:
    """The macros of a file, each from its #define to its #undef or to the next #define.

    given    the caller's, "NAME" or "NAME(a, b)" -> text
    builtin  likewise; a macro of `given` replaces one of the same name, the file's own replace both
    """

    def __init__(self, given: Mapping[str, str], builtin: Mapping[str, str]) -> None:
        self._outer: dict[str, Macro] = {}
        for head, text in (*builtin.items(), *given.items()):
            try:
                macro = Macro.parsed(f"{head} {text}")
            except UnsupportedC:
                continue
            self._outer[macro.name] = macro
        self._changes: dict[str, list[tuple[int, Macro | None]]] = {}

    def change(self, offset: int, name: str, macro: Macro | None) -> None:
        """Records a #define at `offset`, or an #undef (macro None). Offsets must ascend."""
        self._changes.setdefault(name, []).append((offset, macro))

    def lookup(self, name: str, at: int) -> Macro | None:
        """Returns the macro that a name stands for at an offset; None if it is none there."""
        changes = self._changes.get(name)
        if changes:
            index = bisect_right(changes, at, key=lambda change: change[0])
            if index:
                return changes[index - 1][1]
        return self._outer.get(name)

    def own(self) -> Iterable[Macro]:
        """Returns the macros that the file itself defines, as they are at its end."""
        return [last for changes in self._changes.values() if (last := changes[-1][1])]


class DefinitionsAt:
    """The macros of a file as they are at an offset, for `Expansion`."""

    def __init__(self, definitions: Definitions, at: int) -> None:
        self.definitions = definitions
        self.at = at

    def get(self, name: str, /) -> Macro | None:
        """Returns the macro of the name; None if it is none there."""
        return self.definitions.lookup(name, self.at)
