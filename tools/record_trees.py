"""Boots QEMU's machines with stock parts and keeps what they say, as data for tests: make trees.

MACHINE.dtb        the flat device tree skiboot handed to Linux
MACHINE.sysfs.txt  attributes of the CPUs' idle states
MACHINE.log.txt    what OPAL and Linux logged about idle states, and which of each it was
"""

import re
import sys
import tempfile
from pathlib import Path

from idle_states.change.boot import parts as boot_parts
from idle_states.change.boot.boot import BootFailure, boot
from idle_states.change.boot.booted import Booted
from idle_states.change.boot.debian import Unavailable
from idle_states.change.boot.powernv.boot import read
from idle_states.change.boot.powernv.machines import POWERNV
from idle_states.change.boot.qemu import version
from idle_states.change.boot.request import BootRequest
from tests.support import DATA
from tools.command_line import parsed

TREES = DATA / "trees"

_OPAL = re.compile(
    r"^\[[^]]*\] (?:OPAL \S+ starting|SLW:|CPU idle state|NVRAM stop disable mask).*", re.MULTILINE
)
_LINUX = re.compile(r"^\[[^]]*\] (?:Linux version|cpuidle|powernv_idle).*", re.MULTILINE)


def record(machine: str) -> None:
    parts = boot_parts.parts(POWERNV[machine])
    with tempfile.TemporaryDirectory() as directory:
        logs = Path(directory)
        booted = boot(read(BootRequest(machine))(parts, logs, logs, print))
    TREES.mkdir(parents=True, exist_ok=True)
    (TREES / f"{machine}.dtb").write_bytes(booted.fdt)
    (TREES / f"{machine}.sysfs.txt").write_text(booted.sections["cpuidle"])
    (TREES / f"{machine}.log.txt").write_text(_log(booted, version(parts.qemu)))


def _log(booted: Booted, qemu: str) -> str:
    lines = [f"# {qemu}", "# OPAL", *_OPAL.findall(booted.sections["msglog"])]
    lines += ["# Linux", *_LINUX.findall(booted.sections["dmesg"])]
    return "\n".join(lines) + "\n"


def main() -> int:
    try:
        for machine in POWERNV:
            print(f"booting {machine}", file=sys.stderr)
            record(machine)
    except (Unavailable, BootFailure) as problem:
        print(problem, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    parsed(__doc__)
    sys.exit(main())
