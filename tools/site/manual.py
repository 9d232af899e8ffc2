"""The manual page idle-states(1), of the parser: python -m tools.site.manual [FILE], make man."""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

from idle_states import __version__
from idle_states.files import write_file
from tools.command_line import asked

from .arguments import PROGRAM, Argument, Command, commands, description, epilog

PAGE = Path(__file__).resolve().parents[2] / "man" / f"{PROGRAM}.1"
_FILES = """\
setup.cfg, pyproject.toml
    A section [idle-states], or [tool.idle-states], says what a project always wants: tables,
    kernels, platform, select, ignore, fail-on, format, suppress. Options of the command line win.
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
        f'.TH {PROGRAM.upper()} 1 "" "{PROGRAM} {__version__}" "User Commands"',
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
    return "\n".join(lines) + "\n"


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
    file = asked(__doc__, "[FILE]").file
    target = Path(file) if file else PAGE
    target.parent.mkdir(exist_ok=True)
    write_file(target, text())
