"""Names of governors that are sources, not models."""

SOURCES = "or a source: FILE.c, TREE:NAME, TREE@REV:NAME, FILE.py"
"""What --governor takes beside the names of models, for its help."""


def is_source(name: str) -> bool:
    """Whether --governor names a governor's source: FILE.c, TREE:NAME, TREE@REVISION:NAME, or
    FILE.py."""
    return name.endswith((".c", ".py")) or ":" in name
