"""The launcher: what a program is given, and how it ends when it goes beyond its bounds."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from idle_states.base.model.findings import Unreadable
from idle_states.base.reading import limits, processes
from idle_states.base.reading.launching import Bounds, Child, find, run
from tests.support.thorough import few, slow

SH = find("sh") or ""
PYTHON = sys.executable


def sh(script: str, bounds: Bounds | None = None, given: bytes = b"") -> bytes:
    done = run(SH, ["-c", script], bounds or Bounds(time_s=20), "input", given=given)
    assert done.status == 0, done
    return done.output


def test_what_a_program_says_and_how_it_ends() -> None:
    done = run(SH, ["-c", "echo out; echo err >&2; exit 3"], Bounds(), "x")
    assert (done.status, done.output, done.errors) == (3, b"out\n", b"err\n")
    assert run(SH, ["-c", "kill -TERM $$"], Bounds(), "x").status == -15


def test_words_are_no_commands(tmp_path: Path) -> None:
    word = f"$(touch {tmp_path}/made); touch {tmp_path}/made"
    done = run(find("echo") or "", [word], Bounds(), "x")
    assert done.output.decode() == word + "\n"
    assert not list(tmp_path.iterdir())


def test_environment_is_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_PRELOAD", "/nothing.so")
    monkeypatch.setenv("GIT_DIR", "/elsewhere")
    names = {line.split("=")[0] for line in sh("env").decode().splitlines()}
    assert names <= {"PATH", "LC_ALL", "PWD", "SHLVL", "_", "OLDPWD"}


def test_no_standard_input_and_a_session_of_its_own() -> None:
    assert sh("cat; ps -o sid= -p $$ 2>/dev/null || cut -d' ' -f6 /proc/$$/stat").split()
    assert sh("readlink /proc/self/fd/0") == b"/dev/null\n"
    session = int(sh("cut -d' ' -f6 /proc/$$/stat"))
    assert session != os.getsid(0)


def test_no_core_dump_and_limits_stand() -> None:
    script = "ulimit -c; ulimit -v; ulimit -t"
    found = sh(script, Bounds(memory_bytes=1 << 30, cpu_s=7)).split()
    assert found == [b"0", b"1048576", b"7"]


def test_only_absolute_directories_of_path_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "sneaky"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    assert find("sneaky", ".") is None
    assert find("sneaky", "") is None
    assert find("sneaky", f".:{tmp_path}") == str(program)


def test_input_larger_than_a_pipe_goes_both_ways() -> None:
    data = os.urandom(3 << 20)
    assert sh("cat", given=data) == data


def test_a_program_that_reads_no_input_ends_as_it_likes() -> None:
    assert sh("exec <&-; echo done", given=b"x" * (1 << 20)) == b"done\n"


@pytest.mark.parametrize(
    ("script", "bounds", "expected"),
    [
        ("sleep 60", Bounds(time_s=0.3), "expected sh to end within 0.3 s, it did not"),
        ("yes", Bounds(time_s=0.3), "expected sh to end within 0.3 s, it did not"),
        ("echo a; sleep 60", Bounds(stall_s=0.3), "say something within 0.3 s, it did not"),
        ("yes", Bounds(output_bytes=10), "expected sh to give at most 10 bytes, it gave more"),
        *few(0, [("exec >&- 2>&-; sleep 60", Bounds(), "to end within 5 s of its output")]),
    ],
)
def test_beyond_a_bound_is_a_named_error(script: str, bounds: Bounds, expected: str) -> None:
    with pytest.raises(Unreadable, match=expected) as raised:
        run(SH, ["-c", script], bounds, "the input")
    (finding,) = raised.value.findings
    assert (finding.rule, finding.location.file) == ("IS930", "the input")


@pytest.mark.slow
def test_progress_counts_not_the_whole_time() -> None:
    script = "for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.5; done"
    assert len(sh(script, Bounds(stall_s=3)).split()) == 8


def test_memory_is_bounded() -> None:
    bounds = Bounds(time_s=60, memory_bytes=256 << 20)
    done = run(PYTHON, ["-I", "-c", "x = bytearray(1 << 30)"], bounds, "x")
    assert done.status == 1
    assert b"MemoryError" in done.errors


@pytest.mark.slow
def test_processor_time_is_bounded() -> None:
    with pytest.raises(Unreadable, match="to use at most 1 s of processor time, it used more"):
        run(SH, ["-c", "while :; do :; done"], Bounds(time_s=60, cpu_s=1), "x")
    stubborn = "trap '' XCPU; while :; do :; done"
    assert run(SH, ["-c", stubborn], Bounds(time_s=60, cpu_s=1), "x").status == -9


@pytest.mark.parametrize(
    ("bounds", "most"),
    [
        (Bounds(), limits.PROCESSOR_S),
        (Bounds(time_s=2.5), 4),
        (Bounds(stall_s=5), limits.PROCESSOR_S),
        (Bounds(time_s=20, cpu_s=9), 9),
    ],
)
def test_processor_time_always_has_a_limit(bounds: Bounds, most: int) -> None:
    assert sh("ulimit -S -t; ulimit -H -t; sh -c 'ulimit -t'", bounds).split() == [
        str(seconds).encode() for seconds in (most, most + 1, most)
    ]


def test_errors_are_kept_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "COMPLAINT_BYTES", 10)
    done = run(SH, ["-c", "yes | head -c 1000000 >&2; echo ok"], Bounds(time_s=20), "x")
    assert (done.output, done.errors) == (b"ok\n", b"y\ny\ny\ny\ny\n")


@pytest.mark.parametrize("end", slow("exit 0", "sleep 60"))
def test_what_a_program_started_ends_with_it(end: str, tmp_path: Path) -> None:
    script = f"(sleep 1; touch {tmp_path}/late) >/dev/null 2>&1 & echo started; {end}"
    try:
        run(SH, ["-c", script], Bounds(time_s=20 if end == "exit 0" else 0.5), "x")
    except Unreadable:
        assert end != "exit 0"
    time.sleep(1.3)
    assert not list(tmp_path.iterdir())


def test_a_program_that_cannot_start_is_named(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="expected nothing to run, found: No such file"):
        run("/no/such/nothing", [], Bounds(), "x")
    with pytest.raises(Unreadable, match="expected sh to run"):
        run(SH, [], Bounds(), "x", directory="/no/such")
    (tmp_path / "plain").write_text("echo no program\n")
    for path in (tmp_path, tmp_path / "plain"):
        with pytest.raises(Unreadable, match=f"expected {path.name} to run, found: Permission"):
            run(str(path), [], Bounds(), "x")


def test_limits_that_stand_are_not_raised() -> None:
    script = (
        "import resource, sys\n"
        "from idle_states.base.reading.launching import Bounds, run\n"
        "resource.setrlimit(resource.RLIMIT_CPU, (5, 5))\n"
        "print(run('/bin/sh', ['-c', 'ulimit -Ht; ulimit -St'], Bounds(cpu_s=7), 'x').output)\n"
    )
    words = [PYTHON, "-c", script]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == "b'5\\n5\\n'\n"


def test_questions_and_answers() -> None:
    with Child(SH, ["-c", "cat"], Bounds(stall_s=20), "x", talks=True) as child:
        for number in range(3):
            child.write(b"question %d\nrest" % number)
            assert child.readline() == b"question %d\n" % number
            assert child.read(4) == b"rest"
        assert child.end() == 0
        assert child.readline() == b""


def test_a_long_line_is_cut() -> None:
    with Child(SH, ["-c", "printf 123456789"], Bounds(), "x") as child:
        assert child.readline(4) == b"1234"
        assert child.readline(4) == b"5678"
        assert child.readline(4) == b"9"
        assert child.readline(4) == b""


def test_nothing_is_left_when_a_child_is_left() -> None:
    with Child(SH, ["-c", "echo $$; sleep 60"], Bounds(), "x") as child:
        number = int(child.readline())
    assert not Path(f"/proc/{number}").exists()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        sh("echo")
    assert len(os.listdir("/proc/self/fd")) == before


def test_descriptors_are_passed_only_where_wanted(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("content")
    with (tmp_path / "file").open() as file:
        number = file.fileno()
        os.set_inheritable(number, True)
        done = run(SH, ["-c", f"cat /proc/self/fd/{number}"], Bounds(), "x")
        assert done.status
        done = run(SH, ["-c", f"cat /proc/self/fd/{number}"], Bounds(), "x", passed=[number])
        assert done.output == b"content"


def test_interrupted_it_leaves_nothing() -> None:
    program = (
        "import sys; from idle_states.base.reading.launching import *\n"
        "with Child('/bin/sh', ['-c', 'echo $$; sleep 60'], Bounds(), 'x') as child:\n"
        "    sys.stdout.buffer.write(child.readline()); sys.stdout.flush(); child.read(1)"
    )
    with subprocess.Popen(
        [PYTHON, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        number = int(process.stdout.readline())
        process.send_signal(2)
        process.wait(300)
    assert not Path(f"/proc/{number}").exists()


STARTED = {
    "git": "from idle_states.base.reading.git.repository import Repository\n"
    "from pathlib import Path\n"
    "repository = Repository(Path(sys.argv[1]))\n"
    "repository.commit(repository.resolve('HEAD'))",
    "make": "Path(sys.argv[1], 'Makefile').write_text('all:\\n\\tsleep 1000 & sleep 1001')\n"
    "run_logged(find('make'), ['-C', sys.argv[1]], 1000, Path(sys.argv[1], 'log'), begun=begun)",
    "qemu-system-ppc64": "words = ['-M', 'none', '-display', 'none', '-serial', 'none']\n"
    "run_logged(find('qemu-system-ppc64'), words, 1000, Path(sys.argv[1], 'log'), begun=begun)",
    "dtc": "child = Child(find('dtc'), ['-'], Bounds(time_s=1000), 'x', talks=True)\n"
    "child.write(b'/dts-v1/; / {')",
    "a worker": "from idle_states.base.workers import processes\n"
    "def work():\n"
    "    with Child('/bin/sh', ['-c', 'sleep 1002'], Bounds(), 'x'): begun()\n"
    "with processes(1) as pool, Child('/bin/sh', ['-c', 'sleep 1003'], Bounds(), 'x'):\n"
    "    pool.submit(work).result()",
}


def descendants(pid: int) -> set[int]:
    """The processes that a process started, and those that these started."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if words[0] != "Z":
            parents[int(path.parent.name)] = int(words[1])
    found, waiting = set(), [pid]
    while waiting:
        above = waiting.pop()
        below = {child for child, parent in parents.items() if parent == above}
        found |= below
        waiting += below
    return found


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def until(condition: Callable[[], bool]) -> None:
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("waited 60 s in vain")


