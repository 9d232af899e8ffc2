"""Boots that were recorded, as if they had just come out of a guest."""

import gzip
import re
from pathlib import Path

from idle_states.base.model.table import IdleTable
from idle_states.change.boot import console
from idle_states.change.boot.boot import boot
from idle_states.change.boot.booted import Booted, RecordedWorkload, booted_of
from idle_states.change.boot.parts import Parts
from idle_states.change.boot.powernv import predict
from idle_states.change.boot.powernv.boot import PowernvBoot, PowernvResult
from idle_states.change.boot.powernv.image import BootedFirmware
from idle_states.change.boot.predict_decisions import decision_stages
from idle_states.change.boot.request import BootRequest
from idle_states.change.boot.virt.boot import SCRIPT as VIRT_SCRIPT
from idle_states.change.boot.workload import workload
from idle_states.tables.devicetree import fdt
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.spec.library import find
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
    sections = {
        "uname": f"Linux {version[1]} {version[2]} ppc64le",
        "cpuidle": (trees / f"{machine}.sysfs.txt").read_text(),
        "dmesg": linux,
        "msglog": opal,
    }
    tree = (trees / f"{machine}.dtb").read_bytes()
    return Booted(sections, {"fdt": tree}, directory / "console.log")


def changed(booted: Booted, **sections: str | bytes) -> Booted:
    """Returns a boot whose guest printed something else in some sections."""
    texts = {name: text for name, text in sections.items() if isinstance(text, str)}
    raw = {name: content for name, content in sections.items() if isinstance(content, bytes)}
    return Booted({**booted.sections, **texts}, {**booted.raw, **raw}, booted.log, booted.crash)


def with_workload(booted: Booted, recorded: RecordedWorkload) -> Booted:
    """Returns a boot in which this was recorded."""
    return changed(
        booted,
        recording=recorded.recording,
        recorder=recorded.complaints,
        before=recorded.before,
        after=recorded.after,
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


def recorded_virt(machine: str) -> tuple[Node, Booted]:
    """Returns the tree that a virt machine was given, and what its guest printed
    (tests/data/boots): of virt-arm64 with the table power-down of tools/virt_tables.py, of
    virt-riscv64 with cluster. virt-arm64-teo is the first with a kernel of tools/guest_kernel.py,
    while teo's decisions were recorded and nothing ran."""
    where = DATA / "boots" / machine
    log = where / "console.txt"
    text = log.read_text()
    found = console.sections(text, VIRT_SCRIPT.names("@@begin recording@@" in text))
    given = fdt.read((where / "given.dtb").read_bytes(), "given.dtb")
    return given, booted_of(found, log)


def boot_with(parts: Parts, request: BootRequest, logs: Path) -> Booted:
    """Boots a powernv machine with parts of the test's own."""
    assert parts.lid is not None
    firmware = BootedFirmware(parts.lid, find("power9"), "power9")
    return boot(PowernvBoot(request, parts, (), logs, firmware))


def boot_result(booted: Booted, table: IdleTable, directory: Path) -> PowernvResult:
    """Returns what is said of a boot of a powernv9 with a table. directory: where its logs are."""
    predicted = predict.predict(table, "powernv9", booted)
    selected, usage, replayed = decision_stages(predicted, booted.recorded, directory)
    return PowernvResult(
        BootRequest("powernv9", workload=workload("idle") if booted.recorded else None),
        predicted,
        (*predict.stages(predicted, booted, 1), selected, usage),
        {},
        ("stop2: a reason",),
        "QEMU emulator version 7.2",
        12.3,
        (("skiboot.lid", "0" * 64),),
        directory,
        "power9",
        replayed,
    )
