"""Parsers of the command line. Commands that need none of them do not import argparse."""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from itertools import groupby
from types import ModuleType

from ..base.report import printer
from ..base.report.escapes.text import printable
from ..base.wording import filled, joined, suggestion
from .commands import COMMANDS, GONE, GROUPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from _typeshed import SupportsWrite

    from .derive import CommandLine

# argparse looks for translations of its own words, and imports locale for that: there are none
argparse._ = str  # type: ignore[attr-defined]

_STATUSES = """\
exit status: 0 clean; 1 findings at or above --fail-on, or a difference; 2 usage error;
3 no answer: unreadable input, or a missing external program
"""


def command(name: str) -> ModuleType:
    return importlib.import_module(f"{__package__}.cmd_{name}")


class _Formatter(argparse.HelpFormatter):
    """Fills paragraphs to the terminal's width, and leaves lines that are indented, such as
    examples, as they are. No word is broken."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return filled(text, width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        shown: list[str] = []
        for indented, lines in groupby(text.splitlines(), lambda line: line[:1] in (" ", "")):
            found = list(lines)
            shown += found if indented else filled(" ".join(found), width)
        return "\n".join(indent + line for line in shown)


def _columns() -> int:
    """The terminal's; as shutil has it, which argparse would import for that."""
    try:
        columns = int(os.environ["COLUMNS"])
    except (KeyError, ValueError):
        columns = 0
    if columns <= 0:
        try:
            columns = os.get_terminal_size(sys.__stdout__.fileno()).columns  # type: ignore[union-attr]
        except (AttributeError, ValueError, OSError):
            columns = 0
    return columns or 80


class _Usage(str):
    """The usage of a sub-command, which argparse else makes for each command line, wrong or not."""

    def __mod__(self, names: object) -> str:
        """The usage, for argparse's `usage % names`."""
        return command_parser(self).format_usage()[len("usage: ") :]


class _Parser(argparse.ArgumentParser):
    def __init__(self, **options: "Any") -> None:
        super().__init__(formatter_class=_Formatter, **options)

    def error(self, message: str) -> "NoReturn":
        """Quotes words of the command line, names of files among them."""
        super().error(printable(message))

    def _print_message(self, message: str, file: "SupportsWrite[str] | None" = None) -> None:
        """--help, whose failure argparse would hide, and what is said of usage."""
        show = printer.text if file is sys.stdout else printer.say_text
        show(message)


class _Unasked(_Parser):
    """The parser of a sub-command that is not among the words, which therefore parses none: making
    all parsers took longer than the rest of --help."""

    def __init__(self, **_: object) -> None:
        pass


def _epilog() -> str:
    """Exit statuses, and what a TABLE is: the formats that there are."""
    from ..base.model.table_formats import FORMATS

    table = (
        f"A TABLE is a revision (see idle-states list), {joined(list(FORMATS.values()), 'or')} "
        "(only check and audit read logs); - is standard input. FILE:NAME picks one table of "
        "several."
    )
    return "\n".join((_STATUSES, *filled(table, 100), ""))


class _Version(argparse.Action):
    """The action of --version, which gathers the version only when it is asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> "NoReturn":
        from .version import version

        printer.text(version())
        parser.exit()


class _Completion(argparse.Action):
    """The action of --completion: prints the script."""

    def __call__(
        self, parser: argparse.ArgumentParser, _: object, shell: object, __: str | None = None
    ) -> "NoReturn":
        printer.document(completion_script(str(shell)))
        parser.exit()


def completion_script(shell: str) -> str:
    """Returns a shell's completion script, worked out."""
    from .completion import script

    options = {name: command_parser(name)._option_string_actions for name in COMMANDS}
    return script(shell, options)


class _Whole(_Parser):
    """The parser of a whole command line, whose help has the commands in groups."""

    def format_help(self) -> str:
        shown = self._get_formatter()
        shown.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        shown.add_text(self.description)
        positionals, options, *_ = self._action_groups
        (commands,) = positionals._group_actions
        assert isinstance(commands, argparse._SubParsersAction)
        name2line = {each.dest: each for each in commands._choices_actions}
        for title, (example, names) in GROUPS.items():
            shown.start_section(title)
            shown.add_arguments([name2line[name] for name in names])
            shown.add_text(f"Example: {example}")
            shown.end_section()
        shown.start_section(options.title)
        shown.add_arguments(options._group_actions)
        shown.end_section()
        shown.add_text(self.epilog)
        return shown.format_help()


def parser(words: Sequence[str] = ()) -> argparse.ArgumentParser:
    """The parser of a whole command line."""
    top = _Whole(
        prog="idle-states",
        description="OpenPOWER idle-state tables, followed from the spec to what Linux registers.",
        epilog=_epilog(),
    )
    top.add_argument("--version", action=_Version, help="version, commit and compiled core")
    top.add_argument(
        "--completion",
        action=_Completion,
        choices=("bash", "zsh", "fish"),
        help="print a shell's completion script",
    )
    commands: argparse._SubParsersAction[_Parser] = top.add_subparsers(
        dest="command", metavar="COMMAND", required=True, parser_class=_Unasked
    )
    for name, summary in COMMANDS.items():
        commands.add_parser(name, help=summary)
        if name in words:
            commands.choices[name] = command_parser(name)
    return top


_GUARD = "\0"
"""A character that no word of a command line can have."""


def command_parser(name: str) -> _Parser:
    """Returns one sub-command's parser: quicker to build, and options may stand between files."""
    from . import derive

    module = command(name)
    found = _Parser(prog=f"idle-states {name}", description=module.__doc__)
    derive.add_options(found, derive.options_of(module))
    return found


def parsed(words: list[str]) -> "CommandLine":
    """Returns the options given. Ends the program for --help and for what cannot be meant."""
    if not words or words[0].startswith("-"):
        parser(words).parse_args(words)
    name = words[0]
    if name in GONE:
        parser().error(f"{name} is now: idle-states {GONE[name]}")
    if name not in COMMANDS:
        hint = suggestion(name, COMMANDS)
        parser().error(f"expected a command, found {name!r}{hint}")
    from .derive import CommandLine

    found = command_parser(name)
    found.usage = _Usage(name)
    arguments, unknown = found.parse_known_intermixed_args(_guarded(words[1:]))
    for key, value in vars(arguments).items():
        setattr(arguments, key, _bare(value))
    if unknown:
        option = unknown[0].partition("=")[0]
        if now := GONE.get(f"{name} {option}"):
            found.error(f"{option} is now: idle-states {now}")
        hint = suggestion(option, found._option_string_actions)
        found.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
    return CommandLine(command(name), arguments)


def _guarded(words: list[str]) -> list[str]:
    """The words without "--", those behind it so that none is taken for an option: where options
    may stand between files, argparse of Python 3.11 takes "--" away before it looks at them."""
    if "--" not in words:
        return words
    at = words.index("--")
    behind = (_GUARD + word if word.startswith("-") else word for word in words[at + 1 :])
    return [*words[:at], *behind]


def _bare(value: object) -> object:
    """A value of an argument as it was given."""
    if isinstance(value, list):
        return [_bare(each) for each in value]
    return value.removeprefix(_GUARD) if isinstance(value, str) else value
