"""Inputs that once took a command minutes: each is answered or refused within 10 s of processor
time and 512 MiB, in a process of its own."""

import resource
import subprocess
import sys
from pathlib import Path

import pytest

SIZE = 1 << 16
DIFF = (
    b"From: a <a@b>\nSubject: [PATCH] x\n\n---\ndiff --git a/hw/slw.c b/hw/slw.c\n"
    b"index 1111111..2222222 100644\n--- a/hw/slw.c\n+++ b/hw/slw.c\n"
    b"@@ -1,3 +1,3 @@ static struct cpu_idle_states power9_cpu_idle_states[] = {\n {\n"
    b"-\t.latency_ns = 200,\n+\t.latency_ns = 1000,%b;\n },\n"
)
CASES = {
    "a row of 5,000 cells": (["stats"], b"Min a " + b"1.00 ( 5.00%) " * (SIZE // 14)),
    "50,000 blocks of percentiles": (
        ["stats"],
        b"Latency percentiles (usec)\n" + b"\t50.0th: 5\n" * (8 * SIZE // 11),
    ),
    "a percentile behind blanks": (["stats"], b" " * SIZE + b"th: 5\n"),
    "a changed row with blanks": (["review"], DIFF % (b" " * SIZE)),
}


@pytest.mark.parametrize(("words", "data"), CASES.values(), ids=CASES)
def test_command_ends_in_time(words: list[str], data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "input"
    path.write_bytes(data)

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
        resource.setrlimit(resource.RLIMIT_AS, (512 << 20, 512 << 20))

    done = subprocess.run(
        [sys.executable, "-m", "idle_states", *words, str(path)],
        capture_output=True,
        preexec_fn=limited,
        check=False,
    )
    assert done.returncode in (0, 1, 3), done.stderr[-500:]
    assert b"processor time" not in done.stdout + done.stderr
