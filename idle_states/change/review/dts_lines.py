"""The device-tree sources that a diff shows, where there is no tree.

A source that a patch adds or removes is shown whole, and so is one that an earlier patch of the
series adds. It is compiled without the files that it includes, see `tables.devicetree`.
"""

import re
from collections.abc import Mapping

from ...base.patterns import pattern
from ...base.reading.patch.application import DoesNotApply, changed_files
from ...base.reading.patch.unified import FileChange

_SIGNS = (
    (re.compile(r"arch/\w+/dts/"), ("dts/upstream/",)),
    (re.compile(r"(?:dts|boards)/"), ("dts/bindings/", "include/zephyr/")),
    (re.compile(r"src/\w+/"), ("include/dt-bindings/",)),
    (re.compile(""), ("include/dt-bindings/", "arch/")),
)
"""The folders of sources -> others that tell their kind of tree (`source_trees.LAYOUTS`)."""
_NOTHING = "not-shown"
_OF_SOURCES = pattern(r"\.dtsi?$|(?:^|/)(?:dt-bindings|dts)/.*\.h$")


def is_source(path: str) -> bool:
    """Tells whether a file is a device-tree source, or a header of such."""
    return _OF_SOURCES.search(path) is not None


def signs(path: str) -> dict[str, bytes]:
    """Returns the files by which the tree of a source is told."""
    if not is_source(path):
        return {}
    folders = next(signs for folder, signs in _SIGNS if folder.match(path))
    return {folder + _NOTHING: b"" for folder in folders}


def shown_before(change: FileChange) -> bytes:
    """Returns the lines that hunks show of the file before."""
    lines = [line for hunk in change.hunks for line in hunk.before]
    return "".join(f"{line.text}\n" for line in lines).encode("utf-8", "surrogateescape")


def whole(
    change: FileChange, known: Mapping[str, bytes | None]
) -> tuple[dict[str, bytes], dict[str, bytes | None]] | None:
    """Returns the files before and after a change that shows them whole; None where it does not.

    known: the files that earlier patches of the series show whole
    """
    if change.after is None:
        return {change.path: shown_before(change)}, {change.path: None}
    if change.before is not None and known.get(change.before) is None:
        return None
    try:
        made = changed_files(change, known.get, "", "", only_once=False)
        before = known.get(change.before) if change.before else None
        return {} if before is None else {change.before or "": before}, dict(made)
    except DoesNotApply:
        return None
