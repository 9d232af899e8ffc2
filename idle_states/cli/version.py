"""The text of --version."""

import os

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
    else here, and so would importing what reads other people's repositories."""
    from ..base.located import source_folder

    top = source_folder()
    git = f"{top}/.git"
    try:
        if not top or os.lstat(git).st_uid not in (0, os.geteuid(), os.stat(top).st_uid):
            return ""
        if os.path.isfile(git):
            git = os.path.join(top, _text(git).removeprefix("gitdir: "))
        common = git
        if os.path.lexists(f"{git}/commondir"):
            common = os.path.join(git, _text(f"{git}/commondir"))
        commit = _text(f"{git}/HEAD")
        if commit != (name := commit.removeprefix("ref: ")):
            packed = not os.path.lexists(f"{common}/{name}")
            lines = _text(f"{common}/{'packed-refs' if packed else name}").split("\n")
            commit = next(
                (each.split()[0] for each in lines if each.endswith(f" {name}")), lines[0]
            )
        return f"commit {commit[:12]}" if len(commit) in (40, 64) and int(commit, 16) else ""
    except (OSError, ValueError):
        return ""


def _text(file: str) -> str:
    with open(file, encoding="utf-8") as opened:
        return opened.read().rstrip("\r\n")
