"""The tutorial and the how-to pages: every command is run, and prints what the page shows."""

import configparser
import difflib
import re
import shlex
import shutil
from pathlib import Path

import pytest

from idle_states.change.boot import parts as boot_parts
from idle_states.change.boot.machines import MACHINES
from idle_states.change.boot.powernv.build import COMPILER_PACKAGE, CROSS
from tests.oracle import skipping
from tests.support import DOCS, ROOT
from tests.support.boots import CACHE
from tests.support.shared import kept, once
from tools.site import transcripts

PROGRAMS = "iasl", "make"
"""The programs that pages need beside the tool and what every bare machine has; a page says where
it is from."""
COMMITTING = [page for page in transcripts.PAGES if "$ git commit" in page.read_text("utf-8")]
HASH = re.compile(r"\b[0-9a-f]{7,40}\b")
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
    expect_programs(text)
    now = transcripts.replayed(text, tmp_path, mirror)
    changed = difflib.unified_diff(text.splitlines(), now.splitlines(), "page", "now", lineterm="")
    assert "\n".join(changed) == "", "make tutorial"


@pytest.mark.slow
@pytest.mark.parametrize("page", COMMITTING, ids=lambda page: str(page.stem))
def test_a_reader_on_another_day_sees_the_same(page: Path, mirror: Path, tmp_path: Path) -> None:
    """But for names of commits, and of what they hold: a page shows each date that counts."""
    text = page.read_text("utf-8")
    expect_programs(text)
    now = transcripts.replayed(text, tmp_path, mirror, "2025-06-01T00:00:00Z")
    assert HASH.sub("HASH", now).splitlines() == HASH.sub("HASH", text).splitlines()


def expect_programs(text: str) -> None:
    """Skips where a program that a page runs, or a part of a machine that it boots, is missing."""
    for program in PROGRAMS:
        if re.search(rf"^\$ {program}\b", text, re.MULTILINE) and shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    builds = re.search(r"^\$ (?:make|idle-states boot .*--tree)\b", text, re.MULTILINE)
    if builds and shutil.which(f"{CROSS}gcc") is None:
        pytest.skip(f"no cross compiler (Debian package {COMPILER_PACKAGE})")
    with skipping():
        for machine in sorted(set(re.findall(r"boot .*--machine (\S+)", text))):
            boot_parts.parts(MACHINES[machine], CACHE)


@pytest.mark.usefixtures("dtc")
@pytest.mark.parametrize(
    "section",
    ["A variant of POWER10", "A new generation", "A new Arm cluster", "An x86 machine's _CST"],
)
def test_what_needs_no_boot_prints_what_the_page_shows(section: str, tmp_path: Path) -> None:
    """Each section of the loops up to the first command that takes skiboot, a guest or a
    compiler."""
    text = (DOCS / "howto/new-revision.md").read_text("utf-8")
    part = text.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    dears = "idle-states boot", "git clone", "cd skiboot", *PROGRAMS
    dear = re.search(rf"^\$ (?:{'|'.join(dears)})\b", part, re.MULTILINE)
    assert dear is not None
    quick = part[: dear.start()]
    quick = (
        quick[: quick.rindex("```console\n")] if quick.endswith("```console\n") else quick + "```\n"
    )
    assert BLOCK.findall(quick)
    assert transcripts.replayed(quick, tmp_path, tmp_path) == quick


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
    """A bare machine has the others: what a command begins with, or goes on with after | and ;."""
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", "utf-8")
    tool = config["options.entry_points"]["console_scripts"].partition("=")[0].strip()
    known = {
        tool,
        *"git cd sed grep head tail cat chmod echo mkdir sh for do done python3".split(),
        *PROGRAMS,
    }
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
