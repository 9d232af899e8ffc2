"""A boot of a powernv machine: firmware with the TABLE's table, from the request to the verdict."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from ....base.dataclass import dataclass, replace
from ....base.model.beyond_opal import SysfsState
from ....tables.sources import read_table
from ...patches.tree import PatchedTree
from .. import predict_decisions
from ..boot import PreparedBoot, Preparing, Say
from ..booted import Booted
from ..guest import GuestScript
from ..kept import EMULATED, digests
from ..parts import Parts
from ..predict_decisions import ReplayedDecisions
from ..registered import held_by
from ..request import BootRequest
from ..result import BootResult
from ..stage import SELECTED
from . import image as boot_image
from . import levels as boot_levels
from . import predict
from .image import BootedFirmware
from .predict import PowernvPredicted

SCRIPT = GuestScript(
    "guest_init.sh.j2",
    ("fdt", "uname", "cpuidle", "dmesg", "msglog"),
    ("before", "after", "recorder", "recording"),
)
"""The guest prints the flat device tree, the kernel's name, attributes of every CPU's idle states,
the kernel's log and OPAL's; after a workload also the attributes before and after it, the recording
script's standard error, and the recording."""
_KEPT = {
    "tree.dtb": "fdt",
    "cpuidle.txt": "cpuidle",
    "kernel-log.txt": "dmesg",
    "opal-log.txt": "msglog",
}


@dataclass(frozen=True, slots=True)
class PowernvResult(BootResult):
    """The result of a boot of a powernv machine.

    place     revision whose array in firmware held the table
    replayed  the recorded decisions beside the model's; None if none could be replayed
    entered   state -> how often CPUs entered it while the workload ran; None: not recorded
    remarks   how firmware was built otherwise than its tree says
    """

    predicted: PowernvPredicted
    place: str
    replayed: ReplayedDecisions | None
    entered: Mapping[str, int] | None = None
    remarks: tuple[str, ...] = ()

    @property
    def registered(self) -> tuple[SysfsState, ...]:
        """The states of the first CPU, as it shows them."""
        return self.found[min(self.found)] if self.found else ()

    @property
    def agree(self) -> bool:
        """Tells whether no stage differs from its prediction and, if a workload ran, at least one
        of its decisions could be judged."""
        selected = next(stage for stage in self.stages if stage.name == SELECTED)
        return not self.differ and not (self.request.workload and selected.agree is None)


@dataclass(frozen=True, slots=True)
class PowernvBoot(PreparedBoot):
    script = SCRIPT
    kept = _KEPT
    firmware: BootedFirmware

    @classmethod
    def of(
        cls,
        request: BootRequest,
        parts: Parts,
        firmware: BootedFirmware,
        directory: Path,
        tables: tuple[tuple[str, str], ...] = (),
    ) -> "PowernvBoot":
        """Returns a boot of some firmware. tables: (file, SHA-256) of the table in it."""
        inputs = (*tables, *digests(firmware.lid, parts.kernel))
        return cls(request, replace(parts, lid=firmware.lid), inputs, directory, firmware)

    def given(self, scratch: Path) -> list[str]:
        assert self.parts.lid is not None
        words = ["-bios", str(self.parts.lid.absolute())]
        if self.request.levels is not None:
            # the machine then waits for the stub before its first instruction
            words += ["-S", "-gdb", f"unix:{_stub(scratch)},server=on,wait=off"]
        return words

    def begun(self, scratch: Path) -> None:
        if self.request.levels is not None:
            boot_levels.enable(_stub(scratch), self.request.levels)

    def judged(self, booted: Booted, qemu: str, qemu_s: float) -> PowernvResult:
        request, firmware = self.request, self.firmware
        (self.directory / "skiboot.lid").unlink(missing_ok=True)
        predicted = predict.predict(firmware.table, request.machine, booted, request.levels)
        selected, usage, replayed = predict_decisions.decision_stages(
            predicted, booted.recorded, self.directory
        )
        return PowernvResult(
            request=request,
            predicted=predicted,
            stages=(*predict.stages(predicted, booted, request.cpus), selected, usage),
            found=held_by(booted.sections),
            unconfirmed=tuple(_unconfirmed(predicted, replayed)),
            qemu=qemu,
            qemu_s=qemu_s,
            inputs=self.inputs,
            directory=self.directory,
            place=firmware.place,
            replayed=replayed,
            entered=predict_decisions.entered(booted.recorded),
            remarks=firmware.remarks,
        )


def read(request: BootRequest) -> Preparing:
    """Reads the TABLE; without one, firmware's own table is booted. Raises what reading a TABLE
    raises. To prepare the boot makes the firmware, and raises what functions of `image` raise."""
    assert request.patch is None
    given = None if request.table is None else read_table(request.table)

    def prepared(parts: Parts, directory: Path, cache: Path, say: Say) -> PowernvBoot:
        if request.tree is not None:
            tree = PatchedTree(request.tree)
            firmware = boot_image.from_tree(tree, request.machine, given, cache / "skiboot", say)
        else:
            assert parts.lid is not None
            table = given.table if given is not None else None
            firmware = boot_image.in_lid(parts.lid, request.machine, table, directory)
        tables = () if given is None else ((given.file, given.sha256),)
        return PowernvBoot.of(request, parts, firmware, directory, tables)

    return prepared


def _stub(scratch: Path) -> Path:
    """Path of the socket of QEMU's GDB stub."""
    return scratch / "stub"


def _unconfirmed(predicted: PowernvPredicted, replayed: ReplayedDecisions | None) -> Iterator[str]:
    for lost in predicted.export.lost:
        yield f"{lost.state}: what Linux makes of it: not exported, {lost.reason}"
    driver = predicted.driver
    if driver is not None:
        for lost in driver.lost:
            yield f"{lost.state}: when it is selected: not registered, {lost.reason}"
        if replayed is not None:
            for state in driver.states:
                if state.index not in replayed.selected:
                    yield f"{state.name}: when it is selected: this workload never reached it"
    if replayed is None:
        yield "selected states and counters: no decisions were recorded"
    yield EMULATED
