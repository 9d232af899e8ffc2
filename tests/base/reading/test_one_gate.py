"""Nothing outside of reading/ launches, and nothing opens or lists but for what is named here."""

import ast
import re
from collections.abc import Callable
from pathlib import Path

import idle_states

TOP = Path(idle_states.__file__).parent
CALLS = {
    "open", "read_bytes", "read_text", "is_file", "is_dir", "exists", "iterdir", "glob", "rglob",
    "scandir", "listdir", "stat", "lstat", "getsize", "isfile", "isdir",
}  # fmt: skip
LAUNCHES = {
    "Popen", "check_output", "check_call", "system", "popen", "startfile", "fork", "forkpty",
    "create_subprocess_exec", "create_subprocess_shell",
    *(f"{kind}{how}" for kind in ("exec", "spawn", "posix_spawn") for how in (
        "", "l", "le", "lp", "lpe", "v", "ve", "vp", "vpe", "p")),
}  # fmt: skip
GATE = {"opening", "tree", "Tree", "File", "_files", "repository"}
"""The modules that may be asked: the gate itself, and what it gives."""

OURS = "files of the package itself"
WRITTEN = "writes, or looks at what it is about to write over"
BOOTED = "what a boot put into its own directories"
REASONS = {
    "base/located.py": OURS,
    "tables/spec/packaged.py": OURS,
    "base/prepared.py": OURS,
    "tables/linux/governors/__init__.py": OURS,
    "tables/rules/catalogue.py": OURS,
    "lab/fit/importing/formats.py": OURS,
    "cli/__init__.py": OURS,
    "base/compiled_core.py": OURS,
    "tables/skiboot/c_table/reader.py": OURS,
    "change/patches/library.py": OURS,
    "base/files.py": WRITTEN,
    "cli/cmd_generate.py": WRITTEN,
    "cli/progress.py": "sizes alone, for a bar",
    "lab/tune/answer.py": "sizes alone, for a bar",
    "tables/check/dtschema_program.py": OURS,
    "tables/check/dtschema_child.py": "a program of its own; its parent looked at what it opens",
    "change/boot/boot.py": BOOTED,
    "change/boot/powernv/build.py": BOOTED,
    "change/boot/debian.py": BOOTED,
    "change/boot/console.py": BOOTED,
    "change/boot/qemu.py": BOOTED,
    "change/boot/powernv/predict.py": BOOTED,
}


MAY_LAUNCH = re.compile(rf"subprocess|pty|\b(?:{'|'.join(LAUNCHES)})\b".encode())
MAY_USE = re.compile(rf"\b(?:walk|stdin|{'|'.join(CALLS)})\b".encode())


def parsed(path: Path, words: re.Pattern[bytes]) -> ast.Module:
    """A module that has one of the words; another takes as long to parse for nothing."""
    text = path.read_bytes()
    return ast.parse(text if words.search(text) else b"")


def launches(path: Path) -> list[str]:
    """Lines that start programs, or import what does."""
    found = []
    for node in ast.walk(parsed(path, MAY_LAUNCH)):
        match node:
            case ast.Import(names) if "subprocess" in {alias.name for alias in names}:
                found.append(f"{node.lineno} subprocess")
            case ast.ImportFrom("subprocess" | "pty"):
                found.append(f"{node.lineno} {node.module}")
            case ast.Call(ast.Attribute(_, name)) if name in LAUNCHES:
                found.append(f"{node.lineno} {name}")
    return found


def uses(path: Path) -> list[str]:
    """Lines that open or list, or read standard input."""
    found = []
    for node in ast.walk(parsed(path, MAY_USE)):
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.stdin":
            found.append(f"{node.lineno} stdin")
        if not isinstance(node, ast.Call):
            continue
        match node.func:
            case ast.Name("open"):
                found.append(f"{node.lineno} open")
            case ast.Attribute(ast.Name("os"), "walk"):
                found.append(f"{node.lineno} walk")
            case ast.Attribute(value, name) if name in CALLS:
                owner = ast.unparse(value).rpartition(".")[2]
                if owner not in GATE:
                    found.append(f"{node.lineno} {name}")
    return found


def outside(of: Callable[[Path], list[str]]) -> dict[str, list[str]]:
    modules = (path for path in TOP.rglob("*.py") if TOP / "base/reading" not in path.parents)
    found = {path.relative_to(TOP).as_posix(): of(path) for path in modules}
    return {name: lines for name, lines in found.items() if lines}


def test_nothing_outside_the_gate_launches() -> None:
    assert outside(launches) == {}


def test_one_module_of_the_gate_launches() -> None:
    found = {path.name for path in (TOP / "base/reading").rglob("*.py") if launches(path)}
    # confined.py is a program of its own that processes.py starts, and becomes another
    assert found == {"processes.py", "confined.py"}


def test_only_the_gate_opens_or_lists() -> None:
    found = outside(uses)
    assert {name: lines for name, lines in found.items() if name not in REASONS} == {}
    assert set(REASONS) - found.keys() == set(), "exceptions that are none any more"


def test_the_check_sees_what_it_looks_for(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(
        "import subprocess\nfrom pathlib import Path\nopen('x')\nPath('x').read_bytes()\n"
        "import os\nos.scandir('.')\nPath('x').is_file()\ntree.is_file('x')\nos.execvp('x', [])\n"
        "import sys\nfor line in sys.stdin: pass\n"
    )
    found = [line.split()[1] for line in uses(path)]
    assert sorted(found) == ["is_file", "open", "read_bytes", "scandir", "stdin"]
    assert [line.split()[1] for line in launches(path)] == ["subprocess", "execvp"]
