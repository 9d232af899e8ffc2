"""Faults planted in changed lines: which there are, and that those no test finds are told."""

import subprocess
from pathlib import Path, PurePosixPath

import pytest

from tools.faults import faults
from tools.plant_faults import main, room_tests

SOURCE = b"""\
@dataclass(frozen=True)
def f(a: int | None, b: bool = True) -> int:
    if not a in (1,
                 2) and (a) <= (b):
        return a is not None
    return b * -1 == 3 % a
"""


def test_every_operator_and_constant_but_those_of_annotations() -> None:
    found = [(each.line, each.was, each.now) for each in faults(SOURCE, range(1, 7))]
    assert found == [
        (2, "True", "False"),
        (3, "not ", ""),
        (3, "in", "not in"),
        (3, "1", "2"),
        (4, "2", "3"),
        (4, "and", "or"),
        (4, "<=", "<"),
        (5, "is not", "is"),
        (6, "*", "+"),
        (6, "1", "2"),
        (6, "==", "!="),
        (6, "3", "4"),
        (6, "%", "//"),
    ]
    lines = SOURCE.splitlines()
    for each in faults(SOURCE, [4]):
        planted = each.planted(SOURCE).splitlines()
        assert [at for at, line in enumerate(planted) if line != lines[at]] == [3]


@pytest.fixture
def repository(in_tmp_path: Path) -> Path:
    files = {
        "idle_states/__init__.py": "",
        "idle_states/room/__init__.py": "",
        "idle_states/room/sizes.py": "def fits(size):\n    return size <= 0\n",
        "tests/__init__.py": "",
        "tests/room/__init__.py": "",
        "tests/room/test_sizes.py": "from idle_states.room.sizes import fits\n\n\n"
        "def test_fits():\n    assert fits(5)\n    assert not fits(20)\n",
        "setup.cfg": "[tool:pytest]\naddopts = -n0\n",
    }
    for name, text in files.items():
        (in_tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (in_tmp_path / name).write_text(text)
    for words in ("init -q", "add .", "-c user.name=a -c user.email=a@example.com commit -qm one"):
        subprocess.run(["git", *words.split()], check=True)
    return in_tmp_path


def test_what_no_test_finds_is_told(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither 10 nor 11 is tried, so that the test fails of no fault but the wrong direction."""
    changed = repository / "idle_states/room/sizes.py"
    changed.write_text("def fits(size):\n    return not size > 10\n")
    assert main(["HEAD"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "idle_states/room/sizes.py:2: > became >=: no test fails",
        "idle_states/room/sizes.py:2: 10 became 11: no test fails",
        "3 of 3 faults planted, 2 not found",
    ]
    assert changed.read_text().count("not size > 10") == 1


def test_nothing_changed(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["HEAD"]) == 0
    assert capsys.readouterr().out == "0 of 0 faults planted, 0 not found\n"


def test_the_tests_of_a_file_are_its_rooms_and_those_that_import_it(repository: Path) -> None:
    (repository / "tests/test_other.py").write_text("from idle_states.room import sizes\n")
    (repository / "tests/test_none.py").write_text("from idle_states.room import other\n")
    found = room_tests(PurePosixPath("idle_states/room/sizes.py"), repository)
    assert found == ["tests/room", "tests/test_other.py"]
