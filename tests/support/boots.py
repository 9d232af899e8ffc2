"""Boots that were recorded, as if they had just come out of a guest."""

import gzip
import re
from pathlib import Path

from idle_states.boot import console, predict
from idle_states.boot.boot import Booted, RecordedWorkload
from idle_states.boot.guest import RECORDED
from idle_states.boot.predict_decisions import decision_stages
from idle_states.boot.request import BootRequest
from idle_states.boot.result import BootResult
from idle_states.boot.virt import guest
from idle_states.boot.virt.boot import VirtBooted
from idle_states.boot.workload import workload
from idle_states.devicetree import fdt
from idle_states.devicetree.tree import Node
from idle_states.table import IdleTable
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


def recorded_virt(machine: str) -> tuple[Node, VirtBooted]:
    """Returns the tree that a virt machine was given, and what its guest printed
    (tests/data/boots): of virt-arm64 with the table power-down of tools/virt_tables.py, of
    virt-riscv64 with cluster. virt-arm64-teo is the first with a kernel of tools/guest_kernel.py,
    while teo's decisions were recorded and nothing ran."""
    where = DATA / "boots" / machine
    log = where / "console.txt"
    text = log.read_text()
    recorded = RECORDED if "@@begin recording@@" in text else ()
    found = console.sections(text, (*guest.SECTIONS, *recorded))
    raw = "fdt", "recording"
    texts = {name: data.decode() for name, data in found.items() if name not in raw}
    given = fdt.read((where / "given.dtb").read_bytes(), "given.dtb")
    return given, VirtBooted(texts, found["fdt"], log, found.get("recording"))


def boot_result(booted: Booted, table: IdleTable, directory: Path) -> BootResult:
    """Returns what is said of a boot of a powernv9 with a table. directory: where its logs are."""
    predicted = predict.predict(table, "powernv9", booted)
    selected, usage, replayed = decision_stages(predicted, booted.recorded, directory)
    return BootResult(
        BootRequest("powernv9", workload=workload("idle") if booted.recorded else None),
        "power9",
        predicted,
        (*predict.stages(predicted, booted, 1), selected, usage),
        replayed,
        ("stop2: a reason",),
        "QEMU emulator version 7.2",
        12.3,
        (("skiboot.lid", "0" * 64),),
        directory,
    )
