"""Tests of what root runs on machines that nobody knows: collect, measure and record put everything
back and leave nothing, whatever the machine, the shell, the place and the moment."""

import os
import random
import re
import signal
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest

from idle_states.cli import main
from idle_states.lab.record.measuring import script as measuring
from idle_states.lab.record.request import MeasureOptions, RecordOptions
from idle_states.lab.record.script import script as recording
from tests.support.made_machine import SHELLS, MadeMachine, as_root
from tests.support.thorough import examples, few

MEASURE = measuring(MeasureOptions(5))
RECORD = recording(RecordOptions(seconds=1, restart_governor=True))
READ_ONLY = (
    "cd {0} && mount --bind kprobe_events kprobe_events && mount -o remount,bind,ro kprobe_events"
)
SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


@pytest.fixture
def collect(capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["collect"]) == 0
    return capsys.readouterr().out


@pytest.fixture
def machine(tmp_path: Path) -> MadeMachine:
    return MadeMachine(tmp_path / "made")


def names(data: bytes) -> list[str]:
    with tarfile.open(fileobj=BytesIO(data)) as tar:
        return tar.getnames()


def collected(
    script: str, shell: str, cwd: Path, prefix: tuple[str, ...] = (), **environment: str
) -> "subprocess.CompletedProcess[bytes]":
    file = cwd.parent / "collect.sh"
    if cwd.parent.exists():
        file.write_text(script)
    return subprocess.run(
        [*prefix, *shell.split(), str(file)],
        capture_output=True,
        cwd=cwd,
        env={**os.environ, **environment},
        timeout=60,
        check=False,
    )


# collect


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("name", ["t", ".", "../t", "a b'\"$x", "-t"])
def test_collect_takes_any_temporary_directory(
    tmp_path: Path, collect: str, shell: str, name: str
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    (here / name).mkdir(exist_ok=True)
    elsewhere = tmp_path / "elsewhere/t"
    elsewhere.mkdir(parents=True)
    before = sorted(tmp_path.rglob("*"))
    done = collected(collect, shell, here, TMPDIR=name, CDPATH=str(elsewhere.parent))
    assert done.returncode == 0, done.stderr
    assert "idle-states-collection/uname.txt" in names(done.stdout)
    assert sorted(tmp_path.rglob("*")) == sorted([*before, tmp_path / "collect.sh"])


@pytest.mark.parametrize("shell", SHELLS)
def test_collect_works_where_the_working_directory_is_gone(
    tmp_path: Path, collect: str, shell: str
) -> None:
    (tmp_path / "collect.sh").write_text(collect)
    leaving = f'mkdir gone && cd gone && rmdir ../gone && exec "$@" {tmp_path}/collect.sh'
    for directory, status in ((str(tmp_path), 0), (".", 1)):
        done = subprocess.run(
            ["sh", "-c", leaving, "-", *shell.split()],
            capture_output=True,
            cwd=tmp_path,
            env={**os.environ, "TMPDIR": directory},
            check=False,
        )
        assert done.returncode == status, done.stderr
        assert (b"set TMPDIR" in done.stderr) is (status == 1)
        assert bool(done.stdout) is (status == 0)
    assert os.listdir(tmp_path) == ["collect.sh"]


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("directory", few(2, ["/nonexistent", "/proc", "/dev/null"]))
def test_collect_names_a_directory_that_cannot_be_written(
    tmp_path: Path, collect: str, shell: str, directory: str
) -> None:
    done = collected(collect, shell, tmp_path / "..", TMPDIR=directory)
    assert (done.returncode, done.stdout) == (1, b"")
    last = done.stderr.decode().splitlines()[-1]
    assert last in (
        f"collect: cannot {verb} {directory}: set TMPDIR" for verb in ("use", "write to")
    )


@as_root
@pytest.mark.parametrize("shell", few(1, SHELLS))
@pytest.mark.parametrize("size", ["4k", "8k", "16k"])
def test_collect_refuses_parts_where_the_disk_is_full(
    tmp_path: Path, collect: str, shell: str, size: str
) -> None:
    (tmp_path / "collect.sh").write_text(collect)
    small = (
        f'mkdir s && mount -t tmpfs -o size={size} none s && TMPDIR=s "$@" collect.sh; status=$?'
    )
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", f"{small}; ls -A s >&2; exit $status", "-", *shell.split()],
        capture_output=True,
        cwd=tmp_path,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, b"")
    last = done.stderr.decode().splitlines()[-1]
    assert last.startswith("collect: no space left in ")


