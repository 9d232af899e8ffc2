"""Whole processes of the tool, from their start, beside Python's own start, dtc and dt-validate."""

import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from .measuring import ROOT, TOOL, Given, Work, run
from .table import Aim

PYTHON = "python -c pass"
PYTHON_TOOK = 0.02
"""Seconds, on the machine whose times the aims of a start were set by."""
ONE_DTB = "dt-validate, one dtb"
SCHEMA = ("-s", str(ROOT / "schemas"), "-l", "opal-power-mgt")
WITHOUT_CORE = "import sys; sys.modules['idle_states.tables.linux.governors.core._core'] = None\n"
WITHOUT = (
    sys.executable,
    "-c",
    f"{WITHOUT_CORE}from idle_states.cli import main\nsys.exit(main(sys.argv[1:]))",
)
ALL_FORMS = """
from idle_states.cli import main
from idle_states.tables.spec.library import find, revisions
from idle_states.base.model.table import Register
for revision in revisions():
    opal = find(revision.name).register is not Register.NONE
    for form in ('c', 'dts', 'dtb', 'md', 'yaml') if opal else ('md', 'yaml'):
        main(['generate', revision.name, '--to', form, '-o', f'{folder}/t.{form}'])
"""
"""The commands that a firmware build would call."""


def program(name: str, given: Given) -> str | None:
    """A peer's path, beside this Python or among all programs; else what is missing is kept."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        given.missing[name] = "not installed"
    return found


def cold_copy(copy: Path) -> None:
    """The package without compiled bytecode, as a first run finds it."""
    shutil.rmtree(copy, ignore_errors=True)
    for part in ("idle_states", "templates", "schemas", "skiboot-patches", "linux-patches"):
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / part, copy / part, ignore=ignore)


def works(given: Given) -> list[Work]:
    def start(name: str, words: Sequence[str], seconds: float, beside: str = "") -> Work:
        """In an empty folder, where check takes the packaged tables."""
        aims = {"": Aim("seconds", seconds, "wall"), PYTHON: Aim("ratio", seconds / PYTHON_TOOK)}
        return Work(name, words, peers=aims | ({beside: None} if beside else {}), cwd=empty)

    dtb, dts, copy = (given.folder / name for name in ("power9.dtb", "power9.dts", "cold"))
    for file in (dtb, dts):
        run([*TOOL, "generate", "power9", "--to", file.suffix[1:], "-o", str(file)])
    empty = given.folder / "empty"
    empty.mkdir(exist_ok=True)
    cold = (
        "import sys; sys.dont_write_bytecode = False\n"
        f"sys.path.insert(0, {str(copy)!r})\nsys.argv = ['idle-states', 'check']\n"
        "from idle_states.__main__ import run\nsys.exit(run())"
    )
    all_forms = f"folder = {str(given.folder)!r}{ALL_FORMS}"
    generate = ("generate", "power9", "--to", "dtb", "-o")
    select = ("select", "power9", "--governor", "menu", "--kernel", "6.12")
    found = [
        Work(PYTHON, [sys.executable, "-c", "pass"], ours=False),
        start("--help", [*TOOL, "--help"], 0.044),
        start("--version", [*TOOL, "--version"], 0.044),
        start("--completion bash", [*TOOL, "--completion", "bash"], 0.05),
        start("show", [*TOOL, "show", "power9"], 0.1),
        start("kernels", [*TOOL, "kernels"], 0.2),
        start("check, one dtb", [*TOOL, "check", str(dtb)], 0.1, ONE_DTB),
        start("check, all specs, warm", [*TOOL, "check"], 0.12, ONE_DTB),
        replace(
            start("check, all specs, cold", [sys.executable, "-c", cold], 0.25),
            before=lambda: cold_copy(copy),
        ),
        Work(
            "generate, all specs in all forms",
            [sys.executable, "-c", all_forms],
            peers={PYTHON: None},
        ),
        Work(
            "generate, one dtb",
            [*TOOL, *generate, str(given.folder / "y")],
            peers={PYTHON: None, "dtc, one dts": None},
        ),
        start("select", [*TOOL, *select], 0.14),
        Work("kernels --table", [*TOOL, "kernels", "--table", "power9"], peers={PYTHON: None}),
        Work("select, no core", [*WITHOUT, *select], peers={"": Aim("seconds", 3)}, rounds=3),
    ]
    if dtc := program("dtc", given):
        words = [dtc, "-q", "-I", "dts", "-O", "dtb", "-o", str(given.folder / "x"), str(dts)]
        found.append(Work("dtc, one dts", words, ours=False))
    if validate := program("dt-validate", given):
        found.append(Work(ONE_DTB, [validate, *SCHEMA, str(dtb)], ours=False))
    return found