@pytest.mark.parametrize("what", few(2, STARTED))
def test_nothing_outlives_a_process_that_is_killed(what: str, tmp_path: Path) -> None:
    if what != "a worker" and find(what) is None:
        pytest.skip(f"{what} is not installed")
    if what == "git":
        for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "x"]):
            names = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
            subprocess.run(["git", "-C", str(tmp_path), *names, *words], check=True)
    program = (
        "import sys, time\n"
        "from idle_states.base.reading.launching import *\n"
        "from idle_states.base.reading.launching import run_logged\n"
        "from pathlib import Path\n"
        "def begun(): print('begun', flush=True); time.sleep(1000)\n"
        f"{STARTED[what]}\n"
        "begun()\n"
    )
    words = [PYTHON, "-c", program, str(tmp_path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        # the program, what it started itself, and the guards
        most = {"make": 4, "a worker": 5}.get(what, 2)
        until(lambda: len(descendants(process.pid)) >= most)
        time.sleep(0.2)
        started = descendants(process.pid)
        process.kill()
    until(lambda: not any(map(lives, started)))


def test_a_program_of_which_no_guard_was_told_does_not_begin(tmp_path: Path) -> None:
    touch = find("touch") or ""
    words = processes._limited([touch, str(tmp_path / "made")], Bounds(), False)
    with subprocess.Popen(words, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(20) != 0
    assert not list(tmp_path.iterdir())


def test_a_guard_that_is_killed_is_replaced() -> None:
    """The new one is told of what ran before it."""
    program = (
        "import sys, time\n"
        "from idle_states.base.reading import processes\n"
        "from idle_states.base.reading.launching import Bounds, Child\n"
        "first = Child('/bin/sh', ['-c', 'sleep 1000'], Bounds(), 'x')\n"
        "processes._guards[-1].kill(); processes._guards[-1].wait()\n"
        "second = Child('/bin/sh', ['-c', 'sleep 1000'], Bounds(), 'x')\n"
        "print(first._process.pid, second._process.pid, len(processes._guards), flush=True)\n"
        "time.sleep(1000)\n"
    )
    with subprocess.Popen([PYTHON, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        *numbers, guards = map(int, process.stdout.readline().split())
        assert guards == 2
        assert all(map(lives, numbers))
        process.kill()
    until(lambda: not any(map(lives, numbers)))
