"""The kernel's own utilisation average: kernel/sched/pelt.c, compiled in user space."""

import hashlib
import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .. import Unavailable
from ..debian import linux_source
from .source import OracleError, read

_PELT, _HEADER, _TABLE = (f"kernel/sched/{name}" for name in ("pelt.c", "pelt.h", "sched-pelt.h"))
_SHIM = Path(__file__).parent / "shim" / "pelt.c"
_FLAGS = ("-std=gnu11", "-O2", "-fwrapv")


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
    made_of = "\0".join((*_FLAGS, _SHIM.read_text("utf-8"), extract))
    program = directory / f"pelt-{hashlib.sha256(made_of.encode()).hexdigest()[:16]}"
    if program.exists():
        return program
    with tempfile.TemporaryDirectory(prefix=".new-", dir=directory) as scratch:
        (Path(scratch) / "pelt_extract.h").write_text(extract, encoding="utf-8")
        built = Path(scratch) / "pelt"
        command = ["gcc", *_FLAGS, f"-I{scratch}", "-o", built, _SHIM]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError as error:
            raise Unavailable("gcc is not installed") from error
        if done.returncode:
            raise OracleError(f"{_PELT} does not compile:\n{done.stderr[:4000]}")
        built.rename(program)
    return program
