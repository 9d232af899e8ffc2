"""Pages as `--html` writes them: of commands that run while the site is built, shown in frames."""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

from idle_states.base.report.help_pages import VARIABLE
from idle_states.base.resources import in_package
from tests.support import DATA, many_machines

FOLDER = "pages"
MARK = re.compile(r"<!-- picture: (\w+) -->")
"""The place on a page of the repository where a picture stands on the site."""

_SITE = "https://idle-states.invalid/"
"""Stands for the site in live pages until they are part of it."""
_OUTSIDE = re.compile(rf'<a href="(?!#|{_SITE})[^"]*">(.*?)</a>', re.DOTALL)
"""A link to a file that the site does not have: the input of a command."""


class Live(NamedTuple):
    """A page: the question that it answers, the command that writes it, and what to look at."""

    name: str
    question: str
    command: str
    words: str


PAGES = (
    Live(
        "select",
        "What does a newer kernel select?",
        "select power9 --kernel 6.1 --kernel 6.12",
        "Two kernels, one above the other, for idle periods that end by a timer or an interrupt. "
        "A red line marks lengths whose state is another one.",
    ),
    Live(
        "check",
        "May this table be merged?",
        "check power9-dd1@84368bbf8 --kernel 4.11",
        "The verdict, each finding with the line that it is about, and the faulty times drawn.",
    ),
    Live(
        "fleet",
        "Where are the errors in a fleet?",
        "audit fleet --kernel 6.12",
        "The device trees of 10,000 machines, 17 of them with a wrong table. Errors come first, "
        "on a scale on which a single machine can be seen.",
    ),
    Live(
        "kernels",
        "Where does the selection change, from release to release?",
        "kernels --table power9",
        "Every known kernel for one table, with the commit behind each change.",
    ),
    Live(
        "prove",
        "How does each state come to be selected?",
        "prove power9 --kernel 6.1",
        "For each state a history of idle periods after which the governor selects it, drawn.",
    ),
    Live(
        "replay",
        "What would another governor have done?",
        "replay recording.csv --governor menu --governor teo",
        "The decisions that a POWER9 guest recorded, and those of two governors at the same "
        "moments.",
    ),
)


def pages() -> Iterator[tuple[str, str]]:
    """Yields (path, Markdown) of the page that shows all."""
    lines = ["# Pages of the commands", ""]
    lines += [
        "`--html FILE` writes a page that needs no network and no server. Each frame below is "
    ]
    lines += ["such a page, made by the command beneath it when this site was built."]
    for live in PAGES:
        lines += ["", f"## {live.question}", "", live.words, "", frame(live.name, "")]
    yield f"{FOLDER}/index.md", "\n".join(lines) + "\n"


def frame(name: str, folder: str = f"{FOLDER}/") -> str:
    """Returns a live page in a frame, as HTML on a page from which `folder` leads to it."""
    (live,) = (each for each in PAGES if each.name == name)
    return (
        f'<figure class="live"><iframe src="{folder}{name}.html" loading="lazy" '
        f'title="{escape(live.question)}"></iframe><figcaption><code>idle-states '
        f'{escape(live.command)}</code> <a href="{folder}{name}.html">Open the page</a>'
        "</figcaption></figure>"
    )


def made() -> Iterator[tuple[str, str]]:
    """Yields (path, HTML) of each live page. Raises CalledProcessError where a command fails."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        many_machines.made(work)
        recording = DATA / "recordings/powernv9-menu-restarted.txt.gz"
        _run(work, "collect", "--convert", str(recording), "-o", "recording.csv")
        for live in PAGES:
            page = work / f"{live.name}.html"
            _run(work, *shlex.split(live.command), "--html", page.name, "-o", os.devnull)
            text = _OUTSIDE.sub(r"\1", page.read_text("utf-8"))
            yield f"{FOLDER}/{page.name}", in_package(text).replace(_SITE, "../")


def _run(work: Path, *words: str) -> None:
    """Findings are no failure."""
    command = [sys.executable, "-m", "idle_states", *words]
    variables = os.environ | {VARIABLE: _SITE}
    done = subprocess.run(
        command, cwd=work, env=variables, capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 1):
        raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
