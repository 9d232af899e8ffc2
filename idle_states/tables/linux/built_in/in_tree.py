"""A driver's source by the headers of the Linux tree that it lies in: its tables, and what
processors intel_idle has them for."""

from ....base.dataclass import replace
from ....base.model.beyond_opal import MatchedCpu
from ....base.model.findings import Unreadable, unreadable
from ....base.model.table import IdleTable
from ....base.reading.c.lexer import UnsupportedC
from ...devicetree.source_trees import SourceFiles
from . import reader
from .headers import Headers


def tables_in(
    tree: SourceFiles, inner: str, text: str, shown: str, sha256: str = ""
) -> list[IdleTable]:
    """Returns the tables of a driver's source, in its order; none if it has none with states.

    tree    the Linux tree
    inner   path in it of the source
    text    of the source
    shown   what places and messages call it
    sha256  of its bytes
    Raises Unreadable (IS930 where headers of several architectures give different tables, IS932).
    """
    headers = Headers(tree, inner)
    arch2found: dict[str, list[IdleTable] | Unreadable] = {}
    for arch in headers.archs(text):
        defines = headers.definitions(text, arch)
        try:
            found = reader.read(text, shown, defines=defines, arch=arch, sha256=sha256)
        except Unreadable as error:
            arch2found[arch] = error
        else:
            arch2found[arch] = found
    return _agreed(arch2found, shown)


def cpus_in(tree: SourceFiles, inner: str, text: str, shown: str) -> list[MatchedCpu]:
    """Returns the processors of intel_idle's list, also those without a table; none of other
    sources, and none where the list cannot be evaluated. Arguments as of `tables_in`."""
    headers = Headers(tree, inner)
    for arch in headers.archs(text):
        defines = headers.definitions(text, arch)
        try:
            return reader.listed_cpus(text, shown, defines=defines)
        except UnsupportedC:
            continue
    return []


def reached(tree: SourceFiles, inner: str, text: str) -> set[str]:
    """Paths of the headers in the tree that bear on a source's tables."""
    headers = Headers(tree, inner)
    return {path for arch in headers.archs(text) for path in headers.paths(text, arch)}


def _agreed(arch2found: "dict[str, list[IdleTable] | Unreadable]", shown: str) -> list[IdleTable]:
    """The tables that the headers of all architectures give that define what the file needs."""
    good = {arch: found for arch, found in arch2found.items() if isinstance(found, list)}
    if not good:
        errors = [found for found in arch2found.values() if isinstance(found, Unreadable)]
        raise min(errors, key=lambda error: len(error.findings))
    archs = tuple(arch for arch in good if arch) if len(good) < len(arch2found) else ()
    first, *others = (
        [
            replace(table, origin=replace(table.origin, archs=archs))
            for table in found
            if table.origin.form == "driver"
        ]
        for found in good.values()
    )
    if any(other != first for other in others):
        known = ", ".join(good)
        message = f"expected one meaning of the table, found several: the headers of {known} differ"
        raise unreadable(shown, message)
    return first
