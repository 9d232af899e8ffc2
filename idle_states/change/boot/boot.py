"""A boot of a real kernel under QEMU, and of real firmware where the machine has some."""

import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from ...base.dataclass import dataclass
from ...base.files import naming
from . import console as collect
from . import qemu
from .booted import Booted, booted_of
from .guest import GuestScript, initramfs_of
from .kernel_config import DEFAULT_GOVERNOR
from .parts import Parts
from .powernv.levels import StubError
from .request import BootRequest
from .result import BootResult

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
class PreparedBoot:
    """A boot for which everything is made. Machines inherit it.

    script     what the guest runs
    kept       file of the directory -> section of the guest's that it keeps
    parts      what is booted, firmware of its own included
    inputs     (file, SHA-256) of what is booted
    directory  of the boot's logs
    """

    script: ClassVar[GuestScript]
    kept: ClassVar[Mapping[str, str]]
    request: BootRequest
    parts: Parts
    inputs: tuple[tuple[str, str], ...]
    directory: Path

    def given(self, scratch: Path) -> Sequence[str]:
        """Returns more words of QEMU's command line. Files that they name are written into a
        directory for the time of the boot."""
        raise NotImplementedError

    def begun(self, scratch: Path) -> None:
        """Does what is to be done once QEMU runs. Raises StubError."""

    def crashed(self, log: Path) -> Booted | None:
        """Returns what is seen of a kernel whose crash is an outcome like another; None where it is
        a failure, or the kernel did not crash."""
        return None

    def judged(self, booted: Booted, qemu: str, qemu_s: float) -> BootResult:
        """Compares the boot with the models. qemu: its version; qemu_s: seconds that it ran."""
        raise NotImplementedError


Say = Callable[[str], None]
"""Called with what is being done before QEMU starts."""
Preparing = Callable[[Parts, Path, Path, Say], PreparedBoot]
"""Makes what is booted, once the TABLE was read. Called with the parts, the directory of the boot's
logs, and that of what boots build."""


def boot(prepared: PreparedBoot, progress: Progress = lambda stage, elapsed_s: None) -> Booted:
    """Boots a machine until the guest powers off, or its kernel crashes where that is an outcome.

    Raises BootFailure if the guest runs out of time, or ends otherwise before it has printed
    everything; OSError.
    """
    request, script = prepared.request, prepared.script
    prepared.directory.mkdir(parents=True, exist_ok=True)
    log = prepared.directory / f"{request.machine}.log"
    recording = request.workload is not None and bool(script.recorded)
    recorder = (request.governor or DEFAULT_GOVERNOR) if recording else ""
    with tempfile.TemporaryDirectory(prefix="idle-states-") as directory:
        scratch = Path(directory)
        initrd = scratch / "initrd.gz"
        busybox = prepared.parts.busybox.read_bytes()
        init = script.init(request.work, request.cpus, recording)
        with naming(initrd):
            initrd.write_bytes(initramfs_of(busybox, init, recorder, script.buffer_kb))
        words = qemu.command(prepared.parts, request, initrd, prepared.given(scratch))
        names = script.names(recording)
        try:
            found = sections_of(
                words, log, names, request.time_limit_s, progress, lambda: prepared.begun(scratch)
            )
        except BootFailure:
            crashed = prepared.crashed(log)
            if crashed is None:
                raise
            return crashed
    return booted_of(found, log)


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
    except (qemu.GuestFailure, StubError, collect.Incomplete) as failure:
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
