"""The C of the package under gcc's address and undefined behaviour sanitizers; make sanitize runs
more of the tests there."""

import subprocess
import sys

import pytest

from tests.support import sanitized

pytestmark = pytest.mark.slow
OTHERS = (
    *("pieces", "costly", "libfdt", "real_trees", "takes_what_python"),
    *("programs", "dtc_writes", "beyond_the_size", "without_the_extension"),
    *("recorded_decisions", "or_refused[aml]", "or_refused[spec]", "or_refused[measured]"),
)
"""The tests that take long, what other programs do and Python does, and what random CPUs do as
well."""
SOME = (
    "--hypothesis-profile=few",
    *("-m", "not slow", "-k", " and ".join(f"not {name}" for name in OTHERS)),
    *(
        "tests/fuzz",
        "tests/tables/devicetree/test_fdt.py",
        "tests/tables/linux/governors/core/test_core.py",
    ),
)
MODULES = ("idle_states.tables.linux.governors.core._core", "idle_states.tables.devicetree._fdt")


def test_nothing_is_reported() -> None:
    try:
        done = sanitized.run(["-n0", *SOME])
    except sanitized.NoSanitizers as reason:
        pytest.skip(f"no C with gcc's sanitizers: {reason}")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    for word in ("AddressSanitizer", "runtime error"):
        assert word not in done.stdout + done.stderr
    # and it was the sanitized modules that ran
    for module in MODULES:
        program = f"import {module} as m; print(m.__file__)"
        found = subprocess.run(
            [sys.executable, "-c", program],
            cwd=sanitized.COPY,
            env=sanitized.environment(),
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        assert found.startswith(str(sanitized.COPY))
        with open(found, "rb") as file:
            assert b"__asan_report_load" in file.read()
