"""The result of loading a spec."""

from typing import TYPE_CHECKING

from ...base.dataclass import dataclass, field
from ...base.model.findings import Finding
from ...base.model.processors import Processor
from ...base.model.table import Firmware, IdleTable

if TYPE_CHECKING:
    from ...base.model.idle_tree import IdleTree
    from .suppress import Suppression


@dataclass(frozen=True, slots=True)
class LoadedSpec:
    """The result of loading a spec file.

    table         None if `findings` has errors, or for a machine
    machine       of a spec with an architecture; None if `findings` has errors
    sources       file -> text of the file and its ancestors, for quoting lines
    suppressions  suppressions in the file and its ancestors
    """

    table: IdleTable | None
    findings: tuple[Finding, ...]
    suppressions: "tuple[Suppression, ...]"
    sources: dict[str, str] = field(default_factory=dict)
    machine: "IdleTree | None" = None

    @property
    def name(self) -> str:
        """The spec's own name; "" if it has errors."""
        found = self.table or self.machine
        return found.name if found else ""


@dataclass(frozen=True, slots=True)
class TakenFor:
    """A packaged table that skiboot takes for some machines of its chips alone.

    chips     the types of chips
    firmware  which machines of these
    """

    table: str
    generation: str
    chips: tuple[str, ...]
    firmware: Firmware

    @property
    def variant(self) -> str:
        """The name of the machines in `ExportCode`: the quirk, "dd1" or "fused-core"."""
        return self.firmware.quirk or ("fused-core" if self.firmware.ec is None else "dd1")

    @classmethod
    def of(cls, table: IdleTable) -> "TakenFor":
        assert table.cpu is not None
        return cls(table.name, table.cpu.generation, table.cpu.chips, table.firmware)


@dataclass(frozen=True, slots=True)
class Registry:
    """The processors of the packaged specs, in the order of generations.

    variants  the tables for some machines of a processor's chips
    """

    processors: tuple[Processor, ...]
    variants: tuple[TakenFor, ...]
