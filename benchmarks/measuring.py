"""Measures works in turn.

A work is a command, or something in this process. Of each, wall and CPU time are taken in several
rounds, in turn (A B C A B C ...) because machines drift; figures are medians. What is to be quoted
are ratios to the peers of the same run: times are of the machine at hand.
"""

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from .table import Aim, Row

ROOT = Path(__file__).resolve().parent.parent
TOOL = (sys.executable, "-m", "idle_states")


class Times(NamedTuple):
    """Seconds of one run: of the clock on the wall, and of all processors."""

    wall: float
    cpu: float


class Missing(Exception):
    """The reason why a work cannot be done here."""


@dataclass(frozen=True)
class Work:
    """Something to be measured.

    run      a command's words, or what does it and returns its times
    count    of what it does in one run: decisions, lines, trees
    peers    name of another work -> what is aimed at beside it; "" for an aim without a peer
    series   works of one series do the same at different counts
    ours     whether it is a line of the table, or only the peer of one
    rounds   at most so many, and none to warm up, where one takes long
    before   is called before each run, and not measured
    """

    name: str
    run: Sequence[str] | Callable[[], Times]
    count: int = 1
    peers: Mapping[str, Aim | None] = field(default_factory=dict)
    series: str = ""
    ours: bool = True
    rounds: int = sys.maxsize
    before: Callable[[], object] | None = None
    cwd: Path = ROOT


@dataclass
class Given:
    """The inputs that a benchmark is given, and the notes that it may make.

    folder   for its files
    scale    factor of its sizes
    runs     rounds, beyond one to warm up
    missing  peer -> why there is none
    notes    lines for below the table
    dts, fwts  a tree of device-tree sources; a program that runs fwts' power_mgmt test on a dtb
    """

    folder: Path
    scale: float = 1.0
    runs: int = 9
    dts: Path | None = None
    fwts: Path | None = None
    missing: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def sizes(self, largest: int) -> tuple[int, int, int]:
        """1, 10 and 100 times as much, `largest` the last of them at a scale of 1."""
        least = max(1, round(largest * self.scale / 100))
        return least, 10 * least, 100 * least


def timed(work: Callable[[], object]) -> Times:
    """Times of a call in this process."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    wall = time.perf_counter() - wall
    return Times(wall, time.process_time() - cpu)


def children(work: Callable[[], object]) -> Times:
    """Times of the processes that a call starts."""
    before, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    work()
    wall = time.perf_counter() - wall
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Times(wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def run(command: Sequence[str], cwd: Path = ROOT) -> bytes:
    """Returns what a command prints. Into a file: grep stops at its first match if it is
    /dev/null."""
    with tempfile.TemporaryFile() as out:
        done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, cwd=cwd)
        if done.returncode not in (0, 1):
            raise SystemExit(f"{' '.join(command)[:200]}: {done.stderr.decode(errors='replace')}")
        out.seek(0)
        return out.read()


_PEAK = """
import resource, subprocess, sys
sys.stdout.flush()
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def peak_megabytes(command: Sequence[str], cwd: Path = ROOT) -> float:
    """Resident peak of one run, below a small process, since one starts with its parent's."""
    return int(run([sys.executable, "-c", _PEAK, *command], cwd)) / 1024


def once(work: Work) -> Times:
    if work.before is not None:
        work.before()
    given = work.run
    return given() if callable(given) else children(lambda: run(given, work.cwd))


def measure(works: Sequence[Work], runs: int, missing: dict[str, str]) -> list[Row]:
    """Rows of all works, each of `runs` samples unless it has fewer rounds; a run before them warms
    up, and tells a command's memory. What raises Missing goes there with its reason."""
    peaks: dict[str, float] = {}
    samples: dict[str, list[Times]] = {work.name: [] for work in works}
    assert len(samples) == len(works), "expected a name for each work"
    for number in range(runs + 1):
        for work in works:
            if work.name in missing or number > work.rounds or not (number or work.rounds >= runs):
                continue
            if sys.stderr.isatty():
                print(f"\r{number}/{runs} {work.name:60.60}", end="", file=sys.stderr)
            try:
                if number or callable(work.run):
                    samples[work.name].append(once(work))
                else:
                    if work.before is not None:
                        work.before()
                    peaks[work.name] = peak_megabytes(work.run, work.cwd)
            except Missing as reason:
                missing[work.name] = str(reason)
        if not number:
            samples = {name: [] for name in samples}
    if sys.stderr.isatty():
        print(f"\r{'':70}\r", end="", file=sys.stderr)
    return [
        Row(
            work.name,
            work.count,
            [taken.wall for taken in samples[work.name]],
            [taken.cpu for taken in samples[work.name]],
            work.peers,
            work.series,
            work.ours,
            peaks.get(work.name),
        )
        for work in works
        if work.name not in missing
    ]
