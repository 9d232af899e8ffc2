"""The tutorial and the how-to pages: every command is run, and prints what the page shows."""

import configparser
import difflib
import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.oracle import skipping
from tests.support import DOCS, ROOT
from tests.support.shared import kept, once
from tools.site import transcripts

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    with skipping(), kept("skiboot-source"):
        source = transcripts.skiboot_source()
    return once(tmp_path_factory, "mirror", lambda into: transcripts.mirror_of(source, into))


@pytest.mark.slow
@pytest.mark.parametrize("page", transcripts.PAGES, ids=lambda page: str(page.stem))
def test_commands_print_what_the_page_shows(page: Path, mirror: Path, tmp_path: Path) -> None:
    text = page.read_text("utf-8")
    now = transcripts.replayed(text, tmp_path, mirror)
    changed = difflib.unified_diff(text.splitlines(), now.splitlines(), "page", "now", lineterm="")
    assert "\n".join(changed) == "", "make tutorial"


def test_these_are_all_pages_that_show_commands() -> None:
    shown = {page for page in DOCS.rglob("*.md") if "```console" in page.read_text("utf-8")}
    assert shown == set(transcripts.PAGES)


@pytest.mark.parametrize("page", transcripts.PAGES, ids=lambda page: str(page.stem))
def test_no_command_stands_in_a_block_that_is_not_run(page: Path) -> None:
    """But those of the tutorial that install: make test has run what they say."""
    blocks = BLOCK.findall(page.read_text("utf-8"))
    others = [body for language, body in blocks if language != "console"]
    assert len(blocks) - len(others) > 1
    if page.stem != "tutorial":
        assert others == []
        return
    (install,) = others
    words = [line.partition("#")[0].strip() for line in install.splitlines()]
    assert words == ["make run", ". .venv/bin/activate", "cd .."]
    assert re.search(r"^run: ", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)


def test_a_page_is_replayed_command_by_command(tmp_path: Path) -> None:
    """Directory and exit status go on from one command to the next, in other blocks too."""
    (tmp_path / "skiboot").mkdir()
    (tmp_path / "skiboot/README").write_text("one\n")
    page = (
        "Text.\n\n```console\n$ mkdir a && cd a\n$ cat > b <<'END'\n> one\n>\n> two\n> END\n"
        "$ false\nwas otherwise\n```\n\nMore.\n\n```console\n$ echo $?; cat b\n```\n"
        "```console\n$ git clone -q --branch v7.0 https://github.com/open-power/skiboot\n"
        "$ cat skiboot/README\n```\n\n```sh\n$ untouched\n```\n"
    )
    expected = page.replace("was otherwise\n", "").replace("cat b\n", "cat b\n1\none\n\ntwo\n")
    expected = expected.replace("skiboot/README\n", "skiboot/README\none\n")
    mirror = tmp_path / "mirror"
    transcripts.mirror_of(tmp_path / "skiboot", mirror)
    assert transcripts.replayed(page, tmp_path / "home", mirror) == expected


def test_pages_of_the_tool_need_no_other_programs() -> None:
    """A bare machine has them: what a command line begins with, or goes on with after | and ;."""
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", "utf-8")
    tool = config["options.entry_points"]["console_scripts"].partition("=")[0].strip()
    known = {tool, *"git cd sed grep head tail cat echo mkdir sh for do done".split()}
    for page in transcripts.PAGES:
        for language, body in BLOCK.findall(page.read_text("utf-8")):
            for command in transcripts.commands(body) if language == "console" else ():
                lexer = shlex.shlex(command.split("\n")[0], posix=True, punctuation_chars=True)
                lexer.whitespace_split = True
                words = list(lexer)
                begins = [
                    word
                    for before, word in zip(["", *words], words, strict=False)
                    if before in ("", "|", ";", "&&", "do")
                ]
                assert set(begins) <= known, command
