"""Tests of who may know whom: the order of the rooms, and no two files that import each other."""

import ast
import configparser
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from tests.support import DOCS, ROOT

PACKAGE = "idle_states"
DOORS = {
    "base": "model reading report",
    "tables": "spec skiboot devicetree linux documents sources pipeline identify power prove why "
    "rules show check selection audit diff generate kernels",
    "lab": "statistics fit traces record replay simulation tune",
    "change": "patches boot review",
    "cli": "cli",
}
ROOMS = [room for rooms in DOORS.values() for room in rooms.split()]
"""A room imports itself and those before it. docs/architecture.md says what each is for."""
IMPORT = re.compile(
    r"^[ \t]*(?:from[ ][\w.]+[ ]import[ ](?:\([^)]*\)|[^\n(]*)|import[ ][^\n]*)", re.MULTILINE
)
CLASS = re.compile(r"^class ([^_\W]\w*)", re.MULTILINE)


def modules() -> dict[str, Path]:
    found = {}
    for file in (ROOT / PACKAGE).rglob("*.py"):
        parts = file.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def imports(name: str, file: Path, known: Mapping[str, Path]) -> Iterator[str]:
    """Modules of the package that a file imports, at its top or inside a function."""
    package = name.split(".") if file.name == "__init__.py" else name.split(".")[:-1]
    for statement in IMPORT.findall(file.read_text("utf-8")):
        try:
            (node,) = ast.parse(statement.strip()).body
        except SyntaxError:  # a line of a text
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        if not isinstance(node, ast.ImportFrom):
            continue
        parts = package[: len(package) - node.level + 1] if node.level else []
        target = ".".join([*parts, *([node.module] if node.module else [])])
        for alias in node.names:
            for found in (f"{target}.{alias.name}", target):
                if found in known:
                    yield found
                    break


@cache
def graph() -> dict[str, set[str]]:
    """Without the package's public face, which loads a module when one of its names is used."""
    known = modules()
    del known[PACKAGE]
    return {name: set(imports(name, file, known)) - {name} for name, file in known.items()}


def room(module: str) -> str:
    """The files of base/ itself are counted to its model: both are for all."""
    door, *inner = [*module.split("."), ""][1:]
    if door in ("", "base"):
        return inner[0] if inner and inner[0] in ROOMS else "model"
    return door if door in ("cli", "__main__") else inner[0] or "model"


def circles(name2others: Mapping[str, set[str]]) -> list[list[str]]:
    """Groups of names that reach each other (Tarjan's algorithm)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        order[name] = lowest[name] = len(order)
        stack.append(name)
        for other in name2others.get(name, ()):
            if other not in order:
                visit(other)
                lowest[name] = min(lowest[name], lowest[other])
            elif other in stack:
                lowest[name] = min(lowest[name], order[other])
        if lowest[name] == order[name]:
            circle = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(circle) > 1:
                found.append(sorted(circle))

    for name in name2others:
        if name not in order:
            visit(name)
    return found


def test_the_test_sees_circles_and_imports_inside_functions() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]
    assert circles({"a": {"b", "c"}, "b": {"c"}}) == []
    assert (
        f"{PACKAGE}.base.report.style"
        in graph()[f"{PACKAGE}.cli.cmd_check"] | graph()[f"{PACKAGE}.cli.shown"]
    )


def test_no_two_files_import_each_other() -> None:
    assert circles(graph()) == []


def test_rooms_know_earlier_ones_only() -> None:
    known = graph()
    assert {room(module) for module in known} - {"__main__"} == set(ROOMS)
    later = [
        f"{module} imports {other}"
        for module, others in known.items()
        for other in others
        if room(module) != "__main__" and ROOMS.index(room(other)) > ROOMS.index(room(module))
    ]
    assert later == []


def test_the_package_does_not_use_its_public_face() -> None:
    """But for the version."""
    known = modules()
    users = {
        name
        for name, file in known.items()
        if list(imports(name, file, known)).count(PACKAGE)
        != len(re.findall(r"^from \.+ import __version__$", file.read_text("utf-8"), re.M))
    }
    assert users == set()


def test_c_files_do_not_include_each_other() -> None:
    core = ROOT / PACKAGE / "tables/linux/governors/core"
    name2others = {
        file.name: set(re.findall(r'^#include "(\w+\.[ch])"', file.read_text("utf-8"), re.M))
        for file in [*core.glob("*.c"), *core.glob("*.h")]
    }
    assert circles(name2others) == []


def test_every_room_is_on_the_page() -> None:
    """With its door, and for base/ and its model with each file."""
    page = (DOCS / "architecture.md").read_text("utf-8")
    rows = re.findall(r"^\| `([\w/]+)(?:\.py|/)` \|", page, re.M)
    known = [
        *(f"base/{file.stem}" for file in (ROOT / PACKAGE / "base").glob("[a-z]*.py")),
        *(f"base/model/{file.stem}" for file in (ROOT / PACKAGE / "base/model").glob("[a-z]*.py")),
    ]
    rooms = [f"{door}/{name}" for door in DOORS for name in DOORS[door].split()]
    assert sorted(rows) == sorted({*known, *rooms, "cli"} - {"base/model", "cli/cli"})


def test_the_guide_names_files_that_exist() -> None:
    """But for those that it says to add."""
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    named = {
        path
        for path in re.findall(r"`([\w./-]+(?:/|\.(?:py|c|h|md|json|yaml)))`", page)
        if "NAME" not in path and "power12" not in path
    }
    inner = ("", "base", "base/model", "tables", "tables/linux", "tables/linux/governors", "lab")
    homes = [ROOT, *(ROOT / PACKAGE / each for each in (*inner, "change"))]
    assert len(named) > 20
    assert [path for path in named if not any((home / path).exists() for home in homes)] == []


def test_makers_programs_are_not_installed() -> None:
    assert "tools" not in (ROOT / "setup.cfg").read_text("utf-8").split()
    assert not any(re.search(r"\btools\.", file.read_text("utf-8")) for file in modules().values())


def test_a_class_name_has_one_meaning() -> None:
    """But in documents (NAME_document.py), where a form bears the name of the value it writes."""
    name2modules: dict[str, list[str]] = {}
    for module, file in modules().items():
        if module.endswith("_document"):
            continue
        for name in CLASS.findall(file.read_text("utf-8")):
            name2modules.setdefault(name, []).append(module)
    assert {name: homes for name, homes in name2modules.items() if len(homes) > 1} == {}


def test_every_package_is_listed() -> None:
    """setup.cfg lists packages one by one; a forgotten one would be missing from the wheel. The
    page names each by the last part of its name."""
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg")
    listed = config["options"]["packages"].split()
    name2folder = dict(re.findall(r"^(\S+) = (\S+)$", config["options"]["package_dir"], re.M))
    found = {
        ".".join(file.parent.relative_to(ROOT).parts)
        for file in (ROOT / PACKAGE).rglob("__init__.py")
    }
    assert found <= set(listed)
    folders = [name2folder.get(name, name.replace(".", "/")) for name in listed]
    assert [folder for folder in folders if not (ROOT / folder).is_dir()] == []
    page = (DOCS / "architecture.md").read_text("utf-8")
    parts = (each.rpartition(".")[2] for each in found - {PACKAGE})
    assert [part for part in parts if not re.search(rf"\b{part}/", page)] == []
