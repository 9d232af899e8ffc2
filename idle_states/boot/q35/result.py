"""What came of a boot of q35."""

from collections.abc import Mapping
from pathlib import Path

from ...dataclass import dataclass
from ...reading.sysfs import SysfsState
from ..predict import Stage, confirmed
from .predict import Q35Predicted
from .request import Q35Request


@dataclass(frozen=True, slots=True)
class Q35Result:
    """The result of a boot.

    table        name of the TABLE's file
    places       the TABLE's processors whose objects the machine's have
    governor     the guest's; "" if the kernel crashed
    driver       the guest's, likewise
    found        CPU -> the states that it registered, as it shows them
    counted      CPU -> its states, with what was counted during the work
    messages     what the kernel says of C-states
    crash        where the kernel crashed; "" if it did not
    unconfirmed  what this boot cannot confirm, a sentence each
    qemu         version of QEMU
    qemu_s       seconds that QEMU ran
    inputs       (file, SHA-256) of what was booted
    directory    directory of the logs
    """

    request: Q35Request
    table: str
    places: tuple[str, ...]
    predicted: Q35Predicted
    stages: tuple[Stage, ...]
    governor: str
    driver: str
    found: Mapping[int, tuple[SysfsState, ...]]
    counted: Mapping[int, tuple[SysfsState, ...]]
    messages: tuple[str, ...]
    crash: str
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
