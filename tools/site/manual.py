"""The manual page idle-states(1), of the parser: python -m tools.site.manual [FILE], make man."""

import inspect
import re
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

from idle_states import __version__
from idle_states.base.files import write_file
from tools.command_line import parsed

from .arguments import PROGRAM, Argument, Command, commands, description, epilog

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "man" / f"{PROGRAM}.1"
_HEADING = re.compile(r"^## (\S+) \((\d{4}-\d{2}-\d{2})", re.MULTILINE)
_EXAMPLES = """\
Check every table of this folder
    idle-states check
Follow a table from its spec to the states that Linux registers
    idle-states show power9 --kernel 6.1 --platform op920
Find out why 200 ns halved a benchmark in 2017
    idle-states show power9-dd1@84368bbf8 --kernel 4.11 --platform op920
Read a rule's meaning, reason and remedy
    idle-states explain IS203
Review a change of skiboot before it is merged
    idle-states review --tree ~/skiboot origin/master..HEAD
Audit one machine, then the trees of many
    idle-states audit /proc/device-tree
    idle-states audit trees/
Write a table as C for skiboot
    idle-states generate power9 --to c -o power9.c
Compare the selections of two kernels
    idle-states select power9 --kernel 6.1 --kernel 6.12
Replay a trace under two tables
    idle-states replay trace.txt --table power9 --table mine.yaml --governor menu
"""
_SEE_ALSO = "dtc(1), iasl(1), perf(1), trace-cmd(1), turbostat(8)"
_COPYRIGHT = """\
Copyright 2026 The idle-states authors. Apache License 2.0; the dt-schema binding: GPL-2.0-only or
BSD-2-Clause.
"""
_FILES = """\
setup.cfg, pyproject.toml
    A project's defaults in a section [idle-states], or [tool.idle-states]: tables, kernels,
    platform, select, ignore, fail-on, format, suppress. Command-line options override them.
"""
_ENVIRONMENT = """\
NO_COLOR
    No colours, even on a terminal.
IDLE_STATES_DOCS
    The address at which the documentation site is published; findings in SARIF link to its pages.
"""


def text() -> str:
    """The page as man(7) has it."""
    statuses, _, table = epilog().partition("\n\n")
    listed = re.findall(r"(\d) ([^;]+)", " ".join(statuses.split()))
    lines = [
        f'.TH {PROGRAM.upper()} 1 "{dated()}" "{PROGRAM} {__version__}" "User Commands"',
        ".ad l",
        ".SH NAME",
        rf"{PROGRAM} \- {_escaped(description().rstrip('.'))}",
        ".SH SYNOPSIS",
        f".B {PROGRAM}",
        ".I COMMAND",
        r"[\fIOPTION\fR ...] [\fIOPERAND\fR ...]",
        ".br",
        f".B {PROGRAM}",
        _bold("--version"),
        ".SH DESCRIPTION",
        *_prose(table),
        ".SH COMMANDS",
    ]
    for command in commands():
        lines += _command(command)
    lines += [".SH EXIT STATUS"]
    for number, meaning in listed:
        lines += [".TP", f".B {number}", _escaped(meaning.strip())]
    lines += [".SH ENVIRONMENT", *_terms(_ENVIRONMENT), ".SH FILES", *_terms(_FILES)]
    lines += [".SH EXAMPLES", *_commands(_EXAMPLES), ".SH SEE ALSO"]
    lines += [re.sub(r"([\w-]+)(\(\d\),?) ?", r".BR \1 \2\n", _SEE_ALSO).rstrip()]
    lines += [".SH AUTHORS", "The idle-states authors.", ".SH COPYRIGHT", *_prose(_COPYRIGHT)]
    return "".join(f"{line}\n" for line in _folded(lines))


def _folded(lines: Iterable[str]) -> Iterator[str]:
    """Folds long lines of text at blanks, and leaves out what mandoc finds to be without effect."""
    before, as_is = "", False
    for line in lines:
        as_is = line == ".nf" or (as_is and line != ".fi")
        if line == ".PP" and before.startswith((".SH", ".SS")):
            continue
        before = line
        if as_is or line.startswith("."):
            yield line
            continue
        for each in textwrap.wrap(line, 80, break_long_words=False, break_on_hyphens=False):
            yield rf"\&{each}" if each.startswith((".", "'")) else each


def dated() -> str:
    """Returns the day of this version, as CHANGELOG.md has it above the version's changes."""
    found = _HEADING.search((ROOT / "CHANGELOG.md").read_text("utf-8"))
    if found is None or found[1] != __version__:
        raise SystemExit(f"expected CHANGELOG.md to begin with ## {__version__} (YYYY-MM-DD")
    return found[2]


def _command(command: Command) -> Iterator[str]:
    yield f'.SS "{_escaped(command.synopsis)}"'
    yield from _prose(command.description)
    for group in command.groups:
        if group.title not in ("Options", "Operands"):
            yield from (".PP", f"{_escaped(group.title)}:")
        for each in group.arguments:
            yield from _argument(each)


def _argument(argument: Argument) -> Iterator[str]:
    value = rf" \fI{_escaped(argument.value)}\fR" if argument.value else ""
    names = [_bold(name) + value for name in argument.names] or [
        rf"\fI{_escaped(argument.shown)}\fR"
    ]
    yield ".TP"
    yield ", ".join(names)
    yield _line(argument.help)


def _prose(docstring: str) -> Iterator[str]:
    """Paragraphs, and blocks that are indented as they stand."""
    for part in re.split(r"\n\s*\n", inspect.cleandoc(docstring)):
        lines = part.split("\n")
        if all(line.startswith("  ") for line in lines):
            yield from (".PP", ".RS 4", ".nf", *map(_line, inspect.cleandoc(part).split("\n")))
            yield from (".fi", ".RE")
        else:
            yield from (".PP", *map(_line, lines))


def _terms(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield from (
            [_line(line.strip())] if line.startswith(" ") else [".TP", f".B {_escaped(line)}"]
        )


def _commands(text: str) -> Iterator[str]:
    """Examples: a line of text, and the commands that are indented below it."""
    for part in re.split(r"\n(?! )", text.rstrip()):
        title, *lines = part.split("\n")
        yield from (".PP", f"{_line(title)}:", ".PP", ".RS 4", ".nf")
        yield from (*(_line(line.strip()) for line in lines), ".fi", ".RE")


def _bold(text: str) -> str:
    return rf"\fB{_escaped(text)}\fR"


def _line(text: str) -> str:
    """A line of text; what begins it is no request."""
    shown = _escaped(text)
    return rf"\&{shown}" if shown.startswith((".", "'")) or not shown else shown


def _escaped(text: str) -> str:
    return (
        text.replace("\\", r"\e")
        .replace("-", r"\-")
        .replace("~", r"\(ti")
        .replace("^", r"\(ha")
        .replace("`", r"\(ga")
        .replace('"', r"\(dq")
        .replace("'", r"\(aq")
    )


if __name__ == "__main__":
    file = parsed(__doc__, "[FILE]").file
    target = Path(file) if file else PAGE
    target.parent.mkdir(exist_ok=True)
    write_file(target, text())
