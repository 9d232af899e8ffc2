"""The recording script: every shell can read it, and it refuses where it cannot record.

What it refuses is tried for real, in a mount namespace whose /sys and /proc lack what it needs.
That it records and cleans up was tried on powernv9 and powernv10 guests (tests/data/recordings).
"""

import functools
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from idle_states.cli import main
from idle_states.lab.record.request import RecordOptions
from idle_states.lab.record.script import ARCHS, GOVERNORS, script
from tests.support.thorough import slow

Capture = pytest.CaptureFixture[str]
UNDER_WAY = (
    "another recording is under way: /sys/kernel/tracing has idle_states already; what one that "
    "was killed left is removed by rmdir /sys/kernel/tracing/instances/idle_states and, where "
    "probes are left, a reboot"
)
HERE = next((arch for arch in ARCHS if arch.machine == platform.machine()), None)


def missing(program: str) -> "pytest.MarkDecorator":
    reason = f"{program} is not installed (Debian package {program})"
    return pytest.mark.skipif(not shutil.which(program), reason=reason)


@pytest.mark.parametrize(
    "reader",
    [
        pytest.param(["sh", "-n"], id="sh"),
        pytest.param(["dash", "-n"], id="dash", marks=missing("dash")),
        pytest.param(["busybox", "sh", "-n"], id="busybox", marks=missing("busybox")),
        pytest.param(["shellcheck", "-s", "sh"], id="shellcheck", marks=missing("shellcheck")),
    ],
)
@pytest.mark.parametrize("governor", [*GOVERNORS, "haltpoll"])
@pytest.mark.parametrize(
    "arch", [*slow(*ARCHS), None], ids=lambda arch: arch.name if arch else "all"
)
def test_every_shell_can_read_it(
    tmp_path: Path, capsys: Capture, reader: list[str], governor: str, arch: object
) -> None:
    words = ["collect", "--record", "--governor", governor, "--restart-governor"]
    words += ["--arch", arch.name] if arch in ARCHS else []
    for more in ([], ["--wake-ups"]) if governor in GOVERNORS else (["--wake-ups"],):
        assert main([*words, *more]) == 0
        file = tmp_path / "record.sh"
        file.write_text(capsys.readouterr().out)
        done = subprocess.run([*reader, file], capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_registers_are_the_architectures() -> None:
    """First, second and third argument, and the stack pointer, as the kernel's probes name them."""
    lines = re.findall(r"^(\w+)\) arch=(\S+) (first=.*) ;;$", script(RecordOptions()), re.MULTILINE)
    assert lines == [
        ("ppc64le", "ppc64le", "first=%gpr3 second=%gpr4 third=%gpr5 stack=%gpr1"),
        ("x86_64", "x86-64", "first=%di second=%si third=%dx stack=%sp"),
        ("aarch64", "arm64", "first=%x0 second=%x1 third=%x2 stack=%sp"),
    ]


def probes(governor: str) -> set[tuple[str, str]]:
    found = re.findall(
        r"^probe [pr] (\w+) (\w+)", script(RecordOptions(governor=governor)), re.MULTILINE
    )
    return {(name, function) for name, function in found}


def test_probes_are_those_of_the_governor() -> None:
    common = {
        ("is_latency", "cpuidle_governor_latency_req"),
        ("is_stopped", "tick_nohz_tick_stopped"),
    }
    timers = {
        ("is_sleep_in", "tick_nohz_get_sleep_length"),
        ("is_sleep_out", "tick_nohz_get_sleep_length"),
        ("is_sleep", "tick_nohz_get_sleep_length"),
        ("is_iowait", "nr_iowait_cpu"),
        ("is_tick", "tick_nohz_idle_got_tick"),
    }
    selects = ("is_select_in", "is_select_out", "is_begin", "is_decide")
    for name, select in (("menu", "menu_select"), ("ladder", "ladder_select_state")):
        own = {(probe, select) for probe in selects}
        own |= {("is_reset", f"{name}_enable_device"), ("is_reflect", f"{name}_reflect")}
        assert probes(name) == common | own | (timers if name == "menu" else set())


# Refusals


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., str]:
    """Runs the script: what it says on standard error, having printed and made nothing."""

    def run(*prefix: str, governor: str = "menu", restart: bool = False, **options: object) -> str:
        file = tmp_path / "record.sh"
        file.write_text(script(RecordOptions(governor=governor, restart_governor=restart)))
        os.chmod(tmp_path, 0o755)
        done = subprocess.run(
            [*prefix, "sh", str(file)], capture_output=True, text=True, timeout=60, **options
        )
        assert done.returncode == 1, done.stderr
        assert done.stdout == ""
        return done.stderr

    return run


@functools.cache
def namespaces() -> bool:
    probe = ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/sys/devices/system/cpu"]
    try:
        return subprocess.run(probe, capture_output=True).returncode == 0
    except OSError:
        return False


as_root = pytest.mark.skipif(
    os.geteuid() != 0 or HERE is None or not namespaces(),
    reason="needs root, a mount namespace and a machine that can be recorded on",
)


def test_other_users_are_refused(tmp_path: Path) -> None:
    text = script(RecordOptions())
    user = 65534 if os.geteuid() == 0 else None
    done = subprocess.run(
        ["sh", "-s"], input=text, capture_output=True, text=True, user=user, cwd="/"
    )
    assert done.returncode == 1
    number = os.geteuid() if user is None else user
    assert done.stderr == f"record: expected to run as root, found user {number}\n"


