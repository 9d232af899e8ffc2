"""The kernel's own utilisation average: kernel/sched/pelt.c, compiled in user space."""

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ..compiling import digest, gcc, made, write_all
from ..debian import linux_source
from .source import OracleError, read

_PELT, _HEADER, _TABLE = (f"kernel/sched/{name}" for name in ("pelt.c", "pelt.h", "sched-pelt.h"))
_SHIM = Path(__file__).parent / "shim" / "pelt.c"
_FLAGS = ("-O2", "-fwrapv")


def pelt_tree() -> Path:
    """The tree that LINUX names, if it has the scheduler; else that of Debian's 6.1.

    Raises Unavailable if Debian's cannot be had.
    """
    named = os.environ.get("LINUX")
    if named and (Path(named) / _PELT).exists():
        return Path(named)
    return linux_source("6.1")


def averages(
    tree: Path, directory: Path, updates: Sequence[tuple[int, bool]]
) -> list[tuple[int, int]]:
    """util_sum and util_avg after each update of one average, a time in ns and whether it ran.

    directory: where the program is kept. Raises OracleError, Unavailable without a compiler.
    """
    asked = "".join(f"{now_ns} {int(running)}\n" for now_ns, running in updates)
    words = [_program(tree, directory)]
    answer = subprocess.run(words, input=asked, capture_output=True, text=True, check=True)
    pairs = (line.split() for line in answer.stdout.splitlines())
    return [(int(total), int(average)) for total, average in pairs]


def _program(tree: Path, directory: Path) -> Path:
    """Compiles it into `directory` unless it is there already."""
    source, header = read(tree, _PELT), read(tree, _HEADER)
    body = re.search(r"^static u64 decay_load.*?(?=^int __update_load_avg)", source, re.M | re.S)
    divider = re.search(r"^#define PELT_MIN_DIVIDER.*?^\}", header, re.M | re.S)
    if body is None or divider is None:
        raise OracleError(f"{_PELT}: expected decay_load() and get_pelt_divider(), found none")
    extract = f"{read(tree, _TABLE)}\n{divider[0]}\n{body[0]}"

    def build(scratch: Path) -> Path:
        write_all(scratch, {"pelt_extract.h": extract})
        gcc(*_FLAGS, f"-I{scratch}", "-o", scratch / "pelt", _SHIM)
        return scratch / "pelt"

    return made(directory / f"pelt-{digest([*_FLAGS, _SHIM.read_text('utf-8'), extract])}", build)
