"""Looks for inputs that cost much for their size: python -m tests.fuzz.growth [GRAMMAR ...]

Recipes of a grammar are changed at random, those that cost most are gone on with, and each runs in
a process of its own, whose processor time (its children's, too) and peak of memory count. An input
of up to 64 KiB may cost 10 s and 512 MiB, a larger one more by its size (limits.INPUT_S and the
others, and what a command needs beside its input), up to 1 MiB. The dearest recipe is halved and
doubled, part by part: how its cost grows with its size is the exponent, and one well above 1 is a
fault as well. Exit status 1 if there is one; the input then lies in build/fuzz, as growth-GRAMMAR.
"""

import argparse
import math
import os
import random
import resource
import select
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from idle_states.base.reading import limits
from tests.fuzz.corpus import FOUND
from tests.fuzz.grammars import GRAMMARS
from tests.fuzz.rows import Grammar, Recipe

SMALL_BYTES, LARGE_BYTES = 64 << 10, 1 << 20
CPU_S = 10
BESIDE = 1.25
"""The resources of a command for those of its reader: 10 s for 8, 512 MiB for somewhat less."""
MEMORY_BYTES = 4 << 30
"""The memory of a process: more than any input may take, less than a machine has."""
FLOOR_S = 0.5
"""Below this no exponent is told: what begins a command weighs too much."""
EXPONENT_MAX, EXPONENT_S = 1.4, 5
"""The exponent that is a fault, of an input that costs as much."""
WORST = Path(__file__).parent / "worst.txt"
"""The dearest recipe that was found of each grammar, a line each."""
COUNTS = (4000, 30, 30000, 500, 100, 8, 1)
"""In the order in which rows are tried with them."""
FAILED = 70
"""Exit status of a process whose command raised what it should not."""
KEPT = 12
"""Recipes that are gone on with."""


@dataclass(frozen=True)
class Cost:
    """size: of the input; peak_mib: beyond what its process began with; exit: of the process, less
    than 0 for a signal."""

    size: int
    cpu_s: float
    peak_mib: int
    exit: int

    @property
    def share(self) -> float:
        """Returns the share that an input takes of what one of its size may cost."""
        time_s = limits.in_proportion(
            limits.INPUT_S, limits.INPUT_S_PER_MIB / limits.MIB, self.size
        )
        memory = limits.in_proportion(
            limits.INPUT_MEMORY_BYTES, limits.INPUT_MEMORY_PER_BYTE, self.size
        )
        return max(self.cpu_s / time_s, (self.peak_mib << 20) / memory) / BESIDE

    def __str__(self) -> str:
        per_kib = self.cpu_s / (max(self.size, 1) / 1024)
        return (f"{self.size:>8,} bytes {self.cpu_s:>7.2f} s {per_kib:>9.4f} s/KiB "
                f"{self.peak_mib:>5} MiB")  # fmt: skip


def text_of(recipe: Recipe) -> str:
    return " ".join(f"{name}*{count}" for name, count in recipe)


def recipe_of(text: str) -> Recipe:
    parts = (word.rpartition("*") for word in text.split())
    return tuple((name, int(count)) for name, _, count in parts)


def worst() -> dict[str, Recipe]:
    if not WORST.exists():
        return {}
    lines = (line.split(": ", 1) for line in WORST.read_text().splitlines())
    return {name: recipe_of(recipe) for name, recipe in lines}


def _run(grammar: Grammar, path: Path) -> int:
    if grammar.direct is not None:
        grammar.direct(path)
        return 0
    from idle_states.cli import main

    return main([*grammar.words, str(path)])


@contextmanager
def _silent() -> Iterator[None]:
    kept = os.dup(1), os.dup(2)
    null = os.open(os.devnull, os.O_RDWR)
    try:
        os.dup2(null, 1), os.dup2(null, 2)
        yield
    finally:
        os.dup2(kept[0], 1), os.dup2(kept[1], 2)
        for number in (*kept, null):
            os.close(number)


