"""Progress on standard error: a line on a terminal, nothing elsewhere."""

import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Self

from ..base.report import printer
from ..base.report.tables import terminal_width

if TYPE_CHECKING:
    from ..lab.simulation.answer import PreparedSimulation
    from ..lab.simulation.summary import SimulationSummary


_SURE_S = 1.0
"""From when on a rate is told."""


class _Shown:
    """A line that is written over. Used as a context manager, which clears it."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._written = False
        self._next = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._written:
            printer.progress("")

    def _write(self, text: str) -> None:
        self._written = True
        printer.progress(text)

    def _is_due(self) -> bool:
        """Now and then, where somebody looks."""
        if not self._terminal or (now := time.monotonic()) < self._next:
            return False
        self._next = now + 0.1
        return True


class Count(_Shown):
    """A line with the number of things done, their rate, and the time that the rest will take.

    expected: returns an estimate of how many there will be, None while there is none.
    """

    def __init__(self, what: str, expected: Callable[[], int | None]) -> None:
        super().__init__()
        self._what = what
        self._expected = expected
        self._done = 0
        self._begun = time.monotonic()

    def advance(self) -> None:
        """One more."""
        self._done += 1
        if self._is_due():
            self._write(self._line(time.monotonic() - self._begun))

    def _line(self, elapsed_s: float) -> str:
        count = f"{self._done:,} {self._what}"
        if elapsed_s < _SURE_S:
            return count
        rate, expected = self._done / elapsed_s, self._expected()
        count += f", {rate:,.{int(rate < 10)}f} a second"
        if expected is None:
            return count
        minutes, seconds = divmod(round(max(0, expected - self._done) / rate), 60)
        left = f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
        return f"{count}, about {left} left of about {expected:,}"


class Line(_Shown):
    """A line on a terminal that says what is under way, in words."""

    def __init__(self) -> None:
        super().__init__()
        self._text = ""

    def show(self, text: str) -> None:
        if self._terminal and text != self._text:
            self._text = text
            self._write(text)


class Bar(_Shown):
    """The progress bar of a known number, which may grow."""

    def __init__(self, what: str) -> None:
        super().__init__()
        self._what = what
        self._done = self._total = 0

    def expect(self, count: int) -> None:
        """So many more are to be done."""
        self._total += count

    def advance(self, count: int = 1) -> None:
        """So many more are done."""
        self._done += count
        if self._is_due():
            share = min(1.0, self._done / self._total) if self._total else 0.0
            width = 40 if terminal_width(sys.stderr) >= 80 else 10
            self._write(f"[{'#' * int(width * share):<{width}}] {self._line(share)}")

    def _line(self, share: float) -> str:
        return f"{self._done} of {self._total} {self._what}"


class ReadProgress(Bar):
    """The progress bar of the bytes read from files."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__("bytes")
        self.expect(sum(os.path.getsize(name) for name in names if os.path.isfile(name)))

    def _line(self, share: float) -> str:
        return f"{100 * share:3.0f} %  {self._done >> 20} MiB"


class _Simulated(Bar):
    """The progress bar of simulated time."""

    def _line(self, share: float) -> str:
        return f"{100 * share:3.0f} %  {self._what}"


def simulated(prepared: "PreparedSimulation") -> "list[SimulationSummary]":
    """Runs what is prepared, table after table."""
    from ..lab.simulation.answer import run_simulation

    found = []
    for setup in prepared.setups:
        with _Simulated(setup.name) as shown:
            shown.expect(prepared.runs * setup.duration_ns)
            found.append(run_simulation(prepared, setup, shown.advance))
    return found
