"""The manual page idle-states(1)."""

import re
import shutil
import subprocess

import pytest

from idle_states import cli
from idle_states.cli.commands import COMMANDS
from tests.support import ROOT
from tools.site import manual


def test_the_page_is_that_of_the_parser() -> None:
    assert manual.PAGE.read_text("utf-8") == manual.text(), "make man"


def test_it_is_installed() -> None:
    assert f"share/man/man1 = man/{manual.PAGE.name}\n" in (ROOT / "setup.cfg").read_text("utf-8")


@pytest.fixture(scope="module")
def shown() -> str:
    """As a terminal has it."""
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed (Debian package groff-base)")
    words = ["groff", "-man", "-Tascii", "-ww", "-P-cbou", "-rLL=200n", "-rHY=0", str(manual.PAGE)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


def test_every_command_and_option_stands_there(shown: str) -> None:
    for name in COMMANDS:
        section = re.search(
            rf"^   idle-states {name}(?: .*)?\n((?:(?! {{0,3}}\S).*\n)*)", shown, re.MULTILINE
        )
        assert section, name
        for option in cli.command_parser(name)._option_string_actions:
            if option not in ("-h", "--help"):
                assert re.search(rf"(?:^|\s){option}(?:,|\s|$)", section[1], re.M), (name, option)


def test_statuses_and_variables_stand_there(shown: str) -> None:
    statuses = shown.partition("EXIT STATUS\n")[2].partition("ENVIRONMENT")[0]
    assert re.findall(r"^ {7}(\d) +\S", statuses, re.M) == ["0", "1", "2", "3"]
    assert "IDLE_STATES_DOCS" in shown
