"""Ended at a random moment, a command leaves what was there or the whole result, and nothing else.

KILLS=300 sends as many signals (default: 24), KILLS_SEED chooses others. SIGKILL, which no program
sees, may leave a temporary file beside; nothing else may be left by any of them.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support import DATA, ROOT
from tests.support.html_pages import TRACE

pytestmark = pytest.mark.slow
KILLS = int(os.environ.get("KILLS", "24"))
SEED = int(os.environ.get("KILLS_SEED", "1"))
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGKILL, signal.SIGHUP)
INPUTS = 150
"""More than are audited without other processes."""
LONGEST_S = 3
"""After which a job is ended, or its whole time: of one without results this is not measured."""
OLD = b"what was there before\n"


@dataclass(frozen=True, slots=True)
class Job:
    """A command line, run in a directory of its own; the files it writes there."""

    words: tuple[str, ...]
    results: tuple[str, ...]
    keeps: tuple[str, ...] = ()


def jobs(inputs: Path) -> dict[str, Job]:
    tree, gaps = str(DATA / "trees/powernv9.dtb"), str(inputs / "gaps.csv")
    return {
        "generate": Job(("generate", "--to", "dtb", "power9", "-o", "out"), ("out",)),
        "import": Job(("import", tree, "-o", "out.yaml"), ("out.yaml",)),
        "audit": Job(
            ("audit", str(inputs / "fleet"), "--jobs", "2", "--kernel", "6.12", "--format", "json",
             "-o", "out.json", "--html", "page.html", "--config", "none"),
            ("out.json", "page.html"),
        ),
        "tune": Job(
            ("tune", "power9", "--trace", TRACE, "--kernel", "6.12", "--power", "implied",
             "--jobs", "2", "-o", "out", "--html", "page.html"),
            ("out", "page.html"),
        ),
        "tune of gaps": Job(
            ("tune", "power9", "--gaps", gaps, "--power", "implied", "-o", "out"), ("out",)
        ),
        "replay": Job(
            ("replay", TRACE, "--table", "power9", "--html", "page.html", "-o", "out"),
            ("out", "page.html"),
        ),
        "patch": Job(
            ("patch", "mine.yaml", "--tree", str(inputs / "tree"), "-o", "."),
            ("0001-slw-Mine.patch",),
            ("mine.yaml",),
        ),
        "boot": Job(("boot", "--machine", "powernv9", "--logs", "logs"), (), ("logs",)),
    }  # fmt: skip


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from idle_states.tables.spec.library import find
    from tests.support.patching import tree_of

    top = tmp_path_factory.mktemp("inputs")
    (top / "fleet").mkdir()
    for number in range(INPUTS):
        shutil.copy(DATA / "trees/powernv9.dtb", top / f"fleet/{number:03}.dtb")
    (top / "gaps.csv").write_text("gap_ns,count\n1000,5\n100000,7\n")
    tree_of(top / "tree", {"hw/slw.c": [find("power9")]}, "v7.1")
    return top


class Runs:
    """One job, again and again."""

    def __init__(self, job: Job, top: Path) -> None:
        self.job, self.top = job, top
        self.whole_s = LONGEST_S
        self.wanted: dict[str, bytes] = {}
        if not job.results:
            return
        start = time.monotonic()
        directory = self.fresh(old=False)
        process = self.start(directory)
        _, said = process.communicate(timeout=300)
        assert "Traceback" not in said.decode(), said.decode()
        self.whole_s = min(self.whole_s, time.monotonic() - start)
        self.wanted = {name: (directory / name).read_bytes() for name in job.results}

    def fresh(self, *, old: bool) -> Path:
        from tests.support.patching import MINIMAL

        directory = self.top / "run"
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        if "mine.yaml" in self.job.keeps:
            (directory / "mine.yaml").write_text(MINIMAL)
        for name in self.job.results if old else ():
            (directory / name).write_bytes(OLD)
        return directory

    def start(self, directory: Path) -> "subprocess.Popen[bytes]":
        """In a session of its own, by which its children are known."""
        return subprocess.Popen(
            [sys.executable, "-m", "idle_states", *self.job.words],
            cwd=directory,
            env={**os.environ, "PYTHONPATH": str(ROOT), "SOURCE_DATE_EPOCH": "0",
                 "XDG_CACHE_HOME": str(self.top / "cache"), "TMPDIR": str(self.temporary())},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip

    def temporary(self) -> Path:
        path = self.top / "tmp"
        path.mkdir(exist_ok=True)
        return path

    def kill(self, number: signal.Signals, after_s: float, *, old: bool) -> str:
        """Returns the outcome, in a word; asserts that all is as it should be."""
        directory = self.fresh(old=old)
        process = self.start(directory)
        time.sleep(after_s)
        process.send_signal(number)
        _, raw = process.communicate(timeout=300)
        said = raw.decode()
        assert not lingering(process.pid), (self.job.words, number)
        # before the program's first statement SIGINT is the interpreter's own
        assert "Traceback" not in said or "/idle_states/cli/" not in said, said
        assert process.returncode in (0, 1, 3, -number, 128 + number), (process.returncode, said)
        for name, wanted in self.wanted.items():
            path = directory / name
            found = path.read_bytes() if path.exists() else None
            assert found in (wanted, OLD if old else None), (self.job.words, number, name)
        left = set(os.listdir(directory)) - {*self.job.results, *self.job.keeps}
        left |= {f"{self.temporary()}/{name}" for name in os.listdir(self.temporary())}
        if number == signal.SIGKILL:
            shutil.rmtree(self.temporary())
            return "killed" + (", a temporary file left" if left else "")
        assert not left, (self.job.words, number, left)
        if process.returncode == 128 + number:
            return "cleaned up"
        return "not begun" if process.returncode == -number else "done already"


def lingering(session: int, patience_s: float = 10) -> list[str]:
    """Processes of the session that do not end by themselves soon."""
    until = time.monotonic() + patience_s
    while found := list(of_session(session)):
        if time.monotonic() > until:
            return found
        time.sleep(0.02)
    return []


def of_session(session: int) -> list[str]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text(errors="replace")
        except OSError:
            continue
        fields = text.rpartition(")")[2].split()
        if int(fields[3]) == session and fields[0] not in "ZX":
            found.append(text)
    return found


def test_a_lingering_process_would_be_seen() -> None:
    process = subprocess.Popen(["sh", "-c", "sleep 5 & exit"], start_new_session=True)
    process.wait()
    assert lingering(process.pid, 0.1)
    os.killpg(process.pid, signal.SIGKILL)
    assert not lingering(process.pid)


@pytest.mark.usefixtures("hangup_heeded")
def test_killed_at_random_moments(
    inputs: Path, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    rng = random.Random(SEED)
    runs = {name: Runs(job, tmp_path / name) for name, job in made(tmp_path, jobs(inputs)).items()}
    outcomes: Counter[str] = Counter()
    for number in range(KILLS):
        name = list(runs)[number % len(runs)]
        sent = SIGNALS[rng.randrange(len(SIGNALS))]
        after_s = rng.uniform(0, 1.05) * runs[name].whole_s
        outcome = runs[name].kill(sent, after_s, old=rng.random() < 0.5)
        outcomes[f"{sent.name}: {outcome}"] += 1
    record_property("outcomes", dict(outcomes))
    print(*(f"{count:4} {what}" for what, count in sorted(outcomes.items())), sep="\n")
    assert outcomes["SIGTERM: cleaned up"]
    assert outcomes["SIGINT: cleaned up"]


def made(top: Path, jobs: Mapping[str, Job]) -> Mapping[str, Job]:
    for name in jobs:
        (top / name).mkdir()
    return jobs
