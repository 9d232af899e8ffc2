"""Causes planted in guests of QEMU, and what the collection script gathers there: for `why`."""

import gzip
import io
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

from idle_states.base.model.table import IdleTable
from idle_states.change.boot import qemu
from idle_states.change.boot.boot import sections_of
from idle_states.change.boot.guest import initramfs_of
from idle_states.change.boot.machines import MACHINES
from idle_states.change.boot.parts import Parts
from idle_states.change.boot.powernv import image, levels
from idle_states.change.boot.powernv.machines import POWERNV
from idle_states.change.boot.q35.machine import CPU
from idle_states.change.boot.virt.boot import tree_of
from idle_states.change.boot.virt.graft import cpus_of, graft
from idle_states.change.boot.virt.machines import VIRT
from idle_states.lab.record.answer import script_of
from idle_states.lab.record.request import CollectRequest
from idle_states.tables.devicetree import fdt
from idle_states.tables.spec.library import find
from tools import q35_tables, virt_tables

TIED = "power9 with stop1's times for stop0"
TOP = "idle-states-collection"
_KEPT = (
    *(f"{TOP}/{name}.txt" for name in ("cpuidle", "machine", "uname")),
    *(f"{TOP}/device-tree/{name}" for name in ("cpus", "firmware", "ibm,opal/power-mgt")),
)
"""The files of a collection that `why` reads; no text of the kernel's is kept."""
_LEFT_OUT = "ibm,powerpc-cpu-features"
"""Hundreds of files of a tree, none of which tells of idle states."""
_INIT = """#!/bin/sh
PATH=/bin
/bin/busybox --install -s /bin
mkdir -p /tmp /boot /etc
chmod 1777 /tmp
printf '%s\\n' root::0:0::/:/bin/sh nobody::65534:65534::/:/bin/sh > /etc/passwd
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
dmesg -n 1
cpus=/sys/devices/system/cpu
held=''
who=root

# each FILE TEXT: into that file of all CPUs
each() {{ for file in $cpus/cpu[0-9]*/$1; do echo "$2" > "$file"; done; }}

# on CPU COMMAND: in the background
on() {{ taskset "$(printf %x $((1 << $1)))" sh -c "$2" & held="$held $!"; }}

# wakes CPU: each millisecond, without a new process
wakes() {{
    mkfifo /never
    on "$1" 'exec 3<> /never; while :; do read -r -t 0.001 line <&3; done'
}}

# holds VALUE: a latency limit of the whole machine
holds() {{
    sh -c "exec 3> /dev/cpu_dma_latency; echo -n $1 >&3; exec sleep 1000" &
    held="$held $!"
}}

# copy: of what a person would copy by hand
copy() {{
    for path in sys/devices/system/cpu sys/firmware/acpi/tables sys/firmware/devicetree/base \\
        sys/module/processor/parameters sys/module/cpuidle/parameters proc/version proc/cmdline
    do
        mkdir -p "/copied/${{path%/*}}"
        cp -r "/$path" "/copied/$path"
    done
    ln -s ../sys/firmware/devicetree/base /copied/proc/device-tree
    tar -C /copied -cf /copy.tar .
}} 2> /dev/null

undo() {{
    for pid in $held; do kill "$pid"; done
    held=''
    who=root
    each online 1
    each 'cpuidle/state*/disable' 0
    each power/pm_qos_resume_latency_us 0
}} 2> /dev/null

echo "@@stage workload@@"
{plants}
echo "@@stage collecting@@"
for section in {sections}; do
    echo "@@begin $section@@"
    gzip -c "/$section" | base64
    echo "@@end $section@@"
done
poweroff -f
"""
_PLANT = """
{shell}
sleep {seconds}
su "$who" -c 'sh /collect.sh' > /{number}.tar 2> /{number}.said
[ -e /copy.tar ] || copy
undo
"""


@dataclass(frozen=True)
class Guest:
    """A guest of QEMU. table: of tools/, or of a revision; words: of its command line; suite:
    Debian's release that the kernel is of, None for the machine's own."""

    machine: str
    table: str
    words: str = ""
    smp: int = 2
    levels: int | None = None
    suite: str | None = None

    @property
    def why(self) -> str:
        """The peculiarity of the table."""
        return f"the table {self.table}" if self.machine in POWERNV else _table(self).why


@dataclass(frozen=True)
class Planted:
    """A cause planted in a guest.

    shell  plants it, as functions of the guest's script can
    state  that `why` is asked for
    cpus   that it is said of; (): no CPU has the state
    kinds  of the reasons that are expected; words of the first
    seconds  that the cause has to work
    acpi     ACPI's tables are kept with the collection
    """

    guest: str
    shell: str
    state: str
    cpus: Sequence[int]
    kinds: Sequence[str]
    words: str = ""
    seconds: int = 1
    acpi: bool = False

    @property
    def timed(self) -> bool:
        """Tells whether it shows only after a while of work."""
        return self.seconds > 1


