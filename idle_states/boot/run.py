"""Boots from start to end: prepares the firmware, boots it, and compares it with the models; or
does so twice, before and after a tree is patched."""

import hashlib
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ..dataclass import dataclass, field, replace
from ..files import naming
from ..patches.tree import PatchedTree
from ..reading import opening
from ..sources import Source, read_table
from . import image as boot_image
from . import parts as boot_parts
from . import predict, predict_decisions, qemu
from .boot import Progress, boot
from .change import UNCHANGED, change_of
from .image import BootedFirmware
from .predict import Predicted
from .predict_decisions import ReplayedDecisions
from .request import BootRequest
from .result import BootPair, BootResult

EMULATED = "times and power of any state: an emulated CPU has neither"
_FILES = {"cpuidle.txt": "sysfs", "kernel-log.txt": "dmesg", "opal-log.txt": "msglog"}


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
    """Where boots keep things, and who is told of them.

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


def run(request: BootRequest, around: Surroundings = Surroundings()) -> BootResult:
    """Boots as requested and compares the boot with the models.

    TABLE is read once, before anything else. Raises what functions of `image` and `boot` raise, and
    debian.Unavailable for a part that cannot be had.
    """
    assert request.patch is None
    given = None if request.table is None else read_table(request.table)
    with around.directory(request.machine) as directory:
        parts = _parts(request, around)
        firmware = _firmware(request, given, parts, directory, around)
        inputs = (*_tables(given), *digests(firmware.lid, parts.kernel))
    result = _booted(request, parts, firmware, inputs, directory, around.progress)
    (directory / "skiboot.lid").unlink(missing_ok=True)
    return result


def run_before_and_after(request: BootRequest, around: Surroundings = Surroundings()) -> BootPair:
    """Builds the tree as it is and with the patches, and boots both.

    Everything is built before the first boot. Raises what `run` and `change_of` raise.
    """
    assert request.tree is not None
    assert request.patch is not None
    tree = PatchedTree(request.tree)
    change = change_of(tree, request.patch)
    with around.directory(request.machine) as directory:
        parts = _parts(request, around)
        cache = around.cache_directory / "skiboot"
        firmware = [
            boot_image.from_tree(tree, request.machine, None, cache, around.say, each)
            for each in (UNCHANGED, change)
        ]
        inputs = [digests(each.lid, parts.kernel) for each in firmware]
    results = []
    for name, each, files in zip(("before", "after"), firmware, inputs, strict=True):
        below = directory / name

        def progress(stage: str, elapsed_s: float, name: str = name) -> None:
            around.progress(f"{name}: {stage}", elapsed_s)

        results.append(_booted(request, parts, each, files, below, progress))
    before, after = results
    return BootPair(change.subjects, change.remarks, before, after, directory)


def _parts(request: BootRequest, around: Surroundings) -> boot_parts.Parts:
    around.say("fetching what a boot needs")
    return boot_parts.parts(around.cache_directory, lid=request.lid, kernel=request.kernel)


def _booted(
    request: BootRequest,
    parts: boot_parts.Parts,
    firmware: BootedFirmware,
    inputs: tuple[tuple[str, str], ...],
    directory: Path,
    progress: Progress,
) -> BootResult:
    clock = Clock(progress)
    booted = boot(replace(parts, lid=firmware.lid), request, logs=directory, progress=clock)
    texts = {name: getattr(booted, attribute).encode() for name, attribute in _FILES.items()}
    keep(directory, {"tree.dtb": booted.fdt, **texts})
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
        predict.registered_by(booted.sysfs),
        predict_decisions.entered(booted.recorded),
        firmware.remarks,
    )


def _firmware(
    request: BootRequest,
    given: Source | None,
    parts: boot_parts.Parts,
    directory: Path,
    around: Surroundings,
) -> BootedFirmware:
    if request.tree is not None:
        cache = around.cache_directory / "skiboot"
        tree = PatchedTree(request.tree)
        return boot_image.from_tree(tree, request.machine, given, cache, around.say)
    table = given.table if given is not None else None
    return boot_image.in_lid(parts.lid, request.machine, table, directory)


def _tables(given: Source | None) -> tuple[tuple[str, str], ...]:
    return () if given is None else ((given.file, given.sha256),)


def digests(*files: Path) -> tuple[tuple[str, str], ...]:
    """(name, SHA-256) of each file."""
    found = []
    for name in files:
        with opening.open_file(name) as file:
            digest = hashlib.sha256()
            for block in iter(lambda: file.read(1 << 20), b""):
                digest.update(block)
        found.append((name.as_posix(), digest.hexdigest()))
    return tuple(found)


def keep(directory: Path, contents: Mapping[str, bytes]) -> None:
    """Writes files into a boot's directory. contents: by name. Raises OSError."""
    for name, content in contents.items():
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
    yield EMULATED
