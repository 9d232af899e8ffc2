"""Measures works in turn.

A work is a command, or something in this process. Of each, wall and CPU time are taken in several
rounds, in turn (A B C A B C ...) because machines drift. What is to be quoted are ratios to the
peers of the same rounds: times are of the machine at hand.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from .table import Aim, Line

ROOT = Path(__file__).resolve().parent.parent
TOOL = (sys.executable, "-m", "idle_states")
PYTHON = "python -c pass"
"""The peer of whatever has no other: a ratio to it is of this machine no more."""
INPUTS = {
    "DTS": "tree of Linux's sources, or U-Boot's dts/upstream,",
    "FWTS": "program that runs fwts' power_mgmt test on a dtb, as make opal takes,",
    "SKIBOOT": "clone of skiboot",
}


class Times(NamedTuple):
    """Seconds of one round: of the clock on the wall, and of all processors. mb: resident memory of
    the largest process; None of what this process does."""

    wall: float
    cpu: float
    mb: float | None = None


class Missing(Exception):
    """The reason why a work cannot be done here."""

    WHY = "missing"


class Failed(Missing):
    """The output of a command that failed: the run goes on, and ends with an error, too."""

    WHY = "failed"


Run = Sequence[str] | Callable[[], Times] | Missing


@dataclass(frozen=True)
class Work:
    """Something to be measured.

    run     a command's words, what does it and returns its times, or the reason why nothing can
    count   of what it does in one round: decisions, lines, trees
    rounds  at most so many, and none to warm up, where one takes long
    before  is called before each round, and not measured
    note    stands behind each line that it is in
    """

    name: str
    run: Run
    count: int = 1
    rounds: int = sys.maxsize
    before: Callable[[], object] | None = None
    cwd: Path = ROOT
    note: str = ""


def program(name: str, *words: str) -> Run:
    """Returns the words that run a peer, which is beside this Python or among all programs."""
    beside = Path(sys.executable).parent / name
    path = str(beside) if beside.exists() else shutil.which(name)
    return [path, *words] if path else Missing(f"{name} is not installed")


def python(module: str, code: str, *words: str) -> Run:
    """Returns the words that run a peer in Python, of a module that has to be installed."""
    return absent(module) or [sys.executable, "-c", code, *words]


def absent(module: str) -> Missing | None:
    if importlib.util.find_spec(module):
        return None
    return Missing(f"the Python package {module} is not installed: make test installs it")


def named(word: str) -> Path | Missing:
    """Returns what the variable of make names, or that it names nothing."""
    path = os.environ.get(word)
    missing = Missing(f"no {INPUTS[word]} was named: make bench {word}=PATH")
    return Path(path).resolve() if path else missing


def timed(work: Callable[[], object]) -> Times:
    """Times of a call in this process and in what it starts."""

    def cpu() -> float:
        times = os.times()
        return time.process_time() + times.children_user + times.children_system

    begun, wall = cpu(), time.perf_counter()
    work()
    wall = time.perf_counter() - wall
    return Times(wall, cpu() - begun)


_CHILD = """
import resource, subprocess, sys, tempfile, time
with tempfile.TemporaryFile() as out:  # grep stops at its first match if it is /dev/null
    wall = time.perf_counter()
    done = subprocess.run(sys.argv[1:], stdout=out, stderr=subprocess.PIPE)
    wall = time.perf_counter() - wall
    out.seek(0)
    printed = done.stderr or out.read(2000)
if done.returncode not in (0, 1):
    sys.exit(f"{' '.join(sys.argv[1:])[:200]}: {printed.decode(errors='replace')}")
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
"""


def command(words: Sequence[str], cwd: Path = ROOT) -> Times:
    """Times of a command, below a small process, since memory begins with the parent's. Raises
    Failed with what it printed if it failed; an exit status of 1 is findings."""
    child = [sys.executable, "-S", "-c", _CHILD, *words]
    done = subprocess.run(child, cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        raise Failed(" ".join(done.stderr.split())[:300])
    return Times(*map(float, done.stdout.split()))


def once(work: Work) -> Times:
    if work.before is not None:
        work.before()
    if isinstance(work.run, Missing):
        raise work.run
    return work.run() if callable(work.run) else command(work.run, work.cwd)


@dataclass(frozen=True)
class Measured:
    """A work with its times, or the reason why it has none."""

    work: Work
    times: list[Times] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)

    def line(self, peer: "Measured", aim: str) -> Line:
        wanted, missing = Aim.read(aim), [*self.missing, *peer.missing]
        clock = wanted.clock if wanted else "cpu"
        as_much = 1 if peer.work.name == PYTHON else self.work.count / peer.work.count
        why = [f"{each.WHY}: {each}" for each in missing]
        notes = why[:1] or [self.work.note, peer.work.note]
        return Line(
            self.work.name,
            peer.work.name,
            aim,
            self.work.count,
            [getattr(each, clock) for each in self.times],
            [getattr(each, clock) * as_much for each in peer.times],
            max((each.mb for each in self.times if each.mb is not None), default=None),
            "; ".join(filter(None, notes)),
        )


def measure(works: Sequence[Work], runs: int) -> list[Measured]:
    """Returns all works as measured in `runs` rounds, unless a work has fewer, after one to warm
    up."""
    found = [Measured(work) for work in works]
    for number in range(runs + 1):
        for each in found:
            rounds = each.work.rounds
            if each.missing or number > rounds or not (number or rounds >= runs):
                continue
            if sys.stderr.isatty():
                print(f"\r{number}/{runs} {each.work.name:60.60}", end="", file=sys.stderr)
            try:
                seconds = once(each.work)
            except Missing as reason:
                each.missing.append(reason)
            else:
                each.times.extend([seconds] if number else [])
    if sys.stderr.isatty():
        print(f"\r{'':70}\r", end="", file=sys.stderr)
    return found


def beside(works: Sequence[Work], runs: int, aims: Sequence[tuple[str, str, str]]) -> list[Line]:
    """Measures works and returns their lines: of each work those that name it; of a work that
    nothing names one beside Python's start.

    aims: work, peer, aim
    """
    works = [Work(PYTHON, [sys.executable, "-c", "pass"]), *works]
    name2measured = {each.work.name: each for each in measure(works, runs)}
    assert len(name2measured) == len(works), "expected a name for each work"
    peers = {peer for _, peer, _ in aims} | {PYTHON}
    lines: list[Line] = []
    for name, ours in name2measured.items():
        known = [(peer or PYTHON, aim) for work, peer, aim in aims if work == name]
        for peer, aim in known or ([] if name in peers else [(PYTHON, "")]):
            lines.append(ours.line(name2measured[peer], aim))
    return lines
