"""What a command says before it begins where the compiled core is missing: that it will be slow,
for about how long, and how to get the core."""

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from ..findings import Rejected, UsageError
from .options import say

if TYPE_CHECKING:
    from ..linux.driver_table import DriverTable
    from ..linux.governors.interface import State
    from ..linux.governors.settling import Settling
    from ..linux.releases import Release
    from ..replay.conform import ConformRequest
    from ..replay.request import ReplayRequest
    from ..selection.request import SelectRequest
    from ..selection.selection import Tried
    from ..simulation.request import PreparedSimulation

ENOUGH_S = 0.05
"""A part of the work that takes as long is not tried larger."""
_DECISIONS = 256
_LEAST_BYTES = 1 << 14


class Trial(NamedTuple):
    """Work of which a part can be tried, to tell how long the whole will take.

    part   does a part of this size
    least  the size to begin with
    whole  the size of all
    """

    part: Callable[[int], object]
    least: int
    whole: int

    def estimate(self) -> tuple[float, float]:
        """How long the whole takes, in s, by what the largest of the parts took more than the one
        before; and which share of the whole that part is."""
        self.part(self.least)  # with what is done once: modules imported, tables read
        sizes, times = [], []
        size = self.least
        while True:
            start = perf_counter()
            self.part(size)
            sizes.append(size)
            times.append(perf_counter() - start)
            if times[-1] >= ENOUGH_S or size * 4 > self.whole:
                break
            size *= 4
        if len(sizes) == 1:
            return times[0] * self.whole / size, size / self.whole
        pace = (times[-1] - times[-2]) / (sizes[-1] - sizes[-2])
        whole = max(times[-1], times[-1] + (self.whole - size) * pace)
        return whole, size / self.whole


def note_missing_core(trial: Callable[[], Trial | None] = lambda: None) -> None:
    """Says it on stderr, once per run: by the command, before it begins. trial: gives what to tell
    the time by; without, what a decision takes is said."""
    from .. import core

    if not core.available():
        from ..core import absence

        pace = ""
        # what the command itself is going to complain of
        with suppress(ValueError, OSError, Rejected):
            if (of := trial()) is not None:
                pace = _about(*of.estimate())
        say(
            f"the compiled core is not there ({absence.why()}); the reference does its work, "
            f"{pace or _per_decision()}. To get the core: {absence.remedy()}"
        )


def _about(seconds: float, share: float) -> str:
    """A time in words, to one digit, and the share of the work that it was told by."""
    if seconds < 1:
        return "in less than a second"
    return f"{_long(seconds)}, going by {float(f'{100 * share:.0e}'):g} % of it"


def _long(seconds: float) -> str:
    for unit, longest, name in ((1, 90, "s"), (60, 90, "minutes"), (3600, 36, "hours")):
        if seconds < longest * unit:
            return f"in about {float(f'{seconds / unit:.0e}'):.0f} {name}"
    return f"in about {seconds / 86400:.0f} days"


def _per_decision() -> str:
    """What a decision takes, tried with menu's."""
    from ..linux.governors import Governor, Outcome, Situation, State

    governor = Governor.for_kernel("menu", "6.12", [State(0, 0, True), State(2_000, 20_000)])

    def decide(count: int) -> None:
        for number in range(count):
            decision = governor.select(Situation(2_000_000_000, 10**9, 4_000_000))
            governor.reflect(Outcome(decision.state, residency_ns=1_000 * (number % 97)))

    taken_us = Trial(decide, _DECISIONS, _DECISIONS).estimate()[0] / _DECISIONS * 1e6
    return f"at about {float(f'{taken_us:.0e}'):.0f} us a decision"


def of_replay(request: "ReplayRequest") -> Trial | None:
    """Trial of a replay: of the head of its first input."""
    from ..dataclass import replace
    from ..replay.request import replay

    first, *others = request.inputs
    return _of_head(first, lambda head: replay(replace(request, inputs=(head, *others))))


def of_conform(request: "ConformRequest") -> Trial | None:
    """Trial of a comparison: of the head of the recording."""
    from ..dataclass import replace
    from ..replay.conform import conform_to

    return _of_head(request.vectors, lambda head: conform_to(replace(request, vectors=head)))


def _of_head(file: str, read: Callable[[str], object]) -> Trial | None:
    """Trial of reading a file. None for what is short, no file, or not text: a part of that may not
    be readable."""
    from ..reading import opening

    if not opening.is_file(file) or file.endswith((".gz", ".xz", ".zst", ".bz2")):
        return None
    with opening.open_file(file) as opened:
        size = os.fstat(opened.fileno()).st_size
        if size < 4 * _LEAST_BYTES or b"\0" in opened.read(_LEAST_BYTES):
            return None

    def part(count: int) -> None:
        with TemporaryDirectory() as folder, opening.open_file(file) as opened:
            head = Path(folder) / Path(file).name
            head.write_bytes(opened.read(count).rpartition(b"\n")[0] + b"\n")
            read(os.fspath(head))

    return Trial(part, _LEAST_BYTES, size)


def of_simulation(prepared: "PreparedSimulation") -> Trial:
    """Trial of a simulation: of its first setup, for a shorter time."""
    from ..dataclass import replace
    from ..simulation.simulate import simulate

    setup, seed = prepared.setups[0], prepared.seeds[0]
    whole = setup.duration_ns * prepared.runs * len(prepared.setups)
    return Trial(
        lambda duration_ns: simulate(replace(setup, duration_ns=duration_ns), seed),
        max(1, setup.duration_ns // 4096),
        whole,
    )


def of_selection(request: "SelectRequest") -> Trial | None:
    """Trial of maps: of some lengths of each one under the first kernel. None of a governor for
    which many lengths are run once: how many, only running them tells."""
    from ..dataclass import replace
    from ..pipeline import held_by
    from ..selection.selection import settling_of, tried
    from ..sources import read_table

    behaviours: dict[object, tuple[Settling, Release, DriverTable | list[State]]] = {}
    for table in dict.fromkeys((request.of.table, request.against or request.of.table)):
        of, source = replace(request.of, table=table), read_table(table) if table else None
        for release in request.releases:
            with suppress(UsageError):  # a kernel that registers nothing
                held = held_by(release, of, source=source)
                settling = settling_of(of.governor, release, held, of.hz)
                behaviours.setdefault(settling.behaviour, (settling, release, held))
    if not behaviours:
        return None
    first, release, held = next(iter(behaviours.values()))
    if first.governor.only_compares:
        return None
    mapped = [tried(settling, request.asked) for settling, _, _ in behaviours.values()]

    def part(count: int) -> None:
        settling = settling_of(request.of.governor, release, held, request.of.hz)
        step = max(1, _lengths(mapped[:1]) // count)
        for fixed, lengths in mapped[0]:
            settling.over(lengths[step // 2 :: step], fixed)

    return Trial(part, min(8 * len(mapped[0]), _lengths(mapped[:1])), _lengths(mapped))


def _lengths(mapped: "Iterable[Tried]") -> int:
    return sum(len(lengths) for maps in mapped for _, lengths in maps)
