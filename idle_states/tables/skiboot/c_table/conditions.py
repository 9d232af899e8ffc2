"""Conditionals on names that only a build gives, with -D: what is compiled is then not known."""

import re
from collections.abc import Iterator, Mapping

from ....base.patterns import pattern
from ....base.reading import limits
from ....base.reading.c.lexer import UnsupportedC
from ....base.reading.c.preprocess import Preprocessed
from .builtin import preprocess

MAX_NAMES = limits.C_CONDITION_NAMES
MAX_CHARACTERS = limits.C_BUILD_CHARACTERS
"""Far beyond any C that people write; a limit on hostile text."""
_CONDITION = pattern(r"^[ \t]*\#[ \t]*(?:el)?if(?:n?def)?\b((?:[^\n\\]|\\\r?\n|\\)*)", re.MULTILINE)
_NAME = pattern(r"\b[A-Za-z_]\w*", re.ASCII)


def other_builds(
    clean: Preprocessed, defines: Mapping[str, str]
) -> Iterator[tuple[list[str], Preprocessed]]:
    """The file as it is compiled with names defined that neither it nor a known header defines:
    each by itself, then all. defines: what `clean` was made with. Raises UnsupportedC."""
    names = _open_names(clean)
    if len(names) * len(clean.text) > MAX_CHARACTERS:
        message = (
            f"expected at most {MAX_CHARACTERS} characters times names that only a build gives"
        )
        raise UnsupportedC(f"{message}, found more", 0, 1)
    chosen = [[name] for name in names]
    for each in (*chosen, names) if len(names) > 1 else chosen:
        yield each, preprocess(clean.text, {**defines, **dict.fromkeys(each, "1")})


def place_of(clean: Preprocessed, names: list[str], at: int) -> tuple[int, int]:
    """Start and end of the last conditional on one of the names before an offset; of the character
    there if there is none."""
    place = at, at + 1
    for match in _CONDITION.finditer(clean.text, 0, at):
        if set(names) & set(_NAME.findall(match[1])):
            place = match.span()
    return place


def _open_names(clean: Preprocessed) -> list[str]:
    """The names in conditions that neither the file nor a known header defines."""
    own = {macro.name for macro in clean.definitions.own()}
    found: dict[str, None] = {}
    for match in _CONDITION.finditer(clean.text):
        for name in _NAME.findall(match[1]):
            known = clean.definitions.lookup(name, match.start()) is not None
            if name != "defined" and name not in own and not known:
                found[name] = None
        if len(found) > MAX_NAMES:
            message = f"expected at most {MAX_NAMES} names in conditionals, found more"
            raise UnsupportedC(message, *match.span())
    return list(found)
