"""The guest's file system: busybox, and an init script that prints what the kernel was given and
the idle states that it registered.

An initramfs is a cpio archive of the "newc" form (Linux Documentation/driver-api/early-userspace/
buffer-format.rst), gzipped.
"""

import gzip
from collections.abc import Iterable, Mapping

from ...base.dataclass import dataclass
from ...base.resources import template
from ...lab.record.request import RecordOptions
from ...lab.record.script import script
from .workload import GuestWorkload

MARK = "idle-states-dump"
"""First word of the marks in a recording that tell when the attributes were read."""

RECORDING = {
    "most_events": 40_000,
    "mark": MARK,
    "instance": "idle_states",
    "recording_since": "recording for",
}
"""The arguments of a recording for the guest's script. most_events are about 3500 decisions: an
emulated console takes long to print more."""
_SECONDS_MAX = 600
_DIRECTORY, _FILE, _LINK, _DEVICE = 0o040755, 0o100755, 0o120777, 0o020600
_CONSOLE, _NULL = (5, 1), (1, 3)


@dataclass(frozen=True, slots=True)
class CpioEntry:
    """A file of a cpio archive.

    mode    type and permissions, as st_mode
    device  major and minor number of a character device
    """

    name: str
    mode: int
    data: bytes = b""
    device: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class GuestScript:
    """The init script of a guest, and the sections that it prints.

    template   of its init script
    sections   what it prints, in this order
    recorded   what it prints in addition where decisions are recorded; empty: they cannot be
    seconds    how long each kind of work goes on where none are
    buffer_kb  the recording's trace buffer for each CPU
    """

    template: str
    sections: tuple[str, ...]
    recorded: tuple[str, ...] = ()
    seconds: int = 0
    buffer_kb: int = 16384

    def names(self, recorded: bool) -> tuple[str, ...]:
        """Returns the names of all sections. recorded: whether decisions are recorded."""
        return (*self.sections, *self.recorded) if recorded else self.sections

    def init(self, workload: GuestWorkload, smp: int, recorded: bool = False) -> str:
        return template(self.template).render(
            sections=self.names(recorded),
            recorded=recorded,
            workload=workload.kinds,
            loads=workload.loads(smp),
            steps=workload.steps,
            seconds=self.seconds,
            **RECORDING,
        )


def initramfs_of(
    busybox: bytes,
    init: str,
    recorded: str = "",
    buffer_kb: int = 16384,
    scripts: Mapping[str, str] = {},
) -> bytes:
    """A file system of busybox, an /init and the script that records a governor's decisions, as a
    gzipped cpio archive.

    recorded   the governor; "" for no script
    buffer_kb  the recording's trace buffer for each CPU, in KiB
    scripts    name -> text of others
    """
    more = [CpioEntry(name, _FILE, text.encode()) for name, text in scripts.items()]
    if recorded:
        options = RecordOptions(
            governor=recorded, seconds=_SECONDS_MAX, buffer=buffer_kb, restart_governor=True
        )
        more.append(CpioEntry("record.sh", _FILE, script(options).encode()))
    entries = [CpioEntry(name, _DIRECTORY) for name in ("bin", "dev", "proc", "sys")]
    entries += [
        CpioEntry("dev/console", _DEVICE, device=_CONSOLE),
        CpioEntry("dev/null", _DEVICE, device=_NULL),
        CpioEntry("bin/busybox", _FILE, busybox),
        CpioEntry("bin/sh", _LINK, b"busybox"),
        CpioEntry("init", _FILE, init.encode()),
    ]
    return gzip.compress(archive([*entries, *more]), compresslevel=1, mtime=0)


def archive(entries: Iterable[CpioEntry]) -> bytes:
    """A cpio archive in the form newc."""
    parts = [_member(number, entry) for number, entry in enumerate(entries, 1)]
    return b"".join([*parts, _member(0, CpioEntry("TRAILER!!!", 0))])


def _member(inode: int, entry: CpioEntry) -> bytes:
    name = entry.name.encode() + b"\0"
    fields = (
        inode,
        entry.mode,
        0,  # uid
        0,  # gid
        1,  # links
        0,  # mtime
        len(entry.data),
        0,  # device the archive was made on, major and minor
        0,
        *entry.device,
        len(name),
        0,  # no checksum
    )
    head = b"070701" + b"".join(b"%08X" % field for field in fields)
    return _padded(head + name) + _padded(entry.data)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
