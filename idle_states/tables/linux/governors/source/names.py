"""Names of governors that are sources, not models."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...releases import Release

SOURCES = "or a source: FILE.c, TREE:NAME, TREE@REV:NAME, FILE.py"
"""The values that --governor takes beside the names of models, for its help."""


def is_source(name: str) -> bool:
    """Tells whether --governor names a governor's source: FILE.c, TREE:NAME, TREE@REVISION:NAME, or
    FILE.py."""
    return name.endswith((".c", ".py")) or ":" in name


def own_source(name: str, kernel: "Release") -> str:
    """Returns the source of a kernel's governor, as --governor would name it, where the kernel is
    named by its source tree; of others, and of what is no governor of the tree, the name itself."""
    source = kernel.source
    return source.governor(name) if source and name in source.governors else name
