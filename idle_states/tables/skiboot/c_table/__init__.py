"""skiboot's idle-state tables as C: `struct cpu_idle_states NAME[]` read and written."""

from ....base.model.findings import CannotGenerate
from .builtin import definitions_in
from .reader import read
from .unmodelled import unmodelled
from .writer import array_name, write

__all__ = ["CannotGenerate", "array_name", "definitions_in", "read", "unmodelled", "write"]
