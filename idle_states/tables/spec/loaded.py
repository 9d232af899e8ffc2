"""What loading a spec gives."""

from typing import TYPE_CHECKING

from ...base.dataclass import dataclass, field
from ...base.model.findings import Finding
from ...base.model.table import IdleTable

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
        """What the spec calls itself; "" if it has errors."""
        found = self.table or self.machine
        return found.name if found else ""
