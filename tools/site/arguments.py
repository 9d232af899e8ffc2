"""The command line as the parser has it: what the command reference and the manual page tell."""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

from idle_states.cli import parsers
from idle_states.cli.commands import COMMANDS

PROGRAM = "idle-states"


@dataclass(frozen=True, slots=True)
class Argument:
    """An operand, or an option.

    names   "-o", "--output"; empty for an operand
    value   FILE, or the words to choose from; "" for an option without a value
    shown   an operand as a synopsis has it: "[TABLE ...]"
    help    what it is for; "" where the name says it
    """

    names: tuple[str, ...]
    value: str
    shown: str
    help: str


@dataclass(frozen=True, slots=True)
class Group:
    """Arguments under a heading; the heading of those that have none is "Options" or "Operands"."""

    title: str
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Command:
    """A sub-command. description: the docstring of its module."""

    name: str
    summary: str
    description: str
    groups: tuple[Group, ...]

    @property
    def synopsis(self) -> str:
        """One line."""
        arguments = [each for group in self.groups for each in group.arguments]
        options = ["[OPTION ...]"] if any(each.names for each in arguments) else []
        operands = [each.shown for each in arguments if not each.names]
        return " ".join([PROGRAM, self.name, *options, *operands])


def commands() -> tuple[Command, ...]:
    """All sub-commands, by name."""
    return tuple(_command(name) for name in COMMANDS)


def epilog() -> str:
    """Returns what --help says below all commands: exit statuses, and what a TABLE is."""
    return parsers.parser().epilog or ""


def description() -> str:
    """Returns what the program is, in a sentence."""
    return parsers.parser().description or ""


def _command(name: str) -> Command:
    module = parsers.command(name)
    parser = parsers.command_parser(name)
    groups = []
    for group in parser._action_groups:
        shown = [action for action in group._group_actions if _is_described(action)]
        title = {"positional arguments": "Operands", "options": "Options"}.get(
            group.title or "", group.title or ""
        )
        if shown:
            described = tuple(_argument(parser, action) for action in shown)
            groups.append(Group(title[0].upper() + title[1:], described))
    return Command(name, COMMANDS[name], module.__doc__ or "", tuple(groups))


def _is_described(action: argparse.Action) -> bool:
    return action.help is not argparse.SUPPRESS and "--help" not in action.option_strings


def _argument(parser: argparse.ArgumentParser, action: argparse.Action) -> Argument:
    value = ""
    if action.nargs != 0:
        value = str(action.metavar or "") or (
            "|".join(map(str, action.choices)) if action.choices else action.dest.upper()
        )
    text = " ".join((action.help or "").split())
    if text:
        text %= {**vars(action), "prog": parser.prog}
    others = list(_excluded(parser, action))
    if others:
        text = f"{text}; not with {', '.join(others)}".removeprefix("; ")
    return Argument(tuple(action.option_strings), value, _operand(action, value), text)


def _operand(action: argparse.Action, value: str) -> str:
    forms = {"?": "[{}]", "*": "[{} ...]", "+": "{} ..."}
    return forms.get(str(action.nargs), "{}").format(value)


def _excluded(parser: argparse.ArgumentParser, action: argparse.Action) -> Iterator[str]:
    """The last names of options that cannot stand beside this one."""
    for group in parser._mutually_exclusive_groups:
        if action in group._group_actions:
            for other in group._group_actions:
                if other is not action and other.option_strings:
                    yield other.option_strings[-1]
