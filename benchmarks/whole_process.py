"""Whole processes of the tool, from their start, beside Python's own start, dtc and dt-validate."""

import shutil
import sys
from pathlib import Path

from .measuring import ROOT, TOOL, Given, Work, run
from .table import Aim

PYTHON = "python -c pass"
ONE_DTB = "dt-validate, one dtb"
SCHEMA = ("-s", str(ROOT / "schemas"), "-l", "opal-power-mgt")
WITHOUT_CORE = "import sys; sys.modules['idle_states.core._core'] = None\n"
WITHOUT = (
    sys.executable,
    "-c",
    f"{WITHOUT_CORE}from idle_states.cli import main\nsys.exit(main(sys.argv[1:]))",
)
ALL_FORMS = """
from idle_states.cli import main
from idle_states.spec.library import find, revisions
from idle_states.table import Register
for revision in revisions():
    opal = find(revision.name).register is not Register.NONE
    for form in ('c', 'dts', 'dtb', 'md', 'yaml') if opal else ('md', 'yaml'):
        main(['generate', revision.name, '--to', form, '-o', f'{folder}/t.{form}'])
"""
"""What a firmware build would call."""


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
    def ours(
        name: str, *words: str, limit: float | None = None, beside: str = "", cwd: Path = ROOT
    ) -> Work:
        peers: dict[str, Aim | None] = {PYTHON: Aim("ratio", limit) if limit else None}
        peers |= {beside: None} if beside else {}
        return Work(name, [*TOOL, *words], peers=peers, cwd=cwd)

    dtb, dts, copy = (given.folder / name for name in ("power9.dtb", "power9.dts", "cold"))
    for file in (dtb, dts):
        run([*TOOL, "generate", "power9", "--to", file.suffix[1:], "-o", str(file)])
    # where check finds no tables, it takes the packaged ones
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
        ours("--help", "--help", limit=2.5),
        ours("check, one dtb", "check", str(dtb), limit=5, beside=ONE_DTB),
        ours("check, all specs, warm", "check", limit=6, beside=ONE_DTB, cwd=empty),
        Work(
            "check, all specs, cold",
            [sys.executable, "-c", cold],
            peers={PYTHON: Aim("ratio", 12.5)},
            before=lambda: cold_copy(copy),
            cwd=empty,
        ),
        Work(
            "generate, all specs in all forms",
            [sys.executable, "-c", all_forms],
            peers={PYTHON: None},
        ),
        ours("generate, one dtb", *generate, str(given.folder / "y"), beside="dtc, one dts"),
        Work("select", [*TOOL, *select]),
        Work("select, no core", [*WITHOUT, *select], peers={"": Aim("seconds", 3)}, rounds=3),
    ]
    if dtc := program("dtc", given):
        words = [dtc, "-q", "-I", "dts", "-O", "dtb", "-o", str(given.folder / "x"), str(dts)]
        found.append(Work("dtc, one dts", words, ours=False))
    if validate := program("dt-validate", given):
        found.append(Work(ONE_DTB, [validate, *SCHEMA, str(dtb)], ours=False))
    return found
