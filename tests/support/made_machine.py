"""A machine's sysfs and tracefs made of files, for the scripts that root runs: mounted over the
real ones in a mount namespace of their own, where a CPU may go away and a file system be full.

What tracefs does itself, mkdir and rmdir of an instance do here, found first on PATH.
"""

import functools
import os
import platform
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

CPUS = Path("/sys/devices/system/cpu")
STATES = ("POLL", "C1")
EVENTS = (
    "power/cpu_idle",
    "power/cpu_idle_miss",
    "timer/hrtimer_start",
    "timer/hrtimer_expire_entry",
    "sched/sched_waking",
    "irq_vectors/reschedule_entry",
    "idle_states",
)
_WRAPPERS = {
    "mkdir": 'case $1 in */instances/*) exec {cp} -R {made}/instance "$1" ;; esac\n'
    'exec {mkdir} "$@"',
    "rmdir": "case $1 in */instances/*) {rm} -rf {made}/seen && "
    'exec {mv} "$1" {made}/seen ;; esac\nexec {rmdir} "$@"',
}
SHELLS = ("dash", "bash", "busybox sh")


@functools.cache
def _namespaces() -> bool:
    probe = ["unshare", "-m", "mount", "-t", "tmpfs", "none", str(CPUS)]
    try:
        return subprocess.run(probe, capture_output=True).returncode == 0
    except OSError:
        return False


as_root = pytest.mark.skipif(
    os.geteuid() != 0 or platform.machine() not in ("x86_64", "aarch64") or not _namespaces(),
    reason="needs root, a mount namespace and a machine that can be recorded on",
)


@dataclass
class MadeMachine:
    """directory: where its files are; `seen` there is the last tracing instance as it was when it
    was removed. prepared: shell commands that run in the namespace before the script does."""

    directory: Path
    cpus: int = 2
    prepared: str = ""
    run_size: str = "1m"

    def __post_init__(self) -> None:
        made = self.directory
        programs = made / "bin"
        programs.mkdir(parents=True)
        tools = {name: shutil.which(name) for name in ("cp", "mkdir", "mv", "rm", "rmdir")}
        for name, text in _WRAPPERS.items():
            (programs / name).write_text(f"#!/bin/sh\n{text.format(made=made, **tools)}\n")
            (programs / name).chmod(0o755)
        self._files(
            made / "cpu",
            {
                "online": f"0-{self.cpus - 1}",
                "cpuidle/current_governor": "menu",
                "cpuidle/available_governors": "ladder menu",
                "cpuidle/current_driver": "made_idle",
            },
        )
        for cpu in range(self.cpus):
            files = {"topology/thread_siblings_list": str(cpu)}
            for state, name in enumerate(STATES):
                texts = {"name": name, "latency": state, "residency": state, "power": 0}
                texts["disable"] = int(cpu == self.cpus - 1 and state == 1)
                files |= {f"cpuidle/state{state}/{k}": str(v) for k, v in texts.items()}
            self._files(made / "cpu" / f"cpu{cpu}", files)
        events = {f"events/{event}/enable": "0" for event in EVENTS}
        self._files(
            made / "tracing",
            {
                "trace": "",
                "current_tracer": "nop",
                "kprobe_events": "",
                "kprobe_profile": "",
                **events,
            },
        )
        (made / "tracing/instances").mkdir()
        options = (
            "options/overwrite",
            "options/raw",
            "trace_clock",
            "buffer_size_kb",
            "tracing_on",
        )
        names = ("tracing_cpumask", "events/enable", *options)
        self._files(made / "instance", dict.fromkeys(names, "0") | events)
        offsets = "".join(
            f"  <idle>-0 [000] d... 1.0: {name}_in: (x) ptr=144\n"
            f"  <idle>-0 [000] d... 1.0: {name}_out: (x) sp=128\n"
            for name in ("is_sleep", "is_select")
        )
        (made / "instance/trace").write_text(offsets)

    @staticmethod
    def _files(below: Path, texts: Mapping[str, str]) -> None:
        for name, text in texts.items():
            path = below / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{text}\n" if text else "")

    def program(self, name: str, text: str) -> None:
        """Makes a program that is found before the machine's own."""
        path = self.directory / "bin" / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def words(self, script: str, shell: str = "sh", prefix: Sequence[str] = ()) -> list[str]:
        """Returns the command that runs a script on this machine."""
        file = self.directory / "script.sh"
        file.write_text(script)
        (self.directory / "run").mkdir(exist_ok=True)
        around = (
            f"mount --bind {self.directory}/cpu {CPUS} && "
            f"mount --bind {self.directory}/tracing /sys/kernel/tracing && "
            f"{self.prepared or ':'} && "
            f"mount -t tmpfs -o size={self.run_size} none /run && "
            f"PATH={self.directory}/bin:$PATH && export PATH || exit 99\n"
            f'"$@"; status=$?; ls -A -I mount /run > {self.directory}/left; exit $status'
        )
        return [
            *("unshare", "-m", "--propagation", "private", "sh", "-c", around, "-"),
            *prefix,
            *shell.split(),
            str(file),
        ]

    def run(
        self, script: str, shell: str = "sh", prefix: Sequence[str] = (), timeout: int = 120
    ) -> "subprocess.CompletedProcess[str]":
        words = self.words(script, shell, prefix)
        return subprocess.run(words, capture_output=True, text=True, timeout=timeout, check=False)

    @property
    def set(self) -> dict[str, str]:
        """Returns what scripts may change on the machine: path -> content."""
        names = ("cpu*/cpuidle/state*/disable", "cpuidle/current_governor")
        files = (path for name in names for path in (self.directory / "cpu").glob(name))
        return {str(path.relative_to(self.directory)): path.read_text() for path in files}

    @property
    def left(self) -> list[str]:
        """Returns what a script left in /run, where mount notes what it does, of tracing instances,
        and of probes."""
        probes = (self.directory / "tracing/kprobe_events").read_text().splitlines()
        made = {line.split(":")[1].split()[0] for line in probes if line[:1] in ("p", "r")}
        gone = {line[2:] for line in probes if line.startswith("-:")}
        return [
            *(self.directory / "left").read_text().split(),
            *os.listdir(self.directory / "tracing/instances"),
            *sorted(made - gone),
        ]
