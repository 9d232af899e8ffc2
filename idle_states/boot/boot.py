"""A boot of real firmware and a real kernel under QEMU, and what was seen of it."""

import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ..dataclass import dataclass
from ..files import naming
from . import console as collect
from . import guest, qemu
from . import levels as boot_levels
from .parts import Parts
from .request import BootRequest

_LITTLE_BYTES = 1 << 16
_TAIL_BYTES = 1 << 20

Progress = Callable[[str, float], None]
"""Called with the stage that a boot has reached and the seconds since QEMU started."""


class BootFailure(Exception):
    """A boot that failed or did not finish.

    stage  the last stage that began: a key of console.STAGES, or "QEMU" before the first
    log    file with the console's output
    """

    def __init__(self, stage: str, message: str, log: Path) -> None:
        super().__init__(message)
        self.stage = stage
        self.log = log


@dataclass(frozen=True, slots=True)
class RecordedWorkload:
    """The governor's decisions recorded while a workload ran in the guest.

    recording      standard output of the recording script; empty if the script refused to record
    complaints     its standard error
    before, after  dumps of the CPUs' idle-state attributes, read before and after the workload
    """

    recording: bytes
    complaints: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Booted:
    """What a guest printed.

    fdt       the flat device tree the firmware handed over
    uname     the kernel's name, release, version and machine
    sysfs     attributes of every CPU's idle states, a line each, as `grep .` prints them
    dmesg     the kernel's log
    msglog    OPAL's log; empty where the kernel does not show it
    log       file with all the console showed
    recorded  None without a workload
    """

    fdt: bytes
    uname: str
    sysfs: str
    dmesg: str
    msglog: str
    log: Path
    recorded: RecordedWorkload | None = None


def boot(
    parts: Parts,
    request: BootRequest,
    *,
    logs: Path,
    progress: Progress = lambda stage, elapsed_s: None,
) -> Booted:
    """Boots a QEMU machine until the guest powers off, and returns what the guest printed.

    parts  with the firmware and the kernel that are booted, whatever the request names
    logs   directory for the console's log
    Raises BootFailure if the guest runs out of time, or ends before it has printed everything;
    OSError.
    """
    workload, governor, smp = request.workload, request.governor, request.smp
    levels = request.levels
    logs.mkdir(parents=True, exist_ok=True)
    log = logs / f"{request.machine}.log"
    names = guest.SECTIONS if workload is None else (*guest.SECTIONS, *guest.RECORDED)
    with tempfile.TemporaryDirectory(prefix="idle-states-") as directory:
        initrd = Path(directory, "initrd.gz")
        stub = Path(directory, "stub") if levels is not None else None
        files = guest.initramfs(parts.busybox.read_bytes(), workload, governor or "menu", smp)
        with naming(initrd):
            initrd.write_bytes(files)
        words = qemu.command(parts, request.machine, initrd, smp=smp, governor=governor, stub=stub)

        def begun() -> None:
            if stub is not None and levels is not None:
                boot_levels.enable(stub, levels)

        found = sections_of(words, log, names, request.time_limit_s, progress, begun)

    def text(name: str) -> str:
        return found[name].decode("utf-8", "replace")

    recorded = None
    if workload is not None:
        recorded = RecordedWorkload(
            found["recording"], text("recorder"), text("before"), text("after")
        )
    return Booted(
        fdt=found["fdt"],
        uname=text("uname").strip(),
        sysfs=text("cpuidle"),
        dmesg=text("dmesg"),
        msglog=text("msglog").replace("\0", ""),
        log=log,
        recorded=recorded,
    )


def sections_of(
    words: Sequence[str],
    log: Path,
    names: Sequence[str],
    time_limit_s: float,
    progress: Progress = lambda stage, elapsed_s: None,
    begun: Callable[[], None] = lambda: None,
) -> Mapping[str, bytes]:
    """Runs QEMU until the guest powers off; name -> content of the sections that it printed.

    words  QEMU's command line
    begun  called once it runs
    Raises BootFailure, OSError.
    """

    def watch(elapsed_s: float) -> None:
        progress(collect.reached(_tail(log)), elapsed_s)

    try:
        qemu.run(words, log, time_limit_s, begun=begun, watch=watch)
        return collect.sections(collect.read(log), names)
    except (qemu.GuestFailure, boot_levels.StubError, collect.Incomplete) as failure:
        message = str(failure).removesuffix(f"; see {log}")
        raise _failure(message, log) from None


def _tail(log: Path) -> str:
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _TAIL_BYTES))
        return file.read().decode("utf-8", "replace")


def _failure(message: str, log: Path) -> BootFailure:
    """A BootFailure with the last stage in the log; its message names a kernel panic or a full disk
    as the reason, if there was one."""
    text = collect.read(log)
    if collect.panicked(text):
        message = f"the guest's kernel panicked; {message}"
    elif shutil.disk_usage(log.parent).free < _LITTLE_BYTES:
        message = f"no space is left for the log; {message}"
    return BootFailure(collect.reached(text), message, log)
