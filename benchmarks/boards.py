"""audit --tree: the boards of a kernel's sources, with cpp and dtc over the same files beside it.

    python benchmarks/boards.py DIR [--runs 3]     DIR: Linux, or U-Boot's dts/upstream

Both take as many processes as there are CPUs. The ratio to quote is that of processor time, which
other programs on the machine change less than they change the time that passes.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from whole_process import ROOT, TOOL, peak_megabytes

sys.path.insert(0, str(ROOT))

from idle_states.devicetree.boards import Boards
from idle_states.devicetree.source_trees import SourceTree, top_of

Words = Sequence[str | Path]


def commands(directory: Path) -> list[tuple[Words, Words]]:
    """cpp and dtc for each board that may have idle states, as the tree's build calls them."""
    top, layout = top_of(os.path.realpath(directory))
    assert layout is not None, "expected a tree of sources"
    boards, made = Boards(top, layout), []
    cpp, dtc = shutil.which("cpp"), shutil.which("dtc")
    assert cpp is not None, "expected cpp and dtc"
    assert dtc is not None, "expected cpp and dtc"
    for board in filter(boards.has_idle_states, boards.files()):
        with SourceTree.above(top / board) as tree:
            folders = [top / folder for folder in tree.includes]
        searched = [word for folder in folders for word in ("-I", folder)]
        binary = [word for folder in folders for word in ("-i", folder)]
        first = [cpp, "-nostdinc", "-undef", "-D__DTS__", "-x", "assembler-with-cpp", *searched]
        second = [dtc, "-q", "-I", "dts", "-O", "dtb", "-o", os.devnull, *binary, "-"]
        made.append(([*first, top / board], second))
    return made


def built(pair: tuple[Words, Words]) -> None:
    with subprocess.Popen(pair[0], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as cpp:
        subprocess.run(pair[1], stdin=cpp.stdout, stderr=subprocess.DEVNULL, check=False)


def taken(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds of processor time of the processes that were started, and seconds that passed."""
    before, start = os.times(), time.perf_counter()
    work()
    after = os.times()
    used = sum(after[2:4]) - sum(before[2:4])
    return used, time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    os.environ["PYTHONPATH"] = str(ROOT)
    pairs = commands(given.directory)
    audit = [*TOOL, "audit", "--config", "none", "--summary", "--tree", str(given.directory)]

    def everything() -> None:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(built, pairs))

    def audited() -> None:
        subprocess.run(audit, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)

    measures = {"cpp and dtc": everything, "audit --tree": audited}
    samples: dict[str, list[tuple[float, float]]] = {what: [] for what in measures}
    for _ in range(given.runs):
        for what, work in measures.items():
            samples[what].append(taken(work))
    middle = {what: statistics.median(s for s, _ in found) for what, found in samples.items()}
    print(f"{len(pairs)} boards; median of {given.runs}")
    for what, found in samples.items():
        passed = statistics.median(seconds for _, seconds in found)
        print(f"{what:14} {middle[what]:7.1f} s of processor time, {passed:7.1f} s passed")
    print(f"ratio: {middle['audit --tree'] / middle['cpp and dtc']:.2f}")
    print(f"peak memory of a process: {peak_megabytes(audit):.0f} MB")


if __name__ == "__main__":
    main()
