"""The manual page idle-states(1)."""

import re
import shutil
import subprocess
from datetime import date

import pytest

from idle_states.cli import parsers
from idle_states.cli.commands import COMMANDS
from tests.support import ROOT
from tests.support.screens import screens, tour
from tools.site import manual

README = (ROOT / "README.md").read_text("utf-8")


def test_the_page_is_that_of_the_parser() -> None:
    assert manual.PAGE.read_text("utf-8") == manual.text(), "make man"


def test_it_has_the_day_of_the_version() -> None:
    """Not that of its making, so that it is the same wherever it is made."""
    heading = re.search(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    assert heading
    version, day = re.findall(r"[\d.-]+", heading[1])
    date.fromisoformat(day)
    first = manual.PAGE.read_text("utf-8").splitlines()[0]
    assert first == f'.TH IDLE-STATES 1 "{day}" "idle-states {version}" "User Commands"'


def test_its_examples_are_run_with_those_of_the_readme(shown: str) -> None:
    examples = re.findall(r"^ {11}(idle-states .*)$", shown.partition("\nEXAMPLES\n")[2], re.M)
    assert len(examples) > 6
    run = [*tour(README), *(command for command, _ in screens(README))]
    assert {*examples} <= {f"idle-states {command}" for command in run}


@pytest.mark.parametrize("width", [60, 78, 132])
def test_groff_has_nothing_to_warn_of(width: int, groff: str) -> None:
    words = [groff, "-man", "-Tutf8", "-ww", f"-rLL={width}n", "-z", str(manual.PAGE)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_mandoc_has_nothing_to_object() -> None:
    if shutil.which("mandoc") is None:
        pytest.skip("mandoc is not installed (Debian package mandoc)")
    words = ["mandoc", "-Tlint", str(manual.PAGE)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("", "")


def test_its_name_is_found_by_whatis() -> None:
    if shutil.which("lexgrog") is None:
        pytest.skip("lexgrog is not installed (Debian package man-db)")
    done = subprocess.run(["lexgrog", manual.PAGE], capture_output=True, text=True, check=True)
    assert done.stdout.partition(": ")[2].startswith('"idle-states - OpenPOWER idle-state tables')


def test_it_is_installed() -> None:
    assert f"share/man/man1 = man/{manual.PAGE.name}\n" in (ROOT / "setup.cfg").read_text("utf-8")


@pytest.fixture(scope="module")
def groff() -> str:
    found = shutil.which("groff")
    if found is None:
        pytest.skip("groff is not installed (Debian package groff-base)")
    return found


@pytest.fixture(scope="module")
def shown(groff: str) -> str:
    """Returns a page as a terminal shows it."""
    words = [groff, "-man", "-Tascii", "-ww", "-P-cbou", "-rLL=200n", "-rHY=0", str(manual.PAGE)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


def test_every_command_and_option_stands_there(shown: str) -> None:
    for name in COMMANDS:
        section = re.search(
            rf"^   idle-states {name}(?: .*)?\n((?:(?! {{0,3}}\S).*\n)*)", shown, re.MULTILINE
        )
        assert section, name
        for option in parsers.command_parser(name)._option_string_actions:
            if option not in ("-h", "--help"):
                assert re.search(rf"(?:^|\s){option}(?:,|\s|$)", section[1], re.M), (name, option)


def test_statuses_and_variables_stand_there(shown: str) -> None:
    statuses = shown.partition("EXIT STATUS\n")[2].partition("ENVIRONMENT")[0]
    assert re.findall(r"^ {7}(\d) +\S", statuses, re.M) == ["0", "1", "2", "3"]
    assert "IDLE_STATES_DOCS" in shown
