"""Whole processes of the tool, from their start, in an empty folder; without bytecode, as a first
run has none; without the compiled core; with dtc and dt-validate beside them."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from .measuring import ROOT, TOOL, Work, program

SCHEMA = ("-s", str(ROOT / "schemas"), "-l", "opal-power-mgt")
WITHOUT = (
    sys.executable,
    "-c",
    "import sys; sys.modules['idle_states.tables.linux.governors.core._core'] = None\n"
    "from idle_states.cli import main\nsys.exit(main(sys.argv[1:]))",
)


def cold_copy(copy: Path) -> None:
    """The package without compiled bytecode, as a first run finds it."""
    shutil.rmtree(copy, ignore_errors=True)
    for part in ("idle_states", "templates", "schemas", "skiboot-patches", "linux-patches"):
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / part, copy / part, ignore=ignore)


def works(folder: Path, scale: float) -> list[Work]:
    dtb, dts, copy, empty = (folder / name for name in ("p9.dtb", "p9.dts", "cold", "empty"))
    for file in (dtb, dts):
        words = ("generate", "power9", "--to", file.suffix[1:], "-o", str(file))
        subprocess.run([*TOOL, *words], check=True)
    empty.mkdir()
    cold = (
        "import sys; sys.dont_write_bytecode = False\n"
        f"sys.path.insert(0, {str(copy)!r})\nsys.argv = ['idle-states', 'check']\n"
        "from idle_states.__main__ import run\nsys.exit(run())"
    )
    every = ("select", "power9", "--governor", "menu", "--kernel")

    def start(name: str, *words: str, by: Sequence[str] = TOOL, rounds: int = sys.maxsize) -> Work:
        return Work(name, [*by, *(words or name.split())], rounds=rounds, cwd=empty)

    compiled = program("dtc", "-q", "-I", "dts", "-O", "dtb", "-o", str(folder / "x"), str(dts))
    return [
        start("--help"),
        start("--version"),
        start("--completion bash"),
        start("show power9"),
        start("check, one dtb", "check", str(dtb)),
        start("check, all specs", "check"),
        Work(
            "check, all specs, cold",
            [sys.executable, "-c", cold],
            before=partial(cold_copy, copy),
            cwd=empty,
        ),
        start("select, menu", *every, "6.12"),
        start("select, menu, no core", *every, "6.12", by=WITHOUT, rounds=3),
        start("select --kernel all", *every, "all"),
        start("kernels"),
        start("kernels --table power9"),
        start("generate, one dtb", "generate", "power9", "--to", "dtb", "-o", str(folder / "y")),
        Work("dtc, one dts", compiled),
        Work("dt-validate, one dtb", program("dt-validate", *SCHEMA, str(dtb))),
    ]
