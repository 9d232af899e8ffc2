"""The signs of ACPI tables: signatures, the lines of acpidump, names of files."""

from ...patterns import pattern
from .. import opening

AML = (b"DSDT", b"SSDT", b"PSDT")
"""Signatures of tables that hold AML."""
USED = (*AML, b"FACP", b"APIC")
HEAD = pattern(rb"([A-Z_][A-Z0-9_!]{3}) @ 0x[0-9A-Fa-f]{1,16}[ \t]*\r?$")
"""A table's first line in what acpidump prints."""
OBTAINED = "as root: acpidump > acpi.txt, or the tar that the script of idle-states collect makes"
AML_FILE = pattern(r"(?i)(dsdt|ssdt|psdt|facp|apic)([0-9]*)(\.(aml|dat|bin))?")


def is_blob(data: bytes) -> bool:
    """Tells whether bytes begin with a table that is used here."""
    return data[:4] in USED and len(data) >= 8 and data[4:8] != b"    " and b" @ " not in data[:8]


def has_code(data: bytes) -> bool:
    """Tells whether bytes begin with a table that holds AML."""
    return data.startswith(AML) and is_blob(data)


def is_dump(data: bytes) -> bool:
    """Tells whether bytes begin as text of acpidump."""
    first = data.lstrip()[:80].partition(b"\n")[0]
    return b" @ 0x" in first and bool(HEAD.match(first))


def is_whole(tree: opening.Tree, relative: str) -> bool:
    """Tells whether a directory holds tables with AML under their names."""
    try:
        entries = list(tree.entries(relative))
    except OSError:
        return False
    named = (AML_FILE.fullmatch(e.name) for e in entries if e.kind != opening.DIRECTORY)
    return any(match and match[1].lower().endswith("sdt") for match in named)
