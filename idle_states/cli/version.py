"""The text of --version."""

from .. import __version__


def version() -> str:
    """Version, commit if the package runs from a git work tree, compiled core with the instruction
    set it uses; where there is no core, why, and what to do about it."""
    from ..base import compiled_core

    commit = _commit()
    lines = [f"idle-states {__version__}{f' ({commit})' if commit else ''}"]
    try:
        lines.append(f"core: {compiled_core.loaded().instruction_set()}")
    except ImportError:
        lines += [f"no core: {compiled_core.why()}", f"to get it: {compiled_core.remedy()}"]
    return "".join(f"{line}\n" for line in lines)


def _commit() -> str:
    """The commit of the source tree that the package runs from, e.g. "commit 8d6f4781c"; "" if it
    was installed or its HEAD names none. Read as data, without git: a process takes longer than all
    else here."""
    from ..base.located import source_folder

    if not (folder := source_folder()):
        return ""
    from pathlib import Path

    from ..base.model.findings import Unreadable
    from ..base.reading.git import place, references

    top = Path(folder)
    if not place.is_top(top):
        return ""
    try:
        found = references.read(place.find(top, str(top), lambda _: {}), str(top))
    except (Unreadable, OSError):
        return ""
    head = found.heads["HEAD"]
    commit = found.names.get(head.removeprefix("ref: "), "") if head.startswith("ref") else head
    return f"commit {commit[:12]}" if commit else ""
