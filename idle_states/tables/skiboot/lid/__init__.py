"""skiboot's idle-state tables inside a compiled skiboot.lid: found by content, read, replaced."""

from .identify import UNUSED
from .reader import LidTable, has_rows, looks_like_lid, read
from .symbols import TableSymbols, symbols_in
from .writer import replace

__all__ = [
    "UNUSED",
    "LidTable",
    "TableSymbols",
    "has_rows",
    "looks_like_lid",
    "read",
    "replace",
    "symbols_in",
]
