"""Prints what comes of every packaged description of device-tree source on a tree, as Markdown.

TREE=path of Linux's sources, or U-Boot's dts/upstream. Each description is applied by itself: the
patch is made, which builds every board that includes the file before and after; git am applies it
to a copy of the files; and on the result the description is there already. Returns 1 for any fault.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from idle_states.base.model.findings import Faulty, Unreadable
from idle_states.change.patches.answer import plan_sources
from idle_states.change.patches.description import Patch
from idle_states.change.patches.library import DTS_DIRECTORY, packaged
from idle_states.change.patches.mail import mails
from idle_states.change.patches.plan import Plan
from idle_states.change.patches.source_tree import SourcesTree
from tools.command_line import parsed

_GIT = (
    "git",
    "-c",
    "user.name=A Tester",
    "-c",
    "user.email=tester@example.org",
    "-c",
    "commit.gpgsign=false",
)


def main() -> int:
    given = os.environ.get("TREE", "")
    if not given:
        print("expected TREE=path of Linux's sources, found none", file=sys.stderr)
        return 2
    faults = []
    print("| description | came | boards | lines |\n|---|---|---|---|")
    for patch in packaged(DTS_DIRECTORY):
        try:
            made = plan_sources(SourcesTree(Path(given)), [patch])
        except (Faulty, Unreadable) as error:
            print(f"| {patch.name} | refused | | |")
            faults += [f"{patch.name}: {found.message}" for found in error.findings]
            continue
        (step,) = made.steps
        boards = sum(len(group.boards) for group in step.tables)
        lines = _applied(made, patch, faults) if step.after else 0
        print(f"| {patch.name} | {step.status} | {boards} | {lines} |")
    for fault in faults:
        print(f"\n{fault}")
    return int(bool(faults))


def _applied(made: Plan, patch: Patch, faults: list[str]) -> int:
    """The number of lines that git am changes in a copy of the files. faults: added to."""
    ((_, mail),) = mails(made)
    with tempfile.TemporaryDirectory() as directory:
        top = Path(directory)
        for name in made.files:
            (top / name).parent.mkdir(parents=True, exist_ok=True)
            (top / name).write_bytes(made.tree.read(made.tree.root / name))
        _git(top, "init", "--quiet")
        _git(top, "add", "--all")
        _git(top, "commit", "--quiet", "--message", "base")
        done = subprocess.run([*_GIT, "am", "--quiet"], cwd=top, input=mail, check=False)
        if done.returncode:
            faults.append(f"{patch.name}: git am refuses it")
        for name, text in made.files.items():
            if (top / name).read_bytes() != text.encode("utf-8", "surrogateescape"):
                faults.append(f"{patch.name}: git am makes another {name}")
        counts = _git(top, "show", "--numstat", "--format=")
        return sum(int(word) for line in counts.splitlines() for word in line.split()[:2])


def _git(top: Path, *words: str) -> str:
    done = subprocess.run([*_GIT, *words], cwd=top, capture_output=True, text=True, check=True)
    return done.stdout


if __name__ == "__main__":
    parsed(__doc__)
    sys.exit(main())
