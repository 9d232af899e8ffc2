"""An input of benchmark results: its lines and the forms found among them."""

import enum

from ...base.dataclass import dataclass


class ResultsKind(enum.StrEnum):
    SAMPLES = "samples"
    ROWS = "summary rows"
    SCHBENCH = "schbench percentiles"
    MMTESTS = "an mmtests table"


@dataclass(frozen=True, slots=True)
class ResultsFile:
    """lines: without the > of quoting. sha256: of the bytes. kinds: SAMPLES if no other fits.

    remarks  what was repaired to read it, for the user to know
    """

    name: str
    lines: tuple[str, ...]
    sha256: str
    kinds: frozenset[ResultsKind]
    remarks: tuple[str, ...] = ()

    @property
    def holds(self) -> str:
        return " and ".join(kind for kind in ResultsKind if kind in self.kinds)