def boot(
    name: str, guest: Guest, planted: Mapping[str, Planted], parts: Parts, scratch: Path
) -> Iterator[tuple[str, bytes, str]]:
    """Boots a guest and yields (cause, collection, what the script said) of the causes in it, and
    ("", copy of /sys and /proc, "") under the first one."""
    here = {cause: each for cause, each in planted.items() if each.guest == name}
    plants = "".join(
        _PLANT.format(shell=each.shell, seconds=each.seconds, number=number)
        for number, each in enumerate(here.values())
    )
    sections = [f"{number}.{kind}" for number in range(len(here)) for kind in ("tar", "said")]
    sections.append("copy.tar")
    init = _INIT.format(plants=plants, sections=" ".join(sections))
    initrd = scratch / "initrd.gz"
    scripts = {"collect.sh": script_of(CollectRequest())}
    initrd.write_bytes(initramfs_of(parts.busybox.read_bytes(), init, scripts=scripts))
    machine = MACHINES[guest.machine]
    asked = SimpleNamespace(
        of_machine=machine, arguments=tuple(guest.words.split()), governor="", cpus=guest.smp
    )
    words = qemu.command(parts, asked, initrd, _given(guest, parts, scratch))  # type: ignore[arg-type]
    stub = scratch / "stub"

    def begun() -> None:
        if guest.levels is not None:
            levels.enable(stub, guest.levels)

    found = sections_of(words, scratch / "log", sections, 240, begun=begun)
    yield "", found["copy.tar"], ""
    for number, cause in enumerate(here):
        yield cause, found[f"{number}.tar"], found[f"{number}.said"].decode()


def _given(guest: Guest, parts: Parts, scratch: Path) -> list[str]:
    """Returns QEMU's words for the guest's table."""
    if guest.machine == "q35":
        table = _table(guest)
        assert isinstance(table, q35_tables.Q35Table)
        (scratch / "ssdt.aml").write_bytes(table.ssdt)
        return ["-cpu", CPU, "-acpitable", f"file={scratch / 'ssdt.aml'}"]
    if guest.machine in POWERNV:
        assert parts.lid is not None
        given = _revision(guest.table) if guest.table else None
        lid = image.in_lid(parts.lid, guest.machine, given, scratch).lid
        stub = ["-S", "-gdb", f"unix:{scratch / 'stub'},server=on,wait=off"]
        return ["-bios", str(lid), *(stub if guest.levels is not None else [])]
    table = _table(guest)
    assert isinstance(table, virt_tables.VirtTable)
    blob = tree_of(parts, VIRT[guest.machine], guest.smp, scratch)
    names = tuple(cpu.name for cpu in cpus_of(table.root))[: guest.smp]
    grafted = graft(blob.root, table.root, names, "table")
    (scratch / "tree.dtb").write_bytes(fdt.write(grafted.root, blob.reservations, blob.boot_cpu))
    return ["-dtb", str(scratch / "tree.dtb")]


def _revision(name: str) -> IdleTable:
    if name != TIED:
        return find(name)
    table = find("power9")
    lite, stop0, stop1, *deeper = table.states
    times = {"latency_ns": stop1.latency_ns, "residency_ns": stop1.residency_ns}
    return replace(table, states=(lite, replace(stop0, **times), stop1, *deeper))


def _table(guest: Guest) -> q35_tables.Q35Table | virt_tables.VirtTable:
    if guest.machine == "q35":
        return next(each for each in q35_tables.tables() if each.name == guest.table)
    named = (guest.machine, guest.table)
    return next(each for each in virt_tables.tables() if (each.machine, each.name) == named)


def trimmed(collection: bytes, *, acpi: bool) -> bytes:
    """Returns a collection with what `why` reads, gzipped; the same bytes each time."""
    into, kept = io.BytesIO(), (*_KEPT, f"{TOP}/acpi-tables.bin") if acpi else _KEPT
    with (
        tarfile.open(fileobj=io.BytesIO(collection)) as whole,
        tarfile.open(fileobj=into, mode="w") as tar,
    ):
        for member in sorted(whole.getmembers(), key=lambda each: each.name):
            if member.isfile() and member.name.startswith(kept) and _LEFT_OUT not in member.name:
                fresh = tarfile.TarInfo(member.name)
                fresh.size = member.size
                tar.addfile(fresh, whole.extractfile(member))
    return gzip.compress(into.getvalue(), mtime=0)
