"""Screens on pages: a command of idle-states, and what it prints or how that begins."""

import re
import shlex

from idle_states.base.resources import in_package
from tests.support.commands import Capture, run


def screens(page: str) -> list[tuple[str, str]]:
    """The commands of a page, each with what is shown of its output."""
    return re.findall(r"```\n\$ idle-states (.*)\n((?:.*\n)*?)```\n", page)


def tour(page: str) -> list[str]:
    """The commands of a page without what they print: lines of their own, and cells of tables."""
    lines = re.findall(r"^    idle-states (.*?)(?:  +#.*)?$", page, re.MULTILINE)
    return lines + re.findall(r"^\|.*\| `idle-states (.*)` \|$", page, re.MULTILINE)


def prints(capsys: Capture, command: str, screen: str) -> bool:
    """Tells whether the command prints the screen, in which a line `...` stands for any number, and
    packaged specs are named without the folder that they are installed in."""
    status, out, _ = run(capsys, *shlex.split(command))
    assert status in (0, 1)
    expected = ".*".join(map(re.escape, re.split(r"^\.\.\.\n", screen, flags=re.MULTILINE)))
    return re.fullmatch(expected, in_package(out), re.DOTALL) is not None
