"""A boot of q35, and what was seen of it."""

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ...dataclass import dataclass
from ...files import naming
from .. import console
from ..boot import BootFailure, Progress, sections_of
from ..guest_parts import GuestParts
from ..qemu import GUEST
from . import guest, machine
from .request import Q35Request

_MEMORY = "256M"
_ARGUMENTS = f"console={machine.CONSOLE} {GUEST} oops=panic"
"""Not quiet, so that the log shows where a boot ended that did not finish. oops=panic: else a guest
would wait for ever after a thread of the kernel has crashed."""
_VERSION = re.compile(r"Linux version (\S{1,100}) .{0,1000}?(#[0-9][^\r\n]*)")
_CRASHED_IN = re.compile(r"RIP: 0010:(\w+)\+0x", re.ASCII)
_CRASHED_ON = re.compile(r"\bCPU: (\d+) ", re.ASCII)


@dataclass(frozen=True, slots=True)
class Q35Booted:
    """What a guest printed.

    sections  name -> text, of guest.SECTIONS but the tables; of a kernel that crashed only its name
              and its log
    tables    ACPI's tables as a tar archive
    log       file with all the console showed
    crash     where the kernel crashed, "acpi_idle_enter on CPU 1"; "" if it did not
    """

    sections: Mapping[str, str]
    tables: bytes
    log: Path
    crash: str = ""

    @property
    def uname(self) -> str:
        return self.sections["uname"].strip()


def boot(
    parts: GuestParts,
    request: Q35Request,
    ssdt: bytes,
    *,
    logs: Path,
    progress: Progress = lambda stage, elapsed_s: None,
) -> Q35Booted:
    """Boots the machine with an SSDT until the guest powers off, or its kernel crashes.

    Raises BootFailure if the guest runs out of time, or ends otherwise before it has printed
    everything; OSError.
    """
    logs.mkdir(parents=True, exist_ok=True)
    log = logs / f"{machine.NAME}.log"
    with tempfile.TemporaryDirectory(prefix="idle-states-") as directory:
        initrd, table = Path(directory, "initrd.gz"), Path(directory, "ssdt.aml")
        files = guest.initramfs(parts.busybox.read_bytes(), request.workload, request.smp)
        for path, content in ((initrd, files), (table, ssdt)):
            with naming(path):
                path.write_bytes(content)
        words = command(parts, request, initrd, table)
        try:
            found = sections_of(words, log, guest.SECTIONS, request.time_limit_s, progress)
        except BootFailure:
            crashed = crash_of(log)
            if crashed is None:
                raise
            return crashed
    texts = {name: data.decode("utf-8", "replace") for name, data in found.items()}
    del texts["tables"]
    return Q35Booted(texts, found["tables"], log)


def command(parts: GuestParts, request: Q35Request, initrd: Path, table: Path) -> list[str]:
    """QEMU's command line."""
    arguments = [_ARGUMENTS, *request.arguments]
    arguments += [f"cpuidle.governor={request.governor}"] if request.governor else []
    return [
        *(str(parts.qemu), *machine.OPTIONS, "-cpu", request.cpu),
        *("-m", _MEMORY, "-smp", str(request.smp), "-nodefaults", "-no-reboot"),
        *("-display", "none", "-serial", "stdio", "-acpitable", f"file={table}"),
        *("-kernel", str(parts.kernel.absolute()), "-initrd", str(initrd)),
        *("-append", " ".join(arguments)),
    ]


def crash_of(log: Path) -> Q35Booted | None:
    """What a console says of a kernel that crashed; None if it did not, or does not say where."""
    text = console.read(log).replace("\r", "")
    version, place, cpu = (regex.search(text) for regex in (_VERSION, _CRASHED_IN, _CRASHED_ON))
    if not (console.panicked(text) and version and place and cpu):
        return None
    texts = dict.fromkeys(guest.SECTIONS, "")
    texts["uname"] = f"Linux {version[1]} {version[2]} x86_64"
    texts["dmesg"] = text
    return Q35Booted(texts, b"", log, f"{place[1]} on CPU {cpu[1]}")
