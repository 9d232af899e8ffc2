"""A boot of a virt machine, and what was seen of it."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

from ...dataclass import dataclass
from ...devicetree import fdt
from ...files import naming
from ...reading import launching, limits, opening
from ..boot import BootFailure, Progress, RecordedWorkload, sections_of
from ..guest_parts import DEFAULT_GOVERNOR, GuestParts, options_in
from ..qemu import GUEST
from . import guest
from .machines import VirtMachine
from .request import VirtRequest

_MEMORY = "512M"
_ARGUMENTS = "console={console} " + GUEST
"""What the kernel prints on its way shows where a boot ended that did not finish."""
_DUMP_BOUNDS = launching.Bounds(time_s=limits.VERSION_S, output_bytes=limits.VERSION_BYTES)


@dataclass(frozen=True, slots=True)
class VirtBooted:
    """What a guest printed.

    sections   name -> text, of guest.SECTIONS but the tree
    fdt        the flat device tree the kernel was given
    log        file with all the console showed
    recording  what the recording script printed; None: none was to be made
    """

    sections: Mapping[str, str]
    fdt: bytes
    log: Path
    recording: bytes | None = None

    @property
    def recorded(self) -> RecordedWorkload | None:
        """The decisions recorded during the work; None: none were to be."""
        if self.recording is None:
            return None
        texts = [self.sections[name] for name in ("recorder", "before", "after")]
        return RecordedWorkload(self.recording, *texts)

    @property
    def uname(self) -> str:
        return self.sections["uname"].strip()

    @property
    def options(self) -> dict[str, str] | None:
        """What the kernel says that it is configured with, without CONFIG_; None if it does not."""
        return options_in(self.sections["config"]) or None


def tree_of(parts: GuestParts, machine: VirtMachine, smp: int, directory: Path) -> fdt.Blob:
    """The machine's own device tree, which QEMU dumps. Raises BootFailure, OSError."""
    dumped = directory.absolute() / "machine.dtb"
    first, model, *others = machine.options
    words = [first, f"{model},dumpdtb={dumped}", *others, *_common(smp)]
    launching.run(str(parts.qemu), words, _DUMP_BOUNDS, str(parts.qemu))
    if not opening.is_file(dumped):
        raise BootFailure("QEMU", f"expected QEMU to write {dumped}, found no file", dumped)
    return fdt.read_blob(opening.read(dumped), str(dumped))


def boot(
    parts: GuestParts,
    request: VirtRequest,
    tree: bytes,
    *,
    logs: Path,
    progress: Progress = lambda stage, elapsed_s: None,
) -> VirtBooted:
    """Boots a machine with a device tree until the guest powers off.

    tree  the blob that QEMU is given
    logs  directory for the console's log
    Raises BootFailure if the guest runs out of time, or ends before it has printed everything;
    OSError.
    """
    machine, governor = request.of_machine, request.governor
    logs.mkdir(parents=True, exist_ok=True)
    log = logs / f"{machine.name}.log"
    with tempfile.TemporaryDirectory(prefix="idle-states-") as directory:
        initrd, blob = Path(directory, "initrd.gz"), Path(directory, "tree.dtb")
        recorder = (governor or DEFAULT_GOVERNOR) if request.recorded else ""
        files = guest.initramfs(parts.busybox.read_bytes(), request.workload, request.smp, recorder)
        for path, content in ((initrd, files), (blob, tree)):
            with naming(path):
                path.write_bytes(content)
        arguments = _ARGUMENTS.format(console=machine.console)
        arguments += f" cpuidle.governor={governor}" if governor else ""
        words = [
            *(str(parts.qemu), *machine.options, *_common(request.smp), "-no-reboot"),
            *("-kernel", str(parts.kernel.absolute()), "-initrd", str(initrd), "-dtb", str(blob)),
            *("-append", arguments),
        ]
        names = (*guest.SECTIONS, *guest.RECORDED) if request.recorded else guest.SECTIONS
        found = sections_of(words, log, names, request.time_limit_s, progress)
    raw = "fdt", "recording"
    texts = {
        name: data.decode("utf-8", "replace") for name, data in found.items() if name not in raw
    }
    return VirtBooted(texts, found["fdt"], log, found.get("recording"))


def _common(smp: int) -> list[str]:
    return [
        *("-m", _MEMORY, "-smp", str(smp), "-nographic", "-monitor", "none"),
        *("-nic", "none"),
    ]
