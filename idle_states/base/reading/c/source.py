"""Places in a C file, and what cannot be evaluated there."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property

from ...model.findings import Finding, Location, Severity, Unreadable
from .lexer import UnsupportedC

CODE, RULE_NAME = "IS932", "unsupported-c"
MAX_FINDINGS = 50


class CSource:
    """A C file's text, and the complaints about it.

    text      as it was read
    file      what places and messages call it
    problems  each with the logical path of what it is about
    """

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.problems: list[tuple[UnsupportedC, str]] = []

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def location(self, start: int, end: int, path: str) -> Location:
        """The place of the text between two offsets; of text on several lines, its part on the
        first."""
        line = bisect_right(self._lines, start)
        column = start - self._lines[line - 1] + 1
        shown = self.text[start:end].split("\n", 1)[0].rstrip(" \t\r\\")
        return Location(path, self.file, line, column, max(1, len(shown)))

    def blame(self, problems: Iterable[UnsupportedC], path: str = "") -> None:
        self.problems += [(problem, path) for problem in problems]

    def unreadable(self) -> Unreadable:
        """The exception for all complaints (IS932), in the order of the file, at most
        MAX_FINDINGS."""
        ordered = sorted(self.problems, key=lambda item: (item[0].start, item[0].message))
        return Unreadable(
            [
                Finding(
                    CODE,
                    RULE_NAME,
                    Severity.ERROR,
                    problem.message,
                    self.location(problem.start, problem.end, path),
                    table=path.partition("[")[0],
                )
                for problem, path in ordered[:MAX_FINDINGS]
            ],
            {self.file: self.text},
        )
