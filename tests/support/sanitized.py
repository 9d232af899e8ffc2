"""The package with its C built so that it reports what C leaves undefined, and tests of it there.

    python -m tests.support.sanitized [word for pytest ...]

A copy of what git tracks, in build/sanitized, is built in place with gcc's address and undefined
behaviour sanitizers; the tests run in that copy. The first report ends the process it is in.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from tests.support import ROOT
from tools.wheel_audit import tracked

COPY = ROOT / "build" / "sanitized"
FLAGS = "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g1"
COMPILER = "sh -c 'exec gcc \"$@\" -Og' gcc"
"""The last -O is what gcc goes by: with setup.py's -O3 it takes four times as long."""
WORDS = (
    "tests/tables/linux/governors/core",
    "tests/tables/devicetree/test_fdt.py",
    "tests/fuzz",
    "tests/lab/replay",
    "tests/lab/traces",
    "tests/lab/tune/test_gaps.py",
    "tests/lab/simulation",
)
"""The tests that exercise the C: its own tests, the readers, and what is replayed and simulated."""
NOT_THERE = (
    "tests/tables/linux/governors/core/test_sanitized.py",
    "tests/fuzz/test_growth.py",
    "tests/fuzz/test_readers.py::test_some_new_inputs",
    "tests/fuzz/test_readers.py::test_what_is_wrong_would_be_found",
    "tests/lab/replay/test_core_replay.py::test_memory_does_not_grow_with_the_input",
)
"""Tests that measure memory, which the sanitizers use themselves, tests whose fuzzer needs coverage
symbols that the sanitizers replace, and the test that makes the copy."""
PROBE = "int main(int count, char **words) { (void)words; return count - 1; }"


class NoSanitizers(Exception):
    """The compiler is not there or lacks them; the message says how it failed."""


def libraries() -> list[str]:
    """Returns what has to be loaded before Python. libstdc++ for libraries that throw."""
    if shutil.which("gcc") is None:
        raise NoSanitizers("it is not installed (Debian package gcc)")
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        raise NoSanitizers("Python.h is not installed (Debian package python3-dev)")
    done = subprocess.run(
        ["gcc", *FLAGS.split(), "-x", "c", "-", "-o", "/dev/null"],
        input=PROBE,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise NoSanitizers(done.stderr[-500:])
    found = []
    for name in ("libasan.so", "libubsan.so", "libstdc++.so.6"):
        words = ["gcc", f"-print-file-name={name}"]
        path = subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
        if os.path.isabs(path):
            found.append(os.path.realpath(path))
    return found


def build() -> None:
    """The copy, brought up to date: files that are as they were keep their time."""
    for name in tracked(ROOT, "--cached", "--others", "--exclude-standard"):
        source, target = ROOT / name, COPY / name
        if source.is_file() and not (
            target.is_file() and target.read_bytes() == source.read_bytes()
        ):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
            target.chmod(source.stat().st_mode)
    # what the tests have of Debian is not fetched twice
    deps = COPY / "build/deps"
    if not deps.is_symlink():
        deps.parent.mkdir(exist_ok=True)
        (ROOT / "build/deps").mkdir(parents=True, exist_ok=True)
        deps.symlink_to(ROOT / "build/deps")
    subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--inplace", "--parallel", "2"],
        cwd=COPY,
        env={**os.environ, "CC": COMPILER, "CFLAGS": FLAGS, "LDFLAGS": FLAGS},
        capture_output=True,
        check=True,
    )


def environment() -> dict[str, str]:
    """Python's own allocator would hide what lies outside an object; what Python leaves unfreed at
    its end is not looked for."""
    return {
        **{name: text for name, text in os.environ.items() if not name.startswith("PYTEST_")},
        "LD_PRELOAD": " ".join(libraries()),
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1:"
        "allocator_may_return_null=1:quarantine_size_mb=64",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": str(COPY),
    }


def run(words: list[str]) -> subprocess.CompletedProcess[str]:
    """pytest in the copy. Raises NoSanitizers."""
    there = environment()
    COPY.mkdir(parents=True, exist_ok=True)
    with (COPY.parent / ".sanitized.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        build()
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", *words]
    return subprocess.run(command, cwd=COPY, env=there, capture_output=True, text=True)


def main() -> int:
    deselected = [word for name in NOT_THERE for word in ("--deselect", name)]
    done = run(sys.argv[1:] or ["-m", "", *deselected, *WORDS])
    print(done.stdout + done.stderr, end="")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
