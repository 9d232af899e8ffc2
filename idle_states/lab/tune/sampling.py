"""A sample of the idle periods, to search over where there are many.

All idle periods, CPU after CPU, are cut into equal parts, and of each part a run of successive
periods is taken, so that each phase of a recording has its share. Where in its part a run begins is
drawn, from the same seed each time, lest the runs keep step with something periodic.

A governor goes from one run into the next with what it remembers of another time. It is first asked
at the 64 periods before a run, which are not counted: menu's eight intervals are replaced after
eight; its correction factors and teo's metrics lose an eighth each time, and after 52 times less
than 1/1000 is left, which is where their integers end. Runs are short, for long ones would be few,
which errs by more where load comes in phases.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from random import Random
from typing import Annotated

from ...base.dataclass import dataclass
from ...base.model.forms import HIDDEN, Count
from ...tables.linux.governors import core
from ...tables.linux.governors.core.packing import PERIOD, SETTLES, Buffer
from .source import CpuGaps

SAMPLE = 500_000
"""Idle periods to search over, unless another number is asked for."""
_LONGEST = 256
_FEWEST = 64
"""A run is shorter if there were fewer runs than this."""
_SETTLING = 64


@dataclass(frozen=True, slots=True)
class IdleSample:
    """The idle periods that tables are tried over, evenly spread runs. cpus: their runs, joined."""

    cpus: Annotated[tuple[CpuGaps, ...], HIDDEN]
    idles: Annotated[Count, "Idle periods in it."]
    of: Annotated[Count, "Idle periods in all."]


def sample(cpus: Sequence[CpuGaps], wanted: int) -> IdleSample | None:
    """Returns a sample of at most `wanted` idle periods, at least 1; None if there are no more."""
    sizes = [len(cpu.periods) // PERIOD.size or len(cpu.rows) // core.ROW.size for cpu in cpus]
    whole = sum(sizes)
    if whole <= wanted:
        return None
    length = max(min(_LONGEST, wanted // _FEWEST), 1)
    runs = [*_runs(whole, wanted // length, length)]
    found, first = [], 0
    for cpu, size in zip(cpus, sizes, strict=True):
        # a run may begin on the CPU before
        here = runs[bisect_right(runs, first - length) : bisect_left(runs, first + size)]
        own = [(max(begin - first, 0), min(begin - first + length, size)) for begin in here]
        if own:
            found.append(_part(cpu, own))
        first += size
    return IdleSample(tuple(found), len(runs) * length, whole)


def _runs(whole: int, count: int, length: int) -> Iterator[int]:
    """Yields where runs begin, ascending."""
    random = Random(whole)
    for number in range(count):
        first, end = number * whole // count, (number + 1) * whole // count
        yield random.randrange(first, end - length + 1)


def _part(cpu: CpuGaps, runs: Sequence[tuple[int, int]]) -> CpuGaps:
    """Joins runs, each after what settles a governor and is not in the run before."""
    parts, done = [], 0
    for begin, end in runs:
        parts.append((max(begin - _SETTLING, done), begin, end))
        done = end
    settles = b"".join(b"\1" * (begin - early) + bytes(end - begin) for early, begin, end in parts)

    def joined(packed: Buffer, size: int) -> bytearray:
        view = memoryview(packed)
        return bytearray().join(view[size * early : size * end] for early, _, end in parts)

    periods, rows = joined(cpu.periods, PERIOD.size), joined(cpu.rows, core.ROW.size)
    if periods:
        periods[SETTLES :: PERIOD.size] = settles
    earlier = cpu.earlier if parts[0][0] == 0 else None
    return CpuGaps(cpu.number, bytes(rows), periods, earlier, settles if rows else b"")