def cost(grammar: Grammar, data: bytes, cpu_s: float = 2 * CPU_S) -> Cost:
    """Returns the cost of reading an input, until it has cost this much."""
    with tempfile.TemporaryDirectory(prefix="growth-") as directory:
        path = Path(directory, grammar.file)
        path.write_bytes(data)
        before = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
        pid = os.fork()
        if not pid:
            _child(grammar, path, cpu_s)
        with open(os.pidfd_open(pid)) as handle:
            if not select.select([handle], [], [], 30 + 10 * cpu_s)[0]:
                os.killpg(pid, 9)
        _, status, used = os.wait4(pid, 0)
    exit_status = os.waitstatus_to_exitcode(status)
    peak_mib = max(0, (used.ru_maxrss << 10) - before) >> 20
    return Cost(len(data), used.ru_utime + used.ru_stime, peak_mib, exit_status)


def _child(grammar: Grammar, path: Path, cpu_s: float) -> None:
    status = FAILED
    try:
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(cpu_s), math.ceil(cpu_s)))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        os.chdir(path.parent)
        with _silent():
            status = _run(grammar, path)
    finally:
        os._exit(status)


def _changed(recipe: Recipe, grammar: Grammar, chance: random.Random) -> Recipe:
    """One part more, fewer, another, elsewhere, or more or fewer of it."""
    parts = list(recipe)
    names = grammar.names
    at = chance.randrange(len(parts)) if parts else 0
    match chance.choice(
        ["more", "double", "double", "half", "up", "down", "swap", "other", "less"]
    ):
        case "more":
            parts.insert(
                chance.randint(0, len(parts)), (chance.choice(names), chance.choice(COUNTS))
            )
        case "double":
            parts[at] = parts[at][0], parts[at][1] * 2
        case "half":
            parts[at] = parts[at][0], max(1, parts[at][1] // 2)
        case "up":
            parts[at] = parts[at][0], parts[at][1] + chance.randint(1, 9)
        case "down":
            parts[at] = parts[at][0], max(1, parts[at][1] - chance.randint(1, 9))
        case "swap":
            other = chance.randrange(len(parts))
            parts[at], parts[other] = parts[other], parts[at]
        case "other":
            parts[at] = chance.choice(names), parts[at][1]
        case "less" if len(parts) > 1:
            del parts[at]
    return tuple(parts[:6])


def _recipes(
    grammar: Grammar, chance: random.Random, best: list[tuple[float, Recipe]]
) -> Iterator[Recipe]:
    """Each row alone and before each other one, between changes of the best; these without end."""
    alone = [
        (name, count)
        for count in COUNTS
        for name in chance.sample(grammar.names, len(grammar.names))
    ]
    fresh: Iterator[Recipe] = chain(
        ((part,) for part in alone),
        (
            tuple((name, chance.choice(COUNTS)) for name in chance.choices(grammar.names, k=2))
            for _ in range(len(grammar.names) ** 2)
        ),
    )
    while True:
        yield from islice(fresh, 3)
        if best:
            yield _changed(chance.choice(best)[1], grammar, chance)


def search(name: str, seconds: float, chance: random.Random, runs: int) -> tuple[Recipe, Cost, int]:
    """The dearest recipe for its size, what it costs, and how many were tried."""
    grammar = GRAMMARS[name]
    best: list[tuple[float, Recipe]] = []
    known: dict[Recipe, Cost] = {}
    end = time.monotonic() + seconds
    recipes = _recipes(grammar, chance, best)
    recipe = worst().get(name) or next(recipes)
    while len(known) < runs and time.monotonic() < end:
        data = b"" if recipe in known else grammar.make(recipe)
        if 0 < len(data) <= LARGE_BYTES:
            known[recipe] = found = cost(grammar, data)
            best.append((found.share, recipe))
            best.sort(key=lambda pair: -pair[0])
            del best[KEPT:]
            if found.share > 1 or found.cpu_s > 1.5 * CPU_S:
                break
        recipe = next(recipes)
    return best[0][1], known[best[0][1]], len(known)


def exponent(grammar: Grammar, recipe: Recipe, known: Cost) -> tuple[float, Cost]:
    """The steepest growth from half of a part, or of all, or to twice of it; and the dearest."""
    steepest, dearest = 0.0, known
    ways = {frozenset({at}) for at in range(len(recipe))} | {frozenset(range(len(recipe)))}
    for way in ways:
        for times in (0.5, 2):
            changed = tuple(
                (row, int(count * times) or 1) if at in way else (row, count)
                for at, (row, count) in enumerate(recipe)
            )
            data = grammar.make(changed)
            less_bytes, more_bytes = sorted((len(data), known.size))
            if 1.1 * less_bytes < more_bytes and len(data) <= LARGE_BYTES:
                found = cost(grammar, data)
                less, more = sorted((known, found), key=lambda cost: cost.size)
                if FLOOR_S < less.cpu_s < more.cpu_s and more.size > SMALL_BYTES / 2:
                    grown = math.log(more.cpu_s / less.cpu_s) / math.log(more.size / less.size)
                    steepest = max(steepest, grown)
                dearest = max(dearest, found, key=lambda cost: cost.share)
    return steepest, dearest


def wrong(steepest: float, dearest: Cost) -> bool:
    """Tells whether an input is a fault: it ends its process, or costs or grows too much."""
    return (
        dearest.exit < 0
        or dearest.exit == FAILED
        or dearest.share > 1
        or (steepest > EXPONENT_MAX and dearest.cpu_s > EXPONENT_S)
    )


def main() -> int:
    parser = argparse.ArgumentParser("python -m tests.fuzz.growth")
    parser.add_argument(
        "grammars", nargs="*", metavar="GRAMMAR", help="default: all; other readers have none"
    )
    parser.add_argument("--seconds", type=float, default=60, help="for each grammar")
    parser.add_argument("--runs", type=int, default=sys.maxsize, help="inputs for each grammar")
    parser.add_argument("--seed", type=int, default=None, help="default: another one each time")
    parser.add_argument("--kept", action="store_true", help="the dearest of worst.txt alone")
    parser.add_argument("--keep", action="store_true", help="write the dearest into worst.txt")
    chosen = parser.parse_args()
    failed, kept = [], worst()
    for name in [each for each in GRAMMARS if not chosen.grammars or each in chosen.grammars]:
        grammar = GRAMMARS[name]
        warm(grammar)
        runs = 1 if chosen.kept else chosen.runs
        recipe, found, tried = search(name, chosen.seconds, random.Random(chosen.seed), runs)
        steepest, dearest = (0.0, found) if chosen.kept else exponent(grammar, recipe, found)
        faulty = wrong(steepest, dearest)
        print(f"{name:<10} {found} exponent {steepest:4.2f} {tried:>5} inputs "
              f"{'FAILED ' if faulty else ''}{text_of(recipe)}", flush=True)  # fmt: skip
        if dearest is not found:
            print(f"{'':<10} {dearest}", flush=True)
        kept[name] = recipe
        if faulty:
            failed.append(name)
            FOUND.mkdir(parents=True, exist_ok=True)
            (FOUND / f"growth-{name}").write_bytes(grammar.make(recipe))
    if chosen.keep:
        WORST.write_text("".join(f"{name}: {text_of(kept[name])}\n" for name in sorted(kept)))
    if failed:
        print(f"failed: {', '.join(failed)}; see {FOUND}", file=sys.stderr)
    return bool(failed)


def warm(grammar: Grammar) -> None:
    """Imports here what the readers import, so that no other process has to."""
    with tempfile.TemporaryDirectory(prefix="growth-") as directory, _silent():
        path = Path(directory, grammar.file)
        path.write_bytes(grammar.make(()))
        _run(grammar, path)


if __name__ == "__main__":
    sys.exit(main())
