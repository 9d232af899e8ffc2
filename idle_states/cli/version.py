"""The text of --version."""

from contextlib import closing

from .. import __version__


def version() -> str:
    """Version, commit if the package runs from a git work tree, compiled core with the instruction
    set it uses; where there is no core, why, and what to do about it."""
    from ..tables.linux.governors import core

    commit = _commit()
    lines = [f"idle-states {__version__}{f' ({commit})' if commit else ''}"]
    if core.available():
        lines.append(f"core: {core.instruction_set()}")
    else:
        from ..tables.linux.governors.core import absence

        lines += [f"no core: {absence.why()}", f"to get it: {absence.remedy()}"]
    return "".join(f"{line}\n" for line in lines)


def _commit() -> str:
    """The commit of the source tree that the package runs from, e.g. "commit 8d6f4781c"; "" if it
    was installed or git does not say."""
    from ..base.model.findings import Unreadable
    from ..base.reading.git import Repository, is_top
    from ..base.resources import source_tree

    top = source_tree()
    if top is None or not is_top(top):
        return ""
    try:
        with closing(Repository(top)) as repository:
            return f"commit {repository.resolve('HEAD')[:12]}"
    except Unreadable:
        return ""
