"""skiboot's idle-state tables inside a compiled skiboot.lid: found by content, read, replaced."""

from .identify import UNUSED
from .reader import LidTable, looks_like_lid, read
from .writer import replace

__all__ = ["UNUSED", "LidTable", "looks_like_lid", "read", "replace"]
