"""One table of all benchmarks: work, ours, peer in the same run, ratio, aim, met or not.

make bench       or: python -m benchmarks [NAME ...] [--runs 9] [--quick] [--output FILE]
"""

import argparse
import json
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

from .measuring import ROOT, Given, measure
from .table import Row, columns, document, growth, lines

NAMES = "whole_process governors replays simulate audit tune x86 boards mails boot".split()
QUICK = 0.1, 3
"""Scale and runs of --quick."""


def commit() -> str:
    """Returns the commit of the sources, with a + where they were changed since; empty outside a
    repository."""
    words = ["git", "describe", "--always", "--dirty=+", "--exclude=*"]
    try:
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout.strip()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", nargs="*", metavar="NAME", help=f"of {' '.join(NAMES)}")
    parser.add_argument("--runs", type=int, default=9, help="medians of so many (9)")
    parser.add_argument("--quick", action="store_true", help="a tenth of the size, 3 runs: to try")
    parser.add_argument("--output", type=Path, help="the table as JSON, for compare.py")
    parser.add_argument("--dts", type=Path, help="a tree of Linux, or U-Boot's dts/upstream")
    parser.add_argument("--fwts", type=Path, help="a program: fwts' power_mgmt test on a dtb")
    given = parser.parse_args()
    if unknown := set(given.name) - set(NAMES):
        parser.error(f"expected names of {', '.join(NAMES)}; found {', '.join(sorted(unknown))}")
    if given.runs < 1:
        parser.error(f"expected at least one run, found {given.runs}")
    scale, runs = QUICK if given.quick else (1.0, given.runs)
    os.environ |= {"LC_ALL": "C", "PYTHONPATH": str(ROOT)}
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # warm means: bytecode is there
    rows: list[Row] = []
    missing: dict[str, str] = {}
    notes: list[str] = []
    begun = time.perf_counter()
    for name in given.name or NAMES:
        with tempfile.TemporaryDirectory() as folder:
            asked = Given(Path(folder), scale, runs, given.dts, given.fwts, missing, notes)
            start = time.perf_counter()
            rows += measure(import_module(f"benchmarks.{name}").works(asked), runs, missing)
            print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr)
    about = {
        "version": __version__,
        "commit": commit(),
        "machine": f"{platform.machine()}, {os.cpu_count()} CPUs",
        "python": platform.python_version(),
        "core": core.instruction_set() or "not compiled",
        "runs": runs,
        "scale": scale,
    }
    print(", ".join(f"{what} {value}" for what, value in about.items()))
    print(f"medians, in turn; {time.perf_counter() - begun:.0f} s; ratios of CPU time, or as aimed")
    print(f"\n{columns(lines(rows))}\n\n{columns(growth(rows))}")
    print("1x to 100x is CPU time, starting included; the exponent is the slope of its logarithms")
    for peer, why in missing.items():
        print(f"missing: {peer}: {why}")
    for note in notes:
        print(note)
    if given.output:
        found = {**about, **document(rows, missing), "notes": notes}
        given.output.write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
