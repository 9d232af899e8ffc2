"""Nothing outside of reading/ opens, lists or launches, but for what is named here."""

import ast
from pathlib import Path

import idle_states

TOP = Path(idle_states.__file__).parent
CALLS = {
    "open", "read_bytes", "read_text", "is_file", "is_dir", "exists", "iterdir", "glob", "rglob",
    "scandir", "listdir", "stat", "lstat", "getsize", "isfile", "isdir", "Popen",
    "check_output",
}  # fmt: skip
GATE = {"opening", "tree", "Tree", "File", "repository"}
"""What may be asked: the gate itself, and what it gives."""

OURS = "files of the package itself"
WRITTEN = "writes, or looks at what it is about to write over"
BOOTED = "what a boot put into its own work directory, and programs of the boot"
REASONS = {
    "resources.py": OURS,
    "spec/packaged.py": OURS,
    "linux/governors/__init__.py": OURS,
    "rules/catalogue.py": OURS,
    "cli/__init__.py": OURS,
    "skiboot/c_table/reader.py": OURS,
    "patches/library.py": OURS,
    "files.py": WRITTEN,
    "cli/cmd_generate.py": WRITTEN,
    "cli/cmd_tune.py": WRITTEN,
    "tune/results.py": "the results of an earlier search, which it goes on writing",
    "cli/progress.py": "sizes alone, for a bar",
    "cli/tune_inputs.py": "sizes alone, for a bar",
    "check/dtschema_program.py": "dt-validate, on blobs it wrote itself into a private directory",
    "patches/tree.py": "looks at which files of the named tree are there, and their modes",
    "boot/boot.py": BOOTED,
    "boot/build.py": BOOTED,
    "boot/debian.py": BOOTED,
    "boot/image.py": BOOTED,
    "boot/parts.py": BOOTED,
    "boot/predict.py": BOOTED,
    "boot/qemu.py": BOOTED,
    "boot/run.py": BOOTED,
}


def uses(path: Path) -> list[str]:
    """Lines that open, list or launch."""
    tree = ast.parse(path.read_bytes())
    found = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = {alias.name for alias in node.names}
            if "subprocess" in names or getattr(node, "module", "") == "subprocess":
                found.append(f"{node.lineno} subprocess")
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


def outside() -> dict[str, list[str]]:
    modules = (path for path in TOP.rglob("*.py") if path.relative_to(TOP).parts[0] != "reading")
    found = {path.relative_to(TOP).as_posix(): uses(path) for path in modules}
    return {name: lines for name, lines in found.items() if lines}


def test_only_the_gate_opens_lists_or_launches() -> None:
    assert {name: lines for name, lines in outside().items() if name not in REASONS} == {}


def test_every_exception_is_still_one() -> None:
    assert set(REASONS) - outside().keys() == set()


def test_the_check_sees_what_it_looks_for(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(
        "import subprocess\nfrom pathlib import Path\nopen('x')\nPath('x').read_bytes()\n"
        "import os\nos.scandir('.')\nPath('x').is_file()\ntree.is_file('x')\n"
    )
    assert [line.split()[1] for line in uses(path)] == [
        "subprocess", "open", "read_bytes", "scandir", "is_file",
    ]  # fmt: skip
