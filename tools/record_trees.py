"""Boots QEMU's machines with stock parts and keeps what they say, as data for tests: make trees.

MACHINE.dtb        the flat device tree skiboot handed to Linux
MACHINE.sysfs.txt  attributes of the CPUs' idle states
MACHINE.log.txt    what OPAL and Linux logged about idle states, and which of each it was
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from idle_states.boot import parts as boot_parts
from idle_states.boot import qemu
from idle_states.boot.boot import Booted, BootFailure, boot
from idle_states.boot.debian import Unavailable
from idle_states.boot.parts import Parts
from idle_states.boot.request import BootRequest
from tests.support import DATA
from tools.command_line import asked

TREES = DATA / "trees"

_OPAL = re.compile(
    r"^\[[^]]*\] (?:OPAL \S+ starting|SLW:|CPU idle state|NVRAM stop disable mask).*", re.MULTILINE
)
_LINUX = re.compile(r"^\[[^]]*\] (?:Linux version|cpuidle|powernv_idle).*", re.MULTILINE)


def record(parts: Parts, machine: str, version: str) -> None:
    with tempfile.TemporaryDirectory() as logs:
        booted = boot(parts, BootRequest(machine), logs=Path(logs))
    TREES.mkdir(parents=True, exist_ok=True)
    (TREES / f"{machine}.dtb").write_bytes(booted.fdt)
    (TREES / f"{machine}.sysfs.txt").write_text(booted.sysfs)
    (TREES / f"{machine}.log.txt").write_text(_log(booted, version))


def _log(booted: Booted, version: str) -> str:
    lines = [f"# {version}", "# OPAL", *_OPAL.findall(booted.msglog)]
    lines += ["# Linux", *_LINUX.findall(booted.dmesg)]
    return "\n".join(lines) + "\n"


def main() -> int:
    try:
        parts = boot_parts.parts()
        asked = subprocess.run([parts.qemu, "--version"], capture_output=True, text=True)
        for machine in qemu.MACHINES:
            print(f"booting {machine}", file=sys.stderr)
            record(parts, machine, asked.stdout.splitlines()[0])
    except (Unavailable, BootFailure) as problem:
        print(problem, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    asked(__doc__)
    sys.exit(main())
