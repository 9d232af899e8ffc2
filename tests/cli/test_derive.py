"""Options as requests declare them: the parsers and values that follow."""

import pytest

from idle_states.base.dataclass import fields
from idle_states.base.options import Argument, Option
from idle_states.cli import derive
from idle_states.cli.commands import COMMANDS
from idle_states.cli.parsers import command, command_parser
from tests.support.commands import Capture, run

every_command = pytest.mark.parametrize("name", COMMANDS)


@every_command
def test_an_option_that_is_no_list_is_given_once(name: str, capsys: Capture) -> None:
    for declared in derive.options_of(command(name)).declared():
        if isinstance(declared.mark, Option):
            value = [] if declared.kind.of is bool else [(declared.choices or ("1",))[0]]
            words = [declared.mark.name, *value]
            found = command_parser(name)
            if declared.kind.many:
                given = found.parse_known_args([*_required(name, declared), *words, *words])[0]
                assert len(getattr(given, declared.path)) == 2
                continue
            with pytest.raises(SystemExit) as ended:
                found.parse_known_args([*words, *words])
            assert ended.value.code == 2
            assert "expected once, found it twice" in capsys.readouterr().err


def _required(name: str, but: derive.Declared) -> list[str]:
    """Words for the options and operands that a command needs."""
    words: list[str] = []
    for declared in derive.options_of(command(name)).declared():
        said, value = declared.mark, (declared.choices or ("1",))[0]
        if isinstance(said, Option) and said.required and declared is not but:
            words += [said.name, value]
        elif isinstance(said, Argument) and declared.wanted:
            words.append(value)
    return words


@every_command
def test_what_declarations_name_exists(name: str) -> None:
    """Functions that make values, and fields of groups that are otherwise in a request."""
    for group in derive.options_of(command(name)).groups():
        assert set(group.options.changed) <= {each.name for each in fields(group.kind.of)}
        for declared in group.declared():
            said = declared.mark
            for function in (getattr(said, "reads", ""), getattr(said, "fills", "")):
                assert not function or callable(derive._function(function))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_time_takes_a_unit(name: str) -> None:
    """A time's option is shown as TIME, and its function reads units; two are read by the room."""
    for declared in derive.options_of(command(name)).declared():
        said = declared.mark
        if not isinstance(said, Option):
            continue
        assert said.metavar not in ("S", "MS", "US", "NS"), said.name
        if said.metavar == "TIME" and said.name not in ("--duration", "--latency-limit"):
            read = derive._function(said.reads)
            assert read("2000us") == read("2ms") != read("1ms"), said.name


def test_times_take_units(capsys: Capture) -> None:
    table = ("power9", "--kernel", "6.1")
    for option, bare, unit in (
        ("--latency-limit", "50", "50us"),
        ("--next-timer", "1000", "1ms"),
        ("--idle", "30", "30000ns"),
        ("--wake", "2000", "2us"),
    ):
        assert run(capsys, "select", *table, option, bare) == run(
            capsys, "select", *table, option, unit
        )
