"""Boots that were recorded, as if they had just come out of a guest."""

import gzip
import re
from pathlib import Path

from idle_states.boot.boot import Booted, RecordedWorkload
from tests.support import DATA, ROOT

HOME = ROOT / "build/cache"
"""XDG_CACHE_HOME of tests that boot: what they fetch is kept for the next run."""
CACHE = HOME / "idle-states/boot"
MACHINES = ("powernv8", "powernv9", "powernv10")


def recorded_boot(machine: str, directory: Path) -> Booted:
    """Returns a recorded boot from tests/data/trees as if it had just ended. directory: where its
    log is put."""
    trees = DATA / "trees"
    text = (trees / f"{machine}.log.txt").read_text()
    opal, linux = text.partition("# OPAL\n")[2].split("# Linux\n")
    version = re.search(r"Linux version (\S+) .* (#1 SMP Debian .*)", linux)
    assert version
    return Booted(
        fdt=(trees / f"{machine}.dtb").read_bytes(),
        uname=f"Linux {version[1]} {version[2]} ppc64le",
        sysfs=(trees / f"{machine}.sysfs.txt").read_text(),
        dmesg=linux,
        msglog=opal,
        log=directory / "console.log",
    )


def recorded_workload() -> RecordedWorkload:
    """Returns the recorded workload of a powernv9 with one CPU, mostly idle (tests/data/boots)."""
    where = DATA / "boots" / "powernv9"
    return RecordedWorkload(
        gzip.decompress((where / "recording.txt.gz").read_bytes()),
        "record: recording for 600 s\n",
        (where / "before.txt").read_text(),
        (where / "after.txt").read_text(),
    )
