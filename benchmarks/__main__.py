"""One table of all benchmarks: work, ours, peer of the same rounds, ratio, aim, met or not.

make bench       or: python -m benchmarks [NAME ...] [--quick] [--output FILE] [--against FILE]

The run is stored. Against a stored one, what became slower by its ratio is named, and the exit
status is 1; 3 if the file is none, or a command failed. Times are of CPU, unless the aim says wall.
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path

from idle_states import __version__
from idle_states.tables.linux.governors import core

from .measuring import ROOT, Failed, beside
from .table import changes, printed, store, stored

NAMES = "start governors traces tune simulate audit review boards".split()
SELDOM = ["boot"]
"""Downloads kernels and boots them, for minutes: only if named."""
QUICK = 0.1, 3
"""Scale and rounds of --quick."""


def aims() -> list[tuple[str, str, str]]:
    """Returns (work, peer, aim) of each line of aims.tsv."""
    lines = (ROOT / "benchmarks/aims.tsv").read_text().splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return [(work, peer, aim) for work, peer, aim in rows]


def commit() -> str:
    """Returns the commit of the sources, with a + where they were changed since; "unknown" outside
    a repository."""
    words = ["git", "describe", "--always", "--dirty=+", "--exclude=*"]
    try:
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    except OSError:
        return "unknown"
    return done.stdout.strip() or "unknown"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", nargs="*", metavar="NAME", help=f"of {' '.join(NAMES + SELDOM)}")
    parser.add_argument("--runs", type=int, default=7, help="rounds (7); fewer of what takes long")
    parser.add_argument(
        "--quick", action="store_true", help="a tenth of the size, 3 rounds: to try"
    )
    parser.add_argument("--output", type=Path, help="where to store it (build/bench/COMMIT.json)")
    parser.add_argument("--against", type=Path, metavar="FILE", help="a stored run")
    parser.add_argument("--stored", type=Path, metavar="FILE", help="measures nothing: that run")
    given = parser.parse_args()
    if unknown := set(given.name) - {*NAMES, *SELDOM}:
        parser.error(f"no benchmark is named {', '.join(sorted(unknown))}; try --help")
    if given.runs < 1:
        parser.error(f"--runs: at least one round is needed, not {given.runs}")
    try:
        before = stored(given.against) if given.against else None
        about, lines = stored(given.stored) if given.stored else ({}, [])
    except ValueError as error:
        print(error, file=sys.stderr)
        return 3
    if not given.stored:
        scale, runs = QUICK if given.quick else (1.0, given.runs)
        os.environ |= {"LC_ALL": "C", "PYTHONPATH": str(ROOT)}
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # warm means: bytecode is there
        about = {
            "version": __version__,
            "commit": commit(),
            "date": time.strftime("%Y-%m-%d %H:%M"),
            "machine": f"{platform.machine()}, {os.cpu_count()} CPUs",
            "python": platform.python_version(),
            "core": core.instruction_set() or "not compiled",
            "load before": f"{os.getloadavg()[0]:.1f}",
            "scale": scale,
        }
        begun = time.perf_counter()
        for name in given.name or NAMES:
            start = time.perf_counter()
            with tempfile.TemporaryDirectory() as folder:
                works = import_module(f"benchmarks.{name}").works(Path(folder), scale)
                lines += beside(works, runs, aims())
            print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr)
        about["took"] = f"{time.perf_counter() - begun:.0f} s"
        file = given.output or ROOT / f"build/bench/{about['commit']}.json"
        store(file, about, lines)
        print(f"stored: {file}", file=sys.stderr)
    print(", ".join(f"{what} {value}" for what, value in about.items()))
    print(
        f"medians of CPU time, in turn; of elapsed time where the aim says wall\n{printed(lines)}"
    )
    status = 3 if any(line.note.startswith(Failed.WHY) for line in lines) else 0
    if before is None:
        return status
    print(f"\nagainst {given.against}, of {before[0].get('commit')}:")
    found = changes(before[1], lines)
    for what, texts in zip(("slower", "quicker", "not compared"), found, strict=True):
        print(f"{len(texts)} {what}", *texts, sep="\n  ")
    return status or (1 if found[0] else 0)


if __name__ == "__main__":
    raise SystemExit(main())