@pytest.mark.parametrize("lacking", ["awk", "sed", "mkdir"])
def test_a_missing_program_is_named(run: Callable[..., str], tmp_path: Path, lacking: str) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for tool in "awk cat grep id kill mkdir rmdir sed sh sleep uname".split():
        path = shutil.which(tool)
        if path and tool != lacking:
            (programs / tool).symlink_to(path)
    said = run(env={"PATH": str(programs)})
    assert said == f"record: expected the program {lacking}, found none\n"


@as_root
def test_old_kernels_are_refused(run: Callable[..., str]) -> None:
    setarch = shutil.which("setarch")
    if setarch is None:
        pytest.skip("setarch is not installed (Debian package util-linux)")
    said = run(setarch, platform.machine(), "--uname-2.6")
    assert "expected Linux 5.6 or later for menu, found 2.6." in said
    said = run(setarch, platform.machine(), "--uname-2.6", governor="teo")
    assert "expected Linux 6.14 or later for teo, found 2.6." in said


@as_root
def test_other_architectures_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    others = [arch for arch in ARCHS if arch is not HERE]
    monkeypatch.setattr("idle_states.lab.record.script.ARCHS", others)
    done = subprocess.run(
        ["sh", "-s"], input=script(RecordOptions()), capture_output=True, text=True
    )
    expected = " or ".join(arch.machine for arch in others)
    assert done.returncode == 1
    assert done.stderr == f"record: expected {expected}, found {platform.machine()}\n"


CPUIDLE = """
mount -t tmpfs none /sys/devices/system/cpu
mkdir -p /sys/devices/system/cpu/cpuidle
cd /sys/devices/system/cpu/cpuidle
echo menu > current_governor
echo powernv_idle > current_driver
echo ladder menu > available_governors
"""
TRACING = f"""{CPUIDLE}
mount -t tmpfs none /sys/kernel/tracing
cd /sys/kernel/tracing
mkdir -p instances events/power/cpu_idle
echo nop > current_tracer
: > trace
: > kprobe_events
"""
NO_TRACEFS = f"""{CPUIDLE}
grep -v tracefs /proc/filesystems > /sys/devices/system/cpu/filesystems
mount --bind /sys/devices/system/cpu/filesystems /proc/filesystems
for mounted in $(sed -n 's/^[^ ]* \\([^ ]*\\) tracefs .*/\\1/p' /proc/mounts); do
    umount "$mounted"
done
mount -t tmpfs none /sys/kernel/debug  # where tracefs would mount itself
"""
LISTED = """
find /sys/devices/system/cpu -type f -exec cat {} + -o -print
cd /sys/kernel/tracing && cat current_tracer tracing_on dynamic_events kprobe_events set_event
"""
"""Every file of the CPUs with its contents, and what of tracefs the script sets."""


@as_root
@pytest.mark.parametrize(
    ("prepared", "said"),
    [
        ("mount -t tmpfs none /sys/devices/system", "expected /sys to be mounted"),
        (f"{CPUIDLE} mount -t tmpfs none /proc", "expected /proc to be mounted"),
        (
            "mount -t tmpfs none /sys/devices/system/cpu",
            "expected /sys/devices/system/cpu/cpuidle: this kernel has no cpuidle",
        ),
        (f"{CPUIDLE} echo teo > current_governor", "expected the governor menu, found teo"),
        (
            f"{CPUIDLE} mv current_governor current_governor_ro; echo teo > current_governor_ro",
            "expected the governor menu, found teo",
        ),
        (f"{CPUIDLE} : > current_governor", "expected the governor menu, found none"),
        (f"{CPUIDLE} echo none > current_driver", "expected a cpuidle driver, found none"),
        (f"{CPUIDLE} rm current_driver", "expected a cpuidle driver, found none"),
        (NO_TRACEFS, "expected tracefs, found none: this kernel is built without tracing"),
        (
            f"{TRACING} rm kprobe_events",
            "expected kprobe events, found none in /sys/kernel/tracing",
        ),
        (f"{TRACING} rmdir events/power/cpu_idle", "expected the tracepoint power:cpu_idle"),
        (
            f"{TRACING} echo function > current_tracer",
            "expected no other tracer, found function in /sys/kernel/tracing/current_tracer",
        ),
        (
            f"{TRACING} mkdir instances/idle_states",
            UNDER_WAY,
        ),
        (
            f"{TRACING} echo p:idle_states/is_begin menu_select > kprobe_events",
            UNDER_WAY,
        ),
        (f"{TRACING} rmdir instances", "cannot make a tracing instance"),
    ],
)
def test_what_is_missing_is_named_and_nothing_is_changed(
    tmp_path: Path, run: Callable[..., str], prepared: str, said: str
) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    around = f'{prepared}\n({LISTED}) > {before} 2>&1; "$@"; status=$?\n'
    around += f"({LISTED}) > {after} 2>&1; exit $status"
    error = run("unshare", "-m", "sh", "-c", around, "-")
    assert error == f"record: {said}\n"
    assert before.read_bytes() == after.read_bytes()


@as_root
def test_switching_needs_a_second_governor(run: Callable[..., str]) -> None:
    alone = f'{CPUIDLE} echo menu > available_governors; "$@"'
    said = run("unshare", "-m", "sh", "-c", alone, "-", restart=True)
    assert said == "record: expected another governor to switch to, found menu only\n"
