"""Whose each file is, on which terms, and where the test data come from."""

import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from configparser import ConfigParser
from fnmatch import fnmatch
from pathlib import Path

import pytest

from idle_states import __version__
from tests.support import DATA, ROOT

LICENSES = ROOT / "LICENSES"
WORD = re.compile(r"[A-Za-z0-9.-]+")
Annotation = dict[str, str]


def annotations() -> list[Annotation]:
    found: list[Annotation] = tomllib.loads((ROOT / "REUSE.toml").read_text("utf-8"))["annotations"]
    return found


def identifiers(expression: str) -> set[str]:
    return {*WORD.findall(expression)} - {"AND", "OR"}


def test_every_file_has_a_holder_and_a_licence() -> None:
    """The first annotation is of all files; each other one is of some that are there."""
    first, *others = annotations()
    assert first["path"] == "**"
    files = [path.relative_to(ROOT).as_posix() for path in (DATA / "traces").iterdir()]
    files += [path.relative_to(ROOT).as_posix() for path in (ROOT / "schemas").rglob("*")]
    files += [path.relative_to(ROOT).as_posix() for path in (DATA / "schemas").iterdir()]
    for each in others:
        assert any(fnmatch(file, each["path"]) for file in files), each
    assert all(each["SPDX-FileCopyrightText"] for each in annotations())


def test_every_text_of_a_licence_is_there_and_none_for_nothing() -> None:
    used = {name for each in annotations() for name in identifiers(each["SPDX-License-Identifier"])}
    assert {path.stem for path in LICENSES.iterdir()} == used
    assert (LICENSES / "Apache-2.0.txt").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_packages_have_the_licences_of_what_they_hold() -> None:
    config = ConfigParser()
    config.read(ROOT / "setup.cfg", "utf-8")
    (binding,) = (e for e in annotations() if e["path"].startswith("schemas/"))
    expression = f"Apache-2.0 AND ({binding['SPDX-License-Identifier']})"
    assert config["metadata"]["license_expression"] == expression
    texts = {f"LICENSES/{name}.txt" for name in identifiers(expression) - {"Apache-2.0"}}
    listed = config["metadata"]["license_files"].splitlines()
    assert {line for line in listed if line[:1] not in ("", "#")} == {"LICENSE", *texts}


@pytest.mark.slow
def test_reuse_has_nothing_to_object() -> None:
    if shutil.which("reuse") is None or not (ROOT / ".git").exists():
        pytest.skip("reuse is not installed (Debian package reuse), or this is no clone")
    done = subprocess.run(["reuse", "lint"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def origins() -> Iterator[str]:
    """Patterns of paths below tests/data whose origin the README names."""
    for line in (DATA / "README.md").read_text("utf-8").splitlines():
        if line.startswith("| `"):
            first = ""
            for name in re.findall(r"`([^`]+)`", line.split("|")[1]):
                # `a.trace.dat`, `.sysfs.txt`: the second is of the first's stem
                first = first or name.partition(".")[0]
                yield f"{first}{name}" if name.startswith(".") and name[1] != "." else name


def test_every_test_datum_has_an_origin() -> None:
    patterns = [*origins()]
    files = [path.relative_to(DATA).as_posix() for path in DATA.rglob("*") if path.is_file()]
    files += [f"../fuzz/kept/{path.name}" for path in (ROOT / "tests/fuzz/kept").iterdir()]
    said = {
        file: [p for p in patterns if fnmatch(file, p) or fnmatch(file, f"{p}/*")] for file in files
    }
    assert [file for file, found in said.items() if not found] == ["README.md"]
    assert {p for found in said.values() for p in found} == {*patterns}


def test_the_version_is_one_that_a_tag_can_have() -> None:
    """release.yml expects the tag vX.Y.Z; the changelog begins with the same version."""
    assert re.fullmatch(r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}", __version__)
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    first = re.search(r"^## (\S+) ", changelog, re.MULTILINE)
    assert first
    assert first[1] == __version__
    workflow = (ROOT / ".github/workflows/release.yml").read_text("utf-8")
    assert '[ "$GITHUB_REF_NAME" = "v$version" ]' in workflow


def test_no_program_but_one_is_marked_as_one() -> None:
    """The checks of packagers name files that are executable by accident."""
    names = [*(ROOT / "idle_states").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
    names += [*(ROOT / "tools").rglob("*.py"), *(ROOT / "templates").iterdir()]
    assert [path for path in names if path.stat().st_mode & 0o111] == []
    assert [path for path in names if path.suffix == ".py" and _begins(path, b"#!")] == []


def _begins(path: Path, start: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(start)) == start