@as_root
def test_collect_keeps_what_could_be_read(machine: MadeMachine, collect: str) -> None:
    """A CPU that goes away while it is read; a log that may not be."""
    # grep is handed names that are not there any more
    machine.program("grep", f'rm -r {machine.directory}/cpu/cpu1/cpuidle; exec /bin/grep "$@"')
    machine.program("dmesg", "echo 'dmesg: not permitted' >&2; exit 1")
    machine.program("journalctl", "echo 'journalctl: none' >&2; exit 1")
    words = machine.words(collect)
    done = subprocess.run(words, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0
    said = done.stderr.decode()
    assert "collect: not all of cpuidle.txt could be read: " in said
    assert "without kernel-log.txt: dmesg: not permitted" in said
    with tarfile.open(fileobj=BytesIO(done.stdout)) as tar:
        file = tar.extractfile("idle-states-collection/cpuidle.txt")
        assert file is not None
        text = file.read().decode()
    assert "cpu0/cpuidle/state1/latency:1" in text
    assert "cpu1" not in text


@pytest.mark.parametrize("shell", few(1, SHELLS))
def test_collect_leaves_nothing_when_it_is_interrupted(
    tmp_path: Path, collect: str, shell: str
) -> None:
    (tmp_path / "collect.sh").write_text(collect)
    rng = random.Random(shell)
    place = tmp_path / "t"
    place.mkdir()
    for _ in range(examples(6, 30)):
        process = subprocess.Popen(
            [*shell.split(), str(tmp_path / "collect.sh")],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": str(place)},
            start_new_session=True,
        )
        time.sleep(rng.random() * 0.1)
        # to the whole group, as Ctrl-C is, or to the shell alone
        (os.killpg if rng.random() < 0.5 else os.kill)(process.pid, rng.choice(SIGNALS))
        process.wait(30)
        assert os.listdir(place) == []


# measure and record


@as_root
@pytest.mark.parametrize("shell", few(1, SHELLS))
def test_measure_puts_all_back(machine: MadeMachine, shell: str) -> None:
    before = machine.set
    assert before["cpu/cpu1/cpuidle/state1/disable"] == "1\n"
    machine.prepared = "mkdir gone && cd gone && rmdir ../gone && export TMPDIR=/nonexistent"
    done = machine.run(MEASURE, shell)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("# end\n")
    assert machine.set == before
    assert machine.left == []


@as_root
@pytest.mark.parametrize("shell", few(1, SHELLS))
@pytest.mark.parametrize("wake_ups", [False, True])
def test_record_puts_all_back(machine: MadeMachine, shell: str, wake_ups: bool) -> None:
    before = machine.set
    script = recording(RecordOptions(seconds=1, restart_governor=True, wake_ups=wake_ups))
    done = machine.run(script, shell)
    assert done.returncode == 0, done.stderr
    heard = re.findall("^# wake-ups: (.*)", done.stdout, re.MULTILINE)
    assert heard == ["hrtimer_expire_entry reschedule_entry sched_waking"] * wake_ups
    assert "# without" not in done.stdout
    seen = machine.directory / "seen/events/sched/sched_waking/filter"
    assert (seen.read_text() if wake_ups else seen.exists()) == (wake_ups and "common_pid == 0\n")
    assert done.stdout.endswith("# end\n")
    assert machine.set == before
    assert machine.left == []


@as_root
@pytest.mark.parametrize(
    ("governor", "prepared", "why"),
    [
        ("menu", "rm -f {}/kprobe_events", "expected kprobe events, found none in {}"),
        ("menu", READ_ONLY, "the kernel refuses the probe"),
        ("ladder", READ_ONLY, "the kernel refuses the probe"),
        ("haltpoll", ":", "no probes of haltpoll are known"),
    ],
)
def test_idle_periods_alone_without_probes(
    machine: MadeMachine, governor: str, prepared: str, why: str
) -> None:
    """The script records what ends them all the same; one that is not to record it refuses."""
    (machine.directory / "cpu/cpuidle/current_governor").write_text(f"{governor}\n")
    tracing = "/sys/kernel/tracing"
    machine.prepared, before = prepared.format(tracing), machine.set
    done = machine.run(recording(RecordOptions(governor=governor, seconds=1, wake_ups=True)))
    assert done.returncode == 0, done.stderr
    assert f"record: without what {governor} is given: {why.format(tracing)}" in done.stderr
    assert f"\n# without: {why.format(tracing)}" in done.stdout
    assert "\n# probe: " not in done.stdout
    assert machine.set == before
    if governor != "haltpoll":
        done = machine.run(recording(RecordOptions(governor=governor, seconds=1)))
        assert done.returncode == 1
        assert why.format(tracing) in done.stderr


@pytest.fixture
def memory() -> Iterator[Path]:
    """A directory in memory, for many small files."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        yield Path(name)


@as_root
@pytest.mark.slow
def test_four_thousand_cpus(memory: Path, collect: str) -> None:
    """The last is measured, which this machine has not: as if it had just gone away."""
    shell = "sh"
    machine = MadeMachine(memory / "made", cpus=4096)
    before = machine.set
    done = machine.run(measuring(MeasureOptions(1, all_cpus=True)), shell, timeout=300)
    assert done.returncode == 0, done.stderr
    assert f"# pinned_cpus: {','.join(map(str, range(4096)))}\n" in done.stdout
    assert "# state: cpu=4095 state=1 latency=1 residency=1 disable=1 name=C1\n" in done.stdout
    # CPU 4095 and its waker, CPU 0, in words of 32 bits
    words = ",".join(["80000000", *["00000000"] * 126, "00000001"])
    assert (machine.directory / "seen/tracing_cpumask").read_text() == f"{words}\n"
    assert machine.set == before
    assert machine.left == []
    done = machine.run(RECORD, shell, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n# state: ") == 2 * 4096
    assert machine.set == before
    assert machine.left == []
    taken = subprocess.run(
        machine.words(collect, shell), capture_output=True, timeout=300, check=False
    )
    with tarfile.open(fileobj=BytesIO(taken.stdout)) as tar:
        file = tar.extractfile("idle-states-collection/cpuidle.txt")
        assert file is not None
        assert file.read().count(b"/name:") == 2 * 4096


@as_root
@pytest.mark.parametrize("shell", few(1, SHELLS))
@pytest.mark.parametrize("unplugged", ["cpu1", "cpu1/cpuidle", "cpu1/cpuidle/state1"])
def test_a_cpu_that_goes_away_while_it_is_measured(
    machine: MadeMachine, shell: str, unplugged: str
) -> None:
    # it is asked for where a round begins
    machine.program("renice", f"rm -rf {machine.directory}/cpu/{unplugged}")
    before = machine.set
    done = machine.run(MEASURE, shell)
    if unplugged != "cpu1/cpuidle/state1":
        assert done.returncode == 1
        assert "cannot enable state0 of CPU 1" in done.stderr
    assert "not there any more" in done.stderr
    assert machine.set.items() <= before.items()
    assert machine.left == []


@as_root
@pytest.mark.parametrize("shell", few(1, SHELLS))
@pytest.mark.parametrize(
    ("prepared", "prefix", "said"),
    [
        ("mount -o remount,bind,ro /sys/devices/system/cpu", (), "cannot write to "),
        (
            "mount -t tmpfs none /sys/kernel/tracing && mount -t tmpfs none /sys/kernel/debug",
            ("setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin"),
            "cannot mount tracefs",
        ),
        ("mount -o remount,bind,ro /sys/kernel/tracing", (), "cannot make the tracing instance"),
        (
            "mount -t tmpfs none /sys/devices/system/cpu",
            (),
            "this kernel has no cpuidle",
        ),
    ],
)
def test_measure_leaves_nothing_where_it_cannot_measure(
    machine: MadeMachine, shell: str, prepared: str, prefix: tuple[str, ...], said: str
) -> None:
    machine.prepared = prepared
    before = machine.set
    done = machine.run(MEASURE, shell, prefix)
    assert done.returncode == 1
    assert said in done.stderr
    assert "cannot put" not in done.stderr
    assert done.stdout == ""
    assert machine.set == before
    assert machine.left == []


@as_root
@pytest.mark.parametrize("shell", few(1, SHELLS))
@pytest.mark.parametrize("size", ["4k", "8k", "16k", "20k", "24k"])
def test_measure_prints_no_part_where_the_disk_is_full(
    machine: MadeMachine, shell: str, size: str
) -> None:
    """Nothing is changed before all that puts it back is written."""
    (machine.directory / "instance/trace").write_text("x [000] 1.0: y\n" * 800)
    machine.run_size = size
    before = machine.set
    done = machine.run(MEASURE, shell)
    assert done.returncode == 1, done.stderr
    assert done.stdout == ""
    assert machine.set == before
    assert machine.left == []


def children(session: int) -> list[str]:
    """Processes of a session that are still there."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if words[3] == str(session) and words[0] != "Z":
            found.append(stat.parent.name)
    return found


@as_root
@pytest.mark.parametrize("shell", few(1, SHELLS))
@pytest.mark.parametrize("which", ["measure", "record"])
def test_all_is_put_back_whenever_they_are_interrupted(
    tmp_path: Path, shell: str, which: str
) -> None:
    rng = random.Random(f"{shell} {which}")
    for number in range(examples(2, 6)):
        machine = MadeMachine(tmp_path / str(number))
        before = machine.set
        process = subprocess.Popen(
            machine.words(MEASURE if which == "measure" else RECORD, f"setsid {shell}"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        time.sleep(0.05 + rng.random() * 1.2)
        # the script's own shell: what stands around it ends after it
        main_shell = None
        for each in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = each.read_bytes().split(b"\0")
            except OSError:
                continue
            if str(machine.directory / "script.sh").encode() in words and b"-c" not in words:
                pid = int(each.parent.name)
                if os.getsid(pid) == pid:
                    main_shell = pid
        kill = which == "measure" and rng.random() < 0.3
        if main_shell is not None:
            sent = signal.SIGKILL if kill else rng.choice(SIGNALS)
            whole = not kill and rng.random() < 0.5
            try:
                (os.killpg if whole else os.kill)(main_shell, sent)
            except ProcessLookupError:
                main_shell = None
        process.wait(60)
        for _ in range(300):
            if main_shell is None or not children(main_shell):
                break
            time.sleep(0.1)
        else:
            pytest.fail(f"still there: {children(main_shell)}")
        assert machine.set == before
        assert machine.left == [] or (kill and machine.left == ["idle_states_measure"])


@as_root
@pytest.mark.parametrize("is_whole", [True, False])
def test_another_measurement_is_left_alone(machine: MadeMachine, is_whole: bool) -> None:
    there = "/run/idle_states_measure"
    machine.program(
        "id", f"mkdir {there}; {f'echo x > {there}/restore;' if is_whole else ''} echo 0"
    )
    done = machine.run(MEASURE)
    assert done.returncode == 1
    assert (
        f"another measurement is under way, or could not put things back: sh {there}" in done.stderr
    )
    assert machine.left == ["idle_states_measure"]
