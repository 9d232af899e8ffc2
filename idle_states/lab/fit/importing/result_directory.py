"""The directory that wult, ndl or pbe leaves: datapoints.csv, info.yml, and stats/ beside."""

from collections.abc import Mapping

from ....base.model.findings import unreadable
from ....base.model.measured import Measured
from ....base.reading import document, limits, opening
from .output import Told, output_of

DATAPOINTS, INFO = "datapoints.csv", "info.yml"


def read(tree: opening.Tree, told: Told) -> Measured:
    """Raises Unreadable (IS930) for results of ndl, which are no exit latencies, and of tools that
    are not known; OSError."""
    from . import format_wult, pbe

    info = information(tree)
    name = tree.shown(DATAPOINTS)
    output = output_of(name, tree.read(DATAPOINTS, limits.MEASURED_BYTES))
    tool = info.get("toolname", "wult")
    if tool in ("wult", "ndl"):
        return format_wult.read(output, told, info)
    if tool == "pbe":
        version = info.get("toolver", "")[:40]
        return pbe.read(tree, output, told, f"pbe {version}".rstrip())
    message = f"expected toolname wult, pbe or ndl, found {tool!r:.40}"
    raise unreadable(tree.shown(INFO), message, 1)


def information(tree: opening.Tree) -> Mapping[str, str]:
    """The single values of info.yml; none where it is missing."""
    if not tree.is_file(INFO):
        return {}
    name = tree.shown(INFO)
    text = document.decode(tree.read(INFO, limits.SPEC_BYTES), name)
    entries = document.parse(text, name).entries
    return {
        key: node.text.strip() for key, node in entries.items() if isinstance(node, document.Scalar)
    }
