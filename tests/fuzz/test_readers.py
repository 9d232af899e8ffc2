"""Every reader on its kept corpus, and on some inputs that are new."""

import resource
import shutil
import subprocess
import sys
import time

import pytest

from tests.fuzz import corpus
from tests.fuzz.readers import READERS, check
from tests.support import ROOT

SIZE_MAX = 2 << 20
SECONDS_MAX = 5
MEMORY_MAX_KIB = 256 << 10
RUNS = 60


@pytest.mark.parametrize("name", READERS)
def test_kept_inputs_are_read_or_refused(name: str) -> None:
    inputs = corpus.kept(name)
    assert inputs
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for file, data in inputs.items():
        start = time.process_time()
        try:
            check(name, data)
        except Exception as error:
            error.add_note(f"reading {corpus.KEPT / name / file}")
            raise
        assert time.process_time() - start < SECONDS_MAX, file
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MEMORY_MAX_KIB


def test_the_corpus_is_small_and_has_no_other_readers() -> None:
    assert {path.name for path in corpus.KEPT.iterdir()} == set(READERS)
    assert sum(path.stat().st_size for path in corpus.KEPT.rglob("*")) < SIZE_MAX


@pytest.mark.parametrize(
    ("name", "program", "files"),
    [
        ("git", "git", {"base/reading/git/repository.py", "base/reading/git/references.py"}),
        ("dtc", "dtc", {"tables/devicetree/fdt.py", "tables/devicetree/dts_text.py"}),
        ("trace-dat", "trace-cmd", {"lab/traces/trace_cmd.py", "lab/traces/text.py"}),
    ],
)
def test_what_programs_answer_is_read(name: str, program: str, files: set[str]) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    reached: set[corpus.Step] = set()
    for data in corpus.kept(name).values():
        reached |= corpus.steps(lambda data=data: check(name, data))  # type: ignore[misc]
    assert files <= {file.partition("/idle_states/")[2] for file, _, _ in reached}


def test_new_lines_are_seen() -> None:
    """New lines decide whether an input is kept. Releases are remembered: nobody asked for this
    one."""
    inputs = {"a": b"?", "b": b"!", "c": b"6.1.998"}
    assert set(corpus.worth_keeping("uname", inputs).values()) == {b"!", inputs["c"]}


@pytest.mark.slow
def test_some_new_inputs(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Each reader gets as many, the same ones every time; make fuzz goes on for longer."""
    pytest.importorskip("atheris", reason="atheris is not installed (no wheel for this machine)")
    found = tmp_path_factory.mktemp("found")
    words = ["--runs", str(RUNS), "--seed", "1", "--found", str(found)]
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", *words], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert all(any((found / name).iterdir()) for name in ("trace", "c", "spec"))


@pytest.mark.slow
def test_what_is_wrong_would_be_found(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A reader that fails on one byte in a place of its own is found to do so."""
    pytest.importorskip("atheris", reason="atheris is not installed (no wheel for this machine)")
    found = tmp_path_factory.mktemp("found")
    program = (
        "import sys, atheris\n"
        "with atheris.instrument_imports(include=['idle_states']):\n"
        "    from idle_states.tables.linux import releases\n"
        "from tests.fuzz import __main__, readers\n"
        "def wrong(data):\n"
        "    text = data.decode('utf-8', 'replace')\n"
        "    if releases.running(text) is not None and '7' in text: raise LookupError\n"
        "readers.READERS['uname'] = wrong\n"
        "sys.exit(__main__.main())\n"
    )
    words = ["uname", "--runs", "200000", "--seed", "1", "--found", str(found)]
    done = subprocess.run(
        [sys.executable, "-c", program, *words], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 1, done.stderr[-2000:]
    assert "LookupError" in done.stdout + done.stderr
    assert list(found.glob("uname.crash-*"))
