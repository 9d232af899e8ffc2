"""Plants faults in lines that changed since a commit, and lists those that no test finds:
python -m tools.plant_faults COMMIT [MOST]

A fault is an operator or a constant of the package taken for another. Each is planted in a copy of
the checkout. The tests of its room run there, and those that import the file, without the slow
ones, until one fails. At most MOST faults are planted (100), spread evenly over the lines.

Exits 1 if a fault was not found. What it changes may be of no consequence; else a test is missing.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from tools.command_line import parsed
from tools.faults import Fault, faults

PACKAGE = "idle_states"
_HUNK = re.compile(r"@@ -\S+ \+([0-9]+)(?:,([0-9]+))? @@")
_MOST = 100
_SLOWEST_S = 900
"""A fault with which tests run longer is found."""


def changed_lines(commit: str) -> dict[PurePosixPath, set[int]]:
    """Returns the lines of each file of the package that are not as in a commit."""
    found: dict[PurePosixPath, set[int]] = {}
    lines: set[int] = set()
    for line in _git("diff", "-U0", "--no-color", commit, "--", f"{PACKAGE}/*.py").splitlines():
        if line.startswith("+++ b/"):
            lines = found.setdefault(PurePosixPath(line.removeprefix("+++ b/")), set())
        elif match := _HUNK.match(line):
            first, count = int(match[1]), int(match[2] or 1)
            lines.update(range(first, first + count))
    return found


def room_tests(file: PurePosixPath, root: Path) -> list[str]:
    """Returns the tests of a file's room, and those elsewhere that import the file."""
    tests = root / "tests"
    inner = PurePosixPath(*file.parts[1:])
    rooms = [PurePosixPath(room) for room in inner.parents if room.name and (tests / room).is_dir()]
    found = [tests / rooms[0]] if rooms else []
    dotted = ".".join(file.with_suffix("").parts)
    room, _, module = dotted.rpartition(".")
    imports = re.compile(rf"\b{re.escape(dotted)}\b|\bfrom {re.escape(room)} import .*\b{module}\b")
    found += [
        each
        for each in sorted(tests.rglob("test_*.py"))
        if not any(room in each.parents for room in found)
        and (each.name == f"test_{module}.py" or imports.search(each.read_text()))
    ]
    return [os.fspath(each.relative_to(root)) for each in found]


def missed(root: Path, file: PurePosixPath, planted: Sequence[Fault]) -> Iterator[Fault]:
    """Plants faults in a copy, one after the other; returns those that its tests do not find."""
    tests, source = room_tests(file, root), (root / file).read_bytes()
    if not tests:
        yield from planted
        return
    if failure := _failure(root, tests):
        sys.exit(f"{file}: its tests fail without a fault\n{failure}")
    for fault in planted:
        _write(root / file, fault.planted(source))
        if not _failure(root, tests):
            yield fault
        _write(root / file, source)


def _failure(root: Path, tests: Sequence[str]) -> str:
    """Returns what pytest prints where a test fails, or tests do not end; "" if all pass."""
    words = (*"-q -x -n0 -p no:cacheprovider".split(), "--", *tests)
    environment = {**os.environ, "PYTHONPATH": os.fspath(root)}
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *words], cwd=root, env=environment,
            capture_output=True, text=True, timeout=_SLOWEST_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"they take longer than {_SLOWEST_S} s"
    return done.stdout if done.returncode else ""


def _write(file: Path, source: bytes) -> None:
    """Writes a source, and removes its bytecode: of the same size and second, it would be taken."""
    file.write_bytes(source)
    Path(importlib.util.cache_from_source(os.fspath(file))).unlink(missing_ok=True)


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], capture_output=True, text=True, check=True).stdout


def _copied(root: Path) -> None:
    """Copies what git tracks, and what was compiled beside it."""
    built = [os.fspath(each) for each in Path(PACKAGE).rglob("*.so")]
    for name in (*_git("ls-files", "-z").split("\0"), *built):
        if name and Path(name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(name, root / name)


def main(words: Sequence[str]) -> int:
    given = parsed(__doc__, "COMMIT", "[MOST]", words=words)
    every = [
        (file, fault)
        for file, lines in changed_lines(given.commit).items()
        if Path(file).is_file()
        for fault in faults(Path(file).read_bytes(), lines)
    ]
    most = min(int(given.most or _MOST), len(every))
    chosen = [every[at * len(every) // most] for at in range(most)]
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        _copied(Path(folder))
        for file in dict.fromkeys(file for file, _ in chosen):
            planted = [fault for other, fault in chosen if other == file]
            for fault in missed(Path(folder), file, planted):
                now = f"became {fault.now}" if fault.now else "went"
                print(f"{file}:{fault.line}: {fault.was} {now}: no test fails", flush=True)
                count += 1
    print(f"{len(chosen)} of {len(every)} faults planted, {count} not found")
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
