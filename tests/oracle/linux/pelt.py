"""The kernel's own utilisation average: kernel/sched/pelt.c, compiled in user space."""

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from .. import Unavailable
from ..debian import linux_source
from .source import OracleError, read

_PELT, _HEADER, _TABLE = (f"kernel/sched/{name}" for name in ("pelt.c", "pelt.h", "sched-pelt.h"))
_SHIM = Path(__file__).parent / "shim" / "pelt.c"


def pelt_tree() -> Path:
    """The tree that LINUX names, if it has the scheduler; else that of Debian's 6.1.

    Raises Unavailable if Debian's cannot be had.
    """
    named = os.environ.get("LINUX")
    if named and (Path(named) / _PELT).exists():
        return Path(named)
    return linux_source("6.1", (_PELT, _HEADER, _TABLE))


def averages(
    tree: Path, directory: Path, updates: Sequence[tuple[int, bool]]
) -> list[tuple[int, int]]:
    """util_sum and util_avg after each update of one average, a time in ns and whether it ran.

    directory: a new one, to build in. Raises OracleError, Unavailable without a compiler.
    """
    directory.mkdir(parents=True)
    source, header = read(tree, _PELT), read(tree, _HEADER)
    body = re.search(r"^static u64 decay_load.*?(?=^int __update_load_avg)", source, re.M | re.S)
    divider = re.search(r"^#define PELT_MIN_DIVIDER.*?^\}", header, re.M | re.S)
    if body is None or divider is None:
        raise OracleError(f"{_PELT}: expected decay_load() and get_pelt_divider(), found none")
    (directory / "pelt_extract.h").write_text(
        f"{read(tree, _TABLE)}\n{divider[0]}\n{body[0]}", encoding="utf-8"
    )
    program = directory / "pelt"
    command = ["gcc", "-std=gnu11", "-O2", "-fwrapv", f"-I{directory}", "-o", program, _SHIM]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise Unavailable("gcc is not installed") from error
    if done.returncode:
        raise OracleError(f"{_PELT} does not compile:\n{done.stderr[:4000]}")
    asked = "".join(f"{now_ns} {int(running)}\n" for now_ns, running in updates)
    answer = subprocess.run([program], input=asked, capture_output=True, text=True, check=True)
    pairs = (line.split() for line in answer.stdout.splitlines())
    return [(int(total), int(average)) for total, average in pairs]
