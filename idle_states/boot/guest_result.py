"""What came of a boot of a guest of QEMU's virt machines or q35."""

from collections.abc import Mapping
from pathlib import Path

from ..dataclass import dataclass
from ..reading.sysfs import SysfsState
from .predict import Stage, confirmed
from .usage import PredictedDrivers


@dataclass(frozen=True, slots=True)
class GuestResult:
    """The result of a boot.

    table        name of the TABLE's file
    places       the TABLE's CPUs whose place the machine's have, in order
    governor     the guest's; "" if its kernel crashed
    found        CPU -> the states that it registered, as it shows them
    counted      CPU -> its states, with what was counted during the work
    unconfirmed  what this boot cannot confirm, a sentence each
    qemu         version of QEMU
    qemu_s       seconds that QEMU ran
    inputs       (file, SHA-256) of what was booted
    directory    directory of the logs
    """

    table: str
    places: tuple[str, ...]
    predicted: PredictedDrivers
    stages: tuple[Stage, ...]
    governor: str
    found: Mapping[int, tuple[SysfsState, ...]]
    counted: Mapping[int, tuple[SysfsState, ...]]
    unconfirmed: tuple[str, ...]
    qemu: str
    qemu_s: float
    inputs: tuple[tuple[str, str], ...]
    directory: Path

    @property
    def agree(self) -> bool:
        """Whether no stage differs from its prediction, and something could be judged of the
        kernel."""
        return confirmed(self.predicted.release, self.stages)
