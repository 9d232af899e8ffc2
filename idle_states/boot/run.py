"""One boot from start to end: prepares the firmware, boots it, and compares it with the models."""

import hashlib
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..files import naming
from ..findings import UsageError
from ..reading import opening
from ..record.script import GOVERNORS
from ..sources import Source, read_table
from . import image as boot_image
from . import parts as boot_parts
from . import predict, predict_decisions, qemu
from .boot import LOGS, TIME_LIMIT_S, Booted, Progress, boot
from .image import BootedFirmware
from .predict import Predicted, Stage
from .predict_decisions import ReplayedDecisions
from .workload import GuestWorkload

_EMULATED = "times and power of any state: an emulated CPU has neither"
_FILES = {"cpuidle.txt": "sysfs", "kernel-log.txt": "dmesg", "opal-log.txt": "msglog"}


@dataclass(frozen=True, slots=True)
class Request:
    """What to boot. Raises UsageError for values that make no sense.

    table     TABLE that replaces the machine's table in firmware; None: firmware's own
    lid, tree firmware: an image, or a source tree to build; neither: QEMU's own image
    kernel    a kernel image; None: the distribution's
    smp       number of CPUs
    governor  cpuidle governor of the guest; "": the kernel's default
    levels    ibm,enabled-stop-levels that firmware is given; None: QEMU's
    """

    machine: str
    table: str | None = None
    lid: Path | None = None
    tree: Path | None = None
    kernel: Path | None = None
    smp: int = 1
    governor: str = ""
    workload: GuestWorkload | None = None
    levels: int | None = None
    time_limit_s: float = TIME_LIMIT_S

    def __post_init__(self) -> None:
        if self.machine not in qemu.MACHINES:
            known = ", ".join(qemu.MACHINES)
            raise UsageError(f"expected a machine of {known}, found {self.machine!r}")
        most = qemu.CPUS_MAX[self.machine]
        if not 1 <= self.smp <= most:
            raise UsageError(f"expected 1 to {most} CPUs with {self.machine}, found {self.smp}")
        if self.governor and self.governor not in GOVERNORS:
            known = ", ".join(GOVERNORS)
            raise UsageError(f"expected a governor of {known}, found {self.governor!r}")
        if not self.time_limit_s > 0:
            raise UsageError(f"expected a time limit above 0 s, found {self.time_limit_s:g}")
        if self.levels is not None and self.machine == "powernv8":
            raise UsageError(
                "expected --levels with powernv9 or powernv10: powernv8 has no stop levels"
            )


@dataclass(frozen=True, slots=True)
class BootResult:
    """The result of a boot.

    place        revision whose array in firmware held the table
    replayed     the recorded decisions beside the model's; None if none could be replayed
    qemu         version of QEMU
    qemu_s       seconds that QEMU ran
    inputs       (file, SHA-256) of what was booted
    unconfirmed  what this boot cannot confirm, a sentence each
    directory    directory of the logs
    """

    request: Request
    place: str
    predicted: Predicted
    stages: tuple[Stage, ...]
    replayed: ReplayedDecisions | None
    unconfirmed: tuple[str, ...]
    qemu: str
    qemu_s: float
    inputs: tuple[tuple[str, str], ...]
    directory: Path

    @property
    def agree(self) -> bool:
        """Whether no stage differs from its prediction and, if a workload ran, at least one of its
        decisions could be judged."""
        differ = any(stage.agree is False for stage in self.stages)
        selected = next(stage for stage in self.stages if stage.name == predict.SELECTED)
        return not differ and not (self.request.workload and selected.agree is None)


@dataclass(slots=True)
class _Clock:
    """A Progress that calls another one, and keeps the time of the last call."""

    progress: Progress
    elapsed_s: float = field(default=0.0)

    def __call__(self, stage: str, elapsed_s: float) -> None:
        self.elapsed_s = elapsed_s
        self.progress(stage, elapsed_s)


