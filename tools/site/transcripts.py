"""Command lines and what they print, on pages: every ```console block is run again, in order.

    python -m tools.site.transcripts [PAGE ...]     writes what is printed now; make tutorial

A line that begins with "$ " is a command, "> " goes on with it, all else is what it prints, on
standard output and standard error alike. A page's commands share a directory and the last exit
status, as in one shell. Where they clone skiboot, they get a copy of the one in Debian's source of
QEMU, whose version the tag names.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from idle_states.base.files import write_file
from idle_states.base.resources import in_package
from idle_states.change.boot.debian import Packages, own_suite
from tools.command_line import parsed

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = tuple(
    DOCS / f"{name}.md"
    for name in (
        "tutorial",
        "howto/editing",
        "howto/reviewing",
        "howto/before-a-merge",
        "howto/auditing",
        "howto/limiting",
        "howto/cstates",
        "howto/why",
        "howto/new-revision",
        "howto/governors",
        "x86",
    )
)
UPSTREAM = "https://github.com/open-power/"
TAG = "v7.0"
DAY = "2022-01-01T00:00:00Z"
_SUITE = "bookworm"
"""Debian's release whose QEMU has that skiboot."""
_BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
_GIT = """\
[user]
	name = A. N. Engineer
	email = engineer@example.org
[advice]
	detachedHead = false
[url "{mirror}/"]
	insteadOf = {upstream}
"""


def replayed(page: str, home: Path, mirror: Path, day: str = DAY) -> str:
    """The page with what its commands print now.

    home    an empty directory, in which they run
    mirror  what `mirror_of` made
    day     the date of commits that do not give one; names of commits follow from it
    """
    work = home / "work"
    work.mkdir(parents=True)
    shell = _Shell(work, _environment(home, mirror, day))
    return _BLOCK.sub(lambda found: "".join(_again(found[0], shell)), page)


def mirror_of(skiboot: Path, mirror: Path) -> None:
    """Makes a repository of a skiboot tree of the version TAG, below `mirror`, which is to stand in
    upstream's place."""
    tree = mirror / "skiboot"
    shutil.copytree(skiboot, tree, symlinks=True, ignore=shutil.ignore_patterns(".version"))
    variables = _environment(mirror, mirror)
    for words in (
        ["init", "-q", "-b", "master"],
        ["add", "--all", "--force"],
        ["commit", "-q", "-m", f"skiboot {TAG}"],
        ["tag", "-a", "-m", TAG, TAG],
    ):
        subprocess.run(["git", "-C", str(tree), *words], env=variables, check=True)


def _environment(home: Path, mirror: Path, day: str = DAY) -> Mapping[str, str]:
    """Writes git's configuration, which has the mirror in upstream's place."""
    config = home / ".gitconfig"
    config.write_text(_GIT.format(mirror=mirror, upstream=UPSTREAM))
    return {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(home),
        # what boots fetch and build is kept
        "XDG_CACHE_HOME": str(ROOT / "build" / "cache"),
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
        "COLUMNS": "100",
        "GIT_CONFIG_GLOBAL": str(config),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_DATE": day,
        "GIT_COMMITTER_DATE": day,
    }


def skiboot_source() -> Path:
    """From Debian's archive, once. Raises what idle_states.change.boot.debian does without it."""
    suite = None if own_suite() == _SUITE else _SUITE
    tree = Packages(ROOT / "build" / "deps").source_tree("qemu", "roms/skiboot", suite)
    if (found := (tree / ".version").read_text().strip()) != TAG:
        raise ValueError(f"expected skiboot {TAG} in {tree}, found {found}")
    return tree


class _Shell:
    """Runs one command after another, each in a shell of its own."""

    def __init__(self, directory: Path, variables: Mapping[str, str]) -> None:
        self._directory, self._variables = directory, variables
        self._left = directory.parent / "directory"
        self._status = 0

    def run(self, command: str) -> str:
        """Returns what it prints, packaged specs named without the folder of this installation."""
        left = shlex.quote(str(self._left))
        script = f"(exit {self._status})\n{command}\nstatus=$?\npwd > {left}\nexit $status\n"
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self._directory,
            env=dict(self._variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self._status = done.returncode
        self._directory = Path(self._left.read_text().strip())
        return in_package(done.stdout)


def commands(block: str) -> Iterator[str]:
    """Yields the commands of a block, without what they print."""
    for lines in re.findall(r"^\$ .*\n(?:> .*\n|>\n)*", block, re.MULTILINE):
        yield "\n".join(line[2:] for line in lines.splitlines())


def _again(block: str, shell: _Shell) -> Iterator[str]:
    for command in commands(block):
        first, *more = command.split("\n")
        yield f"$ {first}\n" + "".join(f"> {line}".rstrip() + "\n" for line in more)
        printed = shell.run(command)
        yield printed if printed.endswith("\n") or not printed else f"{printed}\n"


if __name__ == "__main__":
    pages = parsed(__doc__, "[PAGE...]").page
    with tempfile.TemporaryDirectory() as mirror:
        mirror_of(skiboot_source(), Path(mirror))
        for page in [Path(name) for name in pages] or PAGES:
            with tempfile.TemporaryDirectory() as scratch:
                write_file(page, replayed(page.read_text("utf-8"), Path(scratch), Path(mirror)))
