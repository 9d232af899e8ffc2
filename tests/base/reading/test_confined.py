"""Programs that reach nothing but what they are given."""

import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

from idle_states.base.reading import confined
from idle_states.base.reading.confined import Reach, numbers

PYTHON = os.path.realpath(sys.executable)
SEEN = tuple({os.path.realpath(sys.base_prefix), "/usr", "/lib", "/lib64"})
HEADERS = {
    "x86_64": "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
    "aarch64": "/usr/include/asm-generic/unistd.h",
    "riscv64": "/usr/include/asm-generic/unistd.h",
    "ppc64le": "/usr/powerpc64-linux-gnu/include/asm/unistd_64.h",
}

pytestmark = pytest.mark.skipif(
    platform.machine() not in HEADERS, reason="system calls of this machine are not known"
)


def run(code: str, view: Reach) -> str:
    """Returns what a Python program prints, confined."""
    words = confined.confined([PYTHON, "-I", "-S", "-c", code], view)
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode == 126:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


TRY = """
def tried(what):
    try:
        what()
    except OSError as error:
        return type(error).__name__
    return "done"
import os, socket
"""


@pytest.mark.parametrize(
    ("what", "alone", "among_others"),
    [
        ("lambda: open({secret!r})", "PermissionError", "PermissionError"),
        ("lambda: open({given!r})", "PermissionError", "done"),
        ("lambda: open({given!r}, 'w')", "PermissionError", "PermissionError"),
        ("lambda: open({scratch!r} + '/new', 'w')", "PermissionError", "done"),
        ("lambda: socket.socket()", "PermissionError", "PermissionError"),
        ("lambda: os.kill(os.getppid(), 0)", "PermissionError", "PermissionError"),
        ("os.fork", "PermissionError", "done"),
    ],
)
def test_what_is_refused(tmp_path: Path, what: str, alone: str, among_others: str) -> None:
    names = {name: str(tmp_path / name) for name in ("secret", "given", "scratch")}
    for name in ("secret", "given"):
        Path(names[name]).write_text("text")
    Path(names["scratch"]).mkdir()
    read = (*SEEN, names["given"])
    code = f"{TRY}\nprint(tried({what.format(**names)}))"
    starts = run(code, Reach(read=read, write=(names["scratch"],), starts=True))
    assert among_others in starts.split()
    if "fork" in what or "kill" in what:
        # Python itself opens files, which a program alone does not
        return
    assert Path(names["given"]).read_text() == "text"


@pytest.mark.parametrize("machine", HEADERS)
def test_numbers_are_the_kernels(machine: str) -> None:
    header = Path(HEADERS[machine])
    if not header.is_file():
        pytest.skip(f"{header} is not installed")
    text = header.read_text()
    defined = {
        name: int(number)
        for name, number in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)\s*$", text, re.M)
    }
    # names of asm-generic for machines of 64 bits
    defined |= {"newfstatat": defined.get("newfstatat", defined.get("fstatat", -1))}
    for name, number in numbers(machine).items():
        if name in defined:
            assert defined[name] == number, name
    assert len(numbers(machine).keys() & defined.keys()) > 25


def test_other_machines_are_refused() -> None:
    with pytest.raises(confined.NotConfined, match="x86_64, aarch64, riscv64, ppc64le"):
        numbers("m68k")


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    words = confined.confined([str(tmp_path / "none")], Reach())
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 126
    assert done.stderr.startswith("not confined: ")
