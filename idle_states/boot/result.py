"""What came of a boot, or of two."""

from collections.abc import Mapping
from pathlib import Path

from ..dataclass import dataclass
from ..reading.sysfs import SysfsState
from . import predict
from .predict import Predicted, Stage
from .predict_decisions import ReplayedDecisions
from .request import BootRequest


@dataclass(frozen=True, slots=True)
class BootResult:
    """The result of a boot.

    place        revision whose array in firmware held the table
    replayed     the recorded decisions beside the model's; None if none could be replayed
    qemu         version of QEMU
    qemu_s       seconds that QEMU ran
    inputs       (file, SHA-256) of what was booted
    found        the states that CPU 0 of the guest registered, as it shows them
    entered      state -> how often CPUs entered it while the workload ran; None: not recorded
    remarks      how firmware was built otherwise than its tree says
    unconfirmed  what this boot cannot confirm, a sentence each
    directory    directory of the logs
    """

    request: BootRequest
    place: str
    predicted: Predicted
    stages: tuple[Stage, ...]
    replayed: ReplayedDecisions | None
    unconfirmed: tuple[str, ...]
    qemu: str
    qemu_s: float
    inputs: tuple[tuple[str, str], ...]
    directory: Path
    found: tuple[SysfsState, ...] = ()
    entered: Mapping[str, int] | None = None
    remarks: tuple[str, ...] = ()

    @property
    def agree(self) -> bool:
        """Whether no stage differs from its prediction and, if a workload ran, at least one of its
        decisions could be judged."""
        differ = any(stage.agree is False for stage in self.stages)
        selected = next(stage for stage in self.stages if stage.name == predict.SELECTED)
        return not differ and not (self.request.workload and selected.agree is None)


@dataclass(frozen=True, slots=True)
class BootPair:
    """Two boots: of a tree as it is, and with patches.

    subjects   of the patches that make a difference to the tree
    remarks    on how they were read, and which of them were left out
    directory  directory of the logs, with a directory for each boot
    """

    subjects: tuple[str, ...]
    remarks: tuple[str, ...]
    before: BootResult
    after: BootResult
    directory: Path

    @property
    def agree(self) -> bool:
        """Whether both boots came out as predicted."""
        return self.before.agree and self.after.agree

    @property
    def changes_table(self) -> bool:
        """Whether the patches change the table that this machine uses."""
        rows = [
            [state.values() for state in each.predicted.table.states]
            for each in (self.before, self.after)
        ]
        return rows[0] != rows[1]

    @property
    def inputs(self) -> tuple[tuple[str, str], ...]:
        return tuple(dict.fromkeys((*self.before.inputs, *self.after.inputs)))
