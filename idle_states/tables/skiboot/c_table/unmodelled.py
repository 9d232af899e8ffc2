"""The effects of a C source on its tables beside their values, which no model follows."""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache

from ....base.dataclass import replace
from ....base.model.findings import Finding, Severity
from ....base.patterns import pattern
from ....base.reading.c.lexer import UnsupportedC
from ....base.reading.c.preprocess import Preprocessed
from ....base.reading.c.source import CODE, MAX_FINDINGS, RULE_NAME, CSource
from .builtin import preprocess
from .conditions import other_builds, place_of
from .structure import arrays

_CHOICE = pattern(
    r"(?<![\w.>])(?P<what>states|nr_states)\s*+=(?!=)\s*+(?P<value>[^;]{0,200}+);", re.ASCII
)
_ARRAY = pattern(r"\w+_states", re.ASCII)
_SIZE = pattern(
    r"ARRAY_SIZE\s*\(\s*(\w+)\s*\)|sizeof\s*\(?\s*(\w+)\s*\)?\s*/\s*sizeof\b.*", re.DOTALL
)
_WRITE = pattern(
    r"(?:\b(?:states|\w*+(?<=cpu_idle_states))\s*+(?:\)\s*+)?(?:\[[^\]]{0,200}+\]\s*+\.|->)\s*+"
    r"(?P<member>\w++)|[\w\])]\s*+(?:\.|->)\s*+"
    r"(?P<other>latency_ns|residency_ns|pm_ctrl_reg_val|pm_ctrl_reg_mask))"
    r"\s*+(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)",
    re.ASCII,
)


def unmodelled(
    text: str, file: str, defines: Mapping[str, str], tables: Collection[str]
) -> list[Finding]:
    """Findings (IS932) of what the tables of a source are otherwise than read. Warnings: arrays and
    rows that are compiled or not as a build says, rows that code writes into, numbers of rows that
    are not the array's. Errors: arrays that the code takes and that were not read.

    defines  macros of the tree's headers
    tables   names of the arrays that were read, in all files of the tree
    """
    if "cpu_idle_states" not in text and "nr_states" not in text:
        return []
    return [
        replace(found, location=replace(found.location, file=file))
        for found in _found(text, frozenset(defines.items()), frozenset(tables))
    ]


@lru_cache(maxsize=64)
def _found(
    text: str, defines: frozenset[tuple[str, str]], tables: frozenset[str]
) -> tuple[Finding, ...]:
    clean = preprocess(text, dict(defines))
    source = CSource(text, "")
    problems = [
        *((Severity.WARNING, problem) for problem in _of_builds(clean, dict(defines))),
        *((Severity.ERROR, problem) for problem in _unread(clean, tables)),
        *((Severity.WARNING, problem) for problem in _of_code(clean, tables)),
    ]
    return tuple(
        Finding(
            CODE,
            RULE_NAME,
            severity,
            problem.message,
            source.location(problem.start, problem.end, ""),
        )
        for severity, problem in problems[:MAX_FINDINGS]
    )


def _of_builds(clean: Preprocessed, defines: Mapping[str, str]) -> Iterator[UnsupportedC]:
    usual = _texts(clean)
    builds = set()
    try:
        for names, other in other_builds(clean, defines):
            found = _texts(other)
            for name in dict.fromkeys([*usual, *found]):
                here, there = usual.get(name), found.get(name)
                if here == there or name in builds:
                    continue
                builds.add(name)
                at = _difference(clean.code, other.code)
                yield UnsupportedC(
                    f"{name} is another table where {' and '.join(names)} is defined, by the "
                    "build or in a file that was not read: treated as not defined",
                    *place_of(clean, names, at),
                )
    except UnsupportedC as problem:
        yield problem


def _texts(clean: Preprocessed) -> dict[str, str]:
    """Array -> the text that initialises it."""
    return {
        clean.code[array.name.start : array.name.end]: clean.code[
            array.initialiser.start : array.initialiser.end
        ]
        for array in arrays(clean, [])
    }


def _difference(one: str, other: str) -> int:
    """The offset of the first character that differs; both have the same length."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=True)) if a != b), 0)


def _unread(clean: Preprocessed, tables: Collection[str]) -> Iterator[UnsupportedC]:
    for match in _CHOICE.finditer(clean.bare):
        array = match["value"].strip()
        if match["what"] == "states" and _ARRAY.fullmatch(array) and array not in tables:
            message = f"expected the table {array}, which the code takes, found none"
            yield UnsupportedC(message, *match.span("value"))


def _of_code(clean: Preprocessed, tables: Collection[str]) -> Iterator[UnsupportedC]:
    chosen = ""
    for match in _CHOICE.finditer(clean.bare):
        value = " ".join(match["value"].split())
        if match["what"] == "states":
            chosen = value
        elif chosen in tables and value != "0":
            size = _SIZE.fullmatch(value)
            if size is None or (size[1] or size[2]) != chosen:
                message = f"expected ARRAY_SIZE({chosen}) as nr_states, found {value}: read as "
                yield UnsupportedC(f"{message}all of its rows", *match.span("value"))
    for match in _WRITE.finditer(clean.bare):
        member = match["member"] or match["other"]
        message = f"code writes into {member} of a row: the value in its array is used"
        yield UnsupportedC(message, *match.span())