def run(
    request: Request,
    *,
    logs: Path = LOGS,
    cache: Path | None = None,
    progress: Progress = lambda stage, elapsed_s: None,
    say: Callable[[str], None] = lambda line: None,
    kept: Callable[[Path], None] = lambda directory: None,
) -> BootResult:
    """Boots as requested and compares the boot with the models.

    logs      directory in which every boot makes a directory of its own
    cache     directory of the parts and of built firmware (default: below `logs`)
    progress  called while QEMU runs, with the stage and the seconds so far
    say       called with what is being done before QEMU starts
    kept      called with the boot's directory, once it will not be removed any more
    TABLE is read once, before anything else. Raises what functions of `image` and `boot` raise, and
    debian.Unavailable for a part that cannot be had.
    """
    cache = cache or logs
    given = None if request.table is None else read_table(request.table)
    say("fetching what a boot needs")
    parts = boot_parts.parts(cache / "parts", lid=request.lid, kernel=request.kernel)
    logs.mkdir(parents=True, exist_ok=True)
    started = time.strftime("%Y%m%d-%H%M%S")
    directory = Path(tempfile.mkdtemp(prefix=f"{request.machine}-{started}-", dir=logs))
    directory.chmod(0o755)
    try:
        firmware = _firmware(request, given, parts, directory, cache, say)
        inputs = (*_tables(given), *_inputs(firmware.lid, parts.kernel))
    except BaseException:
        shutil.rmtree(directory)
        raise
    kept(directory)
    clock = _Clock(progress)
    booted = boot(
        parts,
        request.machine,
        lid=firmware.lid,
        smp=request.smp,
        logs=directory,
        time_limit_s=request.time_limit_s,
        governor=request.governor,
        workload=request.workload,
        levels=request.levels,
        progress=clock,
    )
    (directory / "skiboot.lid").unlink(missing_ok=True)
    _keep(booted, directory)
    predicted = predict.predict(firmware.table, request.machine, booted, request.levels)
    selected, usage, replayed = predict_decisions.decision_stages(
        predicted, booted.recorded, directory
    )
    return BootResult(
        request,
        firmware.place,
        predicted,
        (*predict.stages(predicted, booted, request.smp), selected, usage),
        replayed,
        tuple(_unconfirmed(predicted, replayed)),
        qemu.version(parts.qemu),
        clock.elapsed_s,
        inputs,
        directory,
    )


def _firmware(
    request: Request,
    given: Source | None,
    parts: boot_parts.Parts,
    directory: Path,
    cache: Path,
    say: Callable[[str], None],
) -> BootedFirmware:
    if request.tree is not None:
        return boot_image.from_tree(request.tree, request.machine, given, cache / "skiboot", say)
    table = given.table if given is not None else None
    return boot_image.in_lid(parts.lid, request.machine, table, directory)


def _tables(given: Source | None) -> tuple[tuple[str, str], ...]:
    return () if given is None else ((given.file, given.sha256),)


def _inputs(*files: Path) -> tuple[tuple[str, str], ...]:
    found = []
    for name in files:
        with opening.open_file(name) as file:
            digest = hashlib.sha256()
            for block in iter(lambda: file.read(1 << 20), b""):
                digest.update(block)
        found.append((name.as_posix(), digest.hexdigest()))
    return tuple(found)


def _keep(booted: Booted, directory: Path) -> None:
    contents = {name: getattr(booted, attribute).encode() for name, attribute in _FILES.items()}
    for name, content in {"tree.dtb": booted.fdt, **contents}.items():
        with naming(directory / name):
            (directory / name).write_bytes(content)


def _unconfirmed(predicted: Predicted, replayed: ReplayedDecisions | None) -> Iterator[str]:
    for lost in predicted.export.lost:
        yield f"{lost.state}: what Linux makes of it: not exported, {lost.reason}"
    driver = predicted.driver
    if driver is not None:
        for lost in driver.lost:
            yield f"{lost.state}: when it is selected: not registered, {lost.reason}"
        if replayed is not None:
            for state in driver.states:
                if state.index not in replayed.selected:
                    yield f"{state.name}: when it is selected: this workload never led there"
    if replayed is None:
        yield "selected states and counters: no decisions were recorded"
    yield _EMULATED
