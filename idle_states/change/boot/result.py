"""The result of a boot."""

from collections.abc import Mapping
from pathlib import Path

from ...base.dataclass import dataclass
from ...base.model.beyond_opal import SysfsState
from .request import BootRequest
from .stage import PredictedKernel, Stage


@dataclass(frozen=True, slots=True)
class BootResult:
    """The result of a boot.

    found        CPU -> the states that it registered, as it shows them
    unconfirmed  what this boot cannot confirm, a sentence each
    qemu         version of QEMU
    qemu_s       seconds that QEMU ran
    inputs       (file, SHA-256) of what was booted
    directory    directory of the logs
    """

    request: BootRequest
    predicted: PredictedKernel
    stages: tuple[Stage, ...]
    found: Mapping[int, tuple[SysfsState, ...]]
    unconfirmed: tuple[str, ...]
    qemu: str
    qemu_s: float
    inputs: tuple[tuple[str, str], ...]
    directory: Path

    @property
    def agree(self) -> bool:
        """Tells whether no stage differs from its prediction, and something could be judged of the
        kernel."""
        return self.predicted.release is not None and not self.differ

    @property
    def differ(self) -> bool:
        """Tells whether any stage differs from its prediction."""
        return any(stage.agree is False for stage in self.stages)


@dataclass(frozen=True, slots=True)
class GuestResult(BootResult):
    """The result of a boot of a machine whose CPUs have the states of a TABLE.

    table     name of the TABLE's file
    places    the TABLE's CPUs whose place the machine's have, in order
    governor  the guest's; "" if its kernel crashed
    counted   CPU -> its states, with what was counted during the work
    """

    table: str
    places: tuple[str, ...]
    governor: str
    counted: Mapping[int, tuple[SysfsState, ...]]
