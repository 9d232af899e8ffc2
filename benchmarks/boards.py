"""audit --tree: the boards of a kernel's sources, with cpp and dtc over the same files beside it.

Both take as many processes as there are CPUs.
"""

import os
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from idle_states.tables.devicetree.boards import Boards
from idle_states.tables.devicetree.source_trees import SourceTree, top_of

from .measuring import TOOL, Missing, Work, named, program, timed

Words = Sequence[str | Path]


def commands(directory: Path, cpp: Words, dtc: Words) -> list[tuple[Words, Words]]:
    """cpp and dtc for each board that may have idle states, as the tree's build calls them."""
    made: list[tuple[Words, Words]] = []
    top, layout = top_of(os.path.realpath(directory))
    assert layout is not None, "expected a tree of sources"
    boards = Boards(top, layout)
    for board in filter(boards.has_idle_states, boards.files()):
        with SourceTree.above(top / board) as tree:
            folders = [top / folder for folder in tree.includes]
        searched = [word for folder in folders for word in ("-I", folder)]
        binary = [word for folder in folders for word in ("-i", folder)]
        made.append(([*cpp, *searched, top / board], [*dtc, *binary, "-"]))
    return made


def built(pair: tuple[Words, Words]) -> None:
    with subprocess.Popen(pair[0], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as cpp:
        subprocess.run(pair[1], stdin=cpp.stdout, stderr=subprocess.DEVNULL, check=False)


def everything(pairs: Sequence[tuple[Words, Words]]) -> None:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(built, pairs))


def works(folder: Path, scale: float) -> list[Work]:
    ours, theirs = "audit --tree, boards", "cpp and dtc"
    cpp = program("cpp", "-nostdinc", "-undef", "-D__DTS__", "-x", "assembler-with-cpp")
    dtc = program("dtc", "-q", "-I", "dts", "-O", "dtb", "-o", os.devnull)
    for needed in (dts := named("DTS"), cpp, dtc):
        if isinstance(needed, Missing):
            return [Work(ours, needed), Work(theirs, needed)]
    assert isinstance(dts, Path)
    assert isinstance(cpp, list)
    assert isinstance(dtc, list)
    words = [*TOOL, "audit", "--config", "none", "--summary", "--tree", str(dts)]
    pairs = commands(dts, cpp, dtc)
    run = partial(timed, partial(everything, pairs))
    return [Work(ours, words, len(pairs), rounds=3), Work(theirs, run, len(pairs), rounds=3)]
