"""The processors that intel_idle's list names, and what it has for each."""

import re
from collections.abc import Callable, Iterator, Sequence

from ....base.model.beyond_opal import MatchedCpu
from ....base.patterns import pattern
from ....base.reading import limits
from ....base.reading.c.initialiser import Initialised
from ....base.reading.c.lexer import Token, UnsupportedC

ENTRY = pattern(r"\bstruct\s+idle_cpu\s+(\w+)\s*(?:__\w+\s*)?=\s*(?=\{)", re.ASCII)
LIST = pattern(
    r"\bstruct\s+x86_cpu_id\s+(\w+)\s*\[\s*\]\s*(?:__\w+\s*)?=\s*\{([^{};]*(?:\{\s*\}\s*)?)\}",
    re.ASCII,
)
_TABLE = "state_table"
_MACROS = {
    # macro for one processor -> what the headers put before its first argument; the argument
    # stands for the model alone, or with family and vendor
    "X86_MATCH_VFM": ("", True),
    "X86_MATCH_INTEL_FAM6_MODEL": ("INTEL_FAM6_", False),
    "INTEL_CPU_FAM6": ("INTEL_FAM6_", False),
    "ICPU": ("", False),
}
_FAMILY, _VENDOR = 6, 0
"""The vendor and family of macros that give the model alone."""
_PREFIX = pattern(r"^INTEL_(?:FAM6_)?")

Number = Callable[[Sequence[Token], Token, int, bool], int]
"""Evaluates a value. Arguments: its tokens, a token before it for errors, bits, signed."""
Entry = tuple[str, tuple[tuple[str, int], ...]]
"""The table of a struct idle_cpu, and its other members that are not 0."""


def entry(members: Sequence[Initialised], number: Number) -> Entry:
    """Returns what a struct idle_cpu has. number: evaluates its values. Raises UnsupportedC."""
    table, settings = "", []
    for member in members:
        tokens = [token for token in member.value if isinstance(token, Token)]
        if len(member.path) != 1 or not isinstance(member.path[0], str) or member.is_list:
            message = "expected the members of struct idle_cpu by name"
            raise UnsupportedC(message, member.place.start, member.place.end)
        name = member.path[0]
        if name == _TABLE:
            table = tokens[0].text if tokens and tokens[0].kind == "name" else ""
            continue
        words = [token.text for token in tokens]
        value = int(words == ["true"])
        if words not in (["true"], ["false"]):
            value = number(tokens, member.place, 64, False)
        if value:
            settings.append((name, value))
    return table, tuple(settings)


def rows(tokens: Sequence[Token]) -> Iterator[tuple[Token, list[Token], list[Token]]]:
    """Yields (macro, first argument, second argument) for the macros of a list, unexpanded, with
    two arguments each, up to its empty row. Raises UnsupportedC for what is no such macro."""
    index = 0
    for _ in range(limits.C_ROWS):
        if index >= len(tokens) or tokens[index].text == "{":
            return
        macro = tokens[index]
        end = next((at for at in range(index, len(tokens)) if tokens[at].text == ")"), len(tokens))
        inside = list(tokens[index + 2 : end])
        comma = next((at for at, token in enumerate(inside) if token.text == ","), len(inside))
        if macro.text not in _MACROS or not inside[:comma] or not inside[comma + 1 :]:
            known = ", ".join(_MACROS)
            message = f"expected a macro for a processor ({known}), found {macro.text[:40]}"
            raise UnsupportedC(message, macro.start, macro.end)
        yield macro, inside[:comma], inside[comma + 1 :]
        index = end + 2
    raise UnsupportedC(
        f"expected at most {limits.C_ROWS} processors", tokens[0].start, tokens[-1].end
    )


def matched(
    row: tuple[Token, list[Token], list[Token]],
    name2entry: dict[str, Entry],
    value: Callable[[list[Token], Token], int],
) -> MatchedCpu:
    """Returns the processor that a row stands for. value: evaluates its macros. Raises
    UnsupportedC."""
    macro, first, second = row
    prefix, is_whole = _MACROS[macro.text]
    word = first[0]
    named = [word._replace(text=prefix + word.text), *first[1:]] if prefix else first
    found = value(named, macro)
    target = second[-1]
    if target.text not in name2entry:
        message = f"expected a struct idle_cpu of this file, found {target.text[:40]}"
        raise UnsupportedC(message, target.start, target.end)
    vendor, family, model = _VENDOR, _FAMILY, found
    if is_whole:
        vendor, family, model = found >> 16 & 0xFF, found >> 8 & 0xFF, found & 0xFF
    table, settings = name2entry[target.text]
    name = _PREFIX.sub("", named[0].text)
    return MatchedCpu(name, vendor, family, model, target.text, table, settings)
