"""The problems of an input that can still be read: counted by kind, first places kept."""

from collections.abc import Callable
from typing import Annotated

from ..dataclass import dataclass
from ..model.findings import Severity

EXAMPLES = 3
"""Places remembered of each kind."""

KINDS: dict[str, tuple[Severity, str]] = {
    "unreadable-line": (Severity.ERROR, "lines that could not be understood, left out"),
    "long-line": (Severity.ERROR, "lines too long for a trace, left out"),
    "truncated-file": (Severity.ERROR, "input that ends before it should"),
    "state-beyond-table": (Severity.ERROR, "entries of states the table does not have"),
    "cpu-without-table": (Severity.ERROR, "CPUs without a table, left out"),
    "counter-exceeds-dumps": (Severity.ERROR, "counters above what the kernel counted itself"),
    "truncated-line": (Severity.WARNING, "last lines that are cut short, left out"),
    "lost-events": (Severity.WARNING, "places where the trace lost events"),
    "broken-by-loss": (Severity.WARNING, "idle periods left out because events were lost"),
    "enter-twice": (Severity.WARNING, "idle entries without an exit, left out"),
    "exit-without-enter": (Severity.WARNING, "idle exits without an entry, left out"),
    "exit-before-enter": (Severity.WARNING, "idle periods that end before they begin, left out"),
    "time-backwards": (Severity.WARNING, "entries earlier than the event before on the same CPU"),
    "clock-restarted": (
        Severity.WARNING,
        "idle periods during which the clock went back, left out",
    ),
    "other-state": (Severity.WARNING, "entries of states the first table does not have"),
    "miss-disagrees": (Severity.WARNING, "idle periods where cpu_idle_miss and the table disagree"),
    "miss-without-period": (Severity.WARNING, "cpu_idle_miss events of no idle period"),
    "starts-idle": (Severity.NOTE, "CPUs idle when the trace began; that period is left out"),
    "ends-idle": (Severity.NOTE, "CPUs idle when the trace ended; that period is left out"),
    "late-cpu": (Severity.NOTE, "CPUs first seen more than a second into the trace"),
    "rejected": (Severity.NOTE, "entries that the driver refused: no idle periods"),
    "default-idle": (
        Severity.NOTE,
        "idle periods without cpuidle (default idle): the governor selects no state",
    ),
    "piece-limit": (Severity.NOTE, "idle periods in too many pieces to follow to their end"),
    "read-as-text": (Severity.NOTE, "traces read as text, which does not show every lost event"),
    "no-newline": (Severity.NOTE, "last lines without a newline, read as complete"),
}
"""Kind -> how bad, and what a count of it counts."""


@dataclass(frozen=True, slots=True)
class Example:
    """A place of a problem."""

    line: Annotated[int | None, "Counted from 1; null where there is none."]
    message: str


@dataclass(frozen=True, slots=True)
class Problem:
    """One kind, how often it occurred, and the first places."""

    kind: str
    count: int
    examples: tuple[Example, ...]

    @property
    def severity(self) -> Severity:
        return KINDS[self.kind][0]

    @property
    def meaning(self) -> str:
        return KINDS[self.kind][1]


class InputProblems:
    """Collects problems in bounded memory."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._examples: dict[str, list[Example]] = {}

    def add(
        self,
        kind: str,
        message: str | Callable[[], str],
        line: Callable[[], int] | int | None = None,
        count: int = 1,
    ) -> None:
        """Counts a problem. message and line may be functions, which are called only if the place
        is kept: a small trace may have millions of problems."""
        self._counts[kind] = self._counts.get(kind, 0) + count
        kept = self._examples.setdefault(kind, [])
        if len(kept) < EXAMPLES:
            kept.append(
                Example(
                    line() if callable(line) else line,
                    message() if callable(message) else message,
                )
            )

    def count(self, kind: str) -> int:
        return self._counts.get(kind, 0)

    def listing(self) -> tuple[Problem, ...]:
        """All kinds that occurred, worst first."""
        return tuple(
            Problem(kind, self._counts[kind], tuple(self._examples[kind]))
            for kind in KINDS
            if kind in self._counts
        )


class Notes:
    """Problems of one chunk, in the order in which they are found; added in that of their lines."""

    def __init__(self) -> None:
        self._noted: list[tuple[int, int, str, str]] = []
        self._more: dict[str, int] = {}

    def add(self, line: int, kind: str, message: str) -> None:
        self._noted.append((line, len(self._noted), kind, message))

    def more(self, kind: str, count: int) -> None:
        """So many others, of which EXAMPLES have been added."""
        self._more[kind] = self._more.get(kind, 0) + count

    def report(self, problems: InputProblems) -> None:
        for line, _, kind, message in sorted(self._noted):
            problems.add(kind, message, line)
        for kind, count in self._more.items():
            if count:
                problems.add(kind, "", count=count)


def quoted(line: bytes, most: int = 60) -> str:
    """The beginning of a line of unknown origin, fit for a message."""
    text = line[:most].decode("ascii", "backslashreplace")
    shown = "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)
    return f"{shown!r}{'...' if len(line) > most else ''}"
