"""Boots from start to end: reads the TABLE, prepares what is booted, boots it, and compares it with
the models."""

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ...base.dataclass import dataclass, field
from ...base.files import naming
from . import parts as boot_parts
from . import qemu
from .boot import PreparedBoot, Preparing, Progress, boot
from .kept import keep
from .powernv import boot as powernv
from .powernv.machines import POWERNV
from .q35 import boot as q35
from .request import BootRequest
from .result import BootResult
from .virt import boot as virt
from .virt.machines import VIRT


@dataclass(slots=True)
class Clock:
    """A Progress that calls another one, and keeps the time of the last call."""

    progress: Progress
    elapsed_s: float = field(default=0.0)

    def __call__(self, stage: str, elapsed_s: float) -> None:
        self.elapsed_s = elapsed_s
        self.progress(stage, elapsed_s)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The directories of boots, and the functions that are told of their progress.

    logs      directory in which every boot makes a directory of its own (default: in the cache)
    cache     directory of the parts and of built firmware (default: parts.boot_cache)
    progress  called while QEMU runs, with the stage and the seconds so far
    say       called with what is being done before QEMU starts
    kept      called with the boot's directory, once it will not be removed any more
    """

    logs: Path | None = None
    cache: Path | None = None
    progress: Progress = lambda stage, elapsed_s: None
    say: Callable[[str], None] = lambda line: None
    kept: Callable[[Path], None] = lambda directory: None

    @property
    def cache_directory(self) -> Path:
        return self.cache or boot_parts.boot_cache()

    @contextmanager
    def directory(self, machine: str) -> Iterator[Path]:
        """A new directory for a boot's logs, removed if what prepares the boot fails."""
        logs = self.logs or self.cache_directory / "logs"
        with naming(logs):
            logs.mkdir(parents=True, exist_ok=True)
        started = time.strftime("%Y%m%d-%H%M%S")
        directory = Path(tempfile.mkdtemp(prefix=f"{machine}-{started}-", dir=logs))
        directory.chmod(0o755)
        try:
            yield directory
        except BaseException:
            shutil.rmtree(directory)
            raise
        self.kept(directory)


def run_boot(request: BootRequest, around: Surroundings = Surroundings()) -> BootResult:
    """Boots as requested and compares the boot with the models.

    TABLE is read once, before anything else. Raises what reading a TABLE raises, what a machine's
    `prepared` raises, BootFailure, OSError, and debian.Unavailable for a part that cannot be had.
    """
    if request.machine in POWERNV:
        preparing: Preparing = powernv.read(request)
    else:
        preparing = virt.read(request) if request.machine in VIRT else q35.read(request)
    return run_read(request, preparing, around)


def run_read(
    request: BootRequest, preparing: Preparing, around: Surroundings = Surroundings()
) -> BootResult:
    """Boots a TABLE that was read. Raises what `run_boot` raises."""
    with around.directory(request.machine) as directory:
        parts = fetched(request, around)
        prepared = preparing(parts, directory, around.cache_directory, around.say)
    return run_prepared(prepared, around.progress)


def fetched(request: BootRequest, around: Surroundings) -> boot_parts.Parts:
    """Returns what a boot needs. Raises debian.Unavailable."""
    around.say("fetching what a boot needs")
    return boot_parts.parts(
        request.of_machine,
        around.cache_directory,
        lid=request.lid,
        kernel=request.kernel,
        suite=request.suite,
    )


def run_prepared(prepared: PreparedBoot, progress: Progress) -> BootResult:
    """Boots what was prepared. Raises BootFailure, OSError."""
    clock = Clock(progress)
    booted = boot(prepared, clock)
    keep(
        prepared.directory,
        {name: booted.content(section) for name, section in prepared.kept.items()},
    )
    version = qemu.version(prepared.parts.qemu)
    return prepared.judged(booted, version, clock.elapsed_s)
