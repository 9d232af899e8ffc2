"""Prints a completion script: idle-states completion bash > ~/.local/share/bash-completion/..."""

import argparse

SUMMARY = "print a shell completion script"

_BASH = """\
_idle_states() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} words
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="{commands} --help --version"
    elif [[ $current == -* ]]; then
        case ${{COMP_WORDS[1]}} in
{bash_cases}
        esac
    elif [ "${{COMP_WORDS[1]}}" = explain ]; then
        words="{rules}"
    else
        words="{tables}"
    fi
    COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current"))
}}
complete -o filenames -F _idle_states idle-states
"""

_ZSH = """\
#compdef idle-states
autoload -U +X bashcompinit && bashcompinit
{bash}"""

_FISH = """\
complete -c idle-states -n __fish_use_subcommand -f -a '{commands}'
complete -c idle-states -n '__fish_seen_subcommand_from explain' -f -a '{rules}'
complete -c idle-states -n 'not __fish_use_subcommand' -a '{tables}'
{fish_options}
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))


def run(arguments: argparse.Namespace) -> int:
    from ..report import printer
    from ..rules.catalogue import rules
    from ..spec.packaged import revisions
    from . import command_names

    names = command_names()
    options = {name: _options(name) for name in names}
    values = {
        "commands": " ".join(names),
        "rules": " ".join(loaded.rule.code for loaded in rules()),
        "tables": " ".join(revision.name for revision in revisions()),
        "bash_cases": "\n".join(
            f'            {name}) words="{" ".join(options[name])}" ;;' for name in names
        ),
        "fish_options": "\n".join(
            f"complete -c idle-states -n '__fish_seen_subcommand_from {name}' -l {option[2:]}"
            for name in names
            for option in options[name]
            if option.startswith("--")
        ),
    }
    bash = _BASH.format(**values)
    text = {"bash": bash, "zsh": _ZSH.format(bash=bash), "fish": _FISH.format(**values)}
    printer.document(text[arguments.shell])
    return 0


def _options(name: str) -> list[str]:
    """The long options of a sub-command, from its own parser."""
    from . import command

    probe = argparse.ArgumentParser()
    command(name).add_arguments(probe)
    return sorted(
        option
        for action in probe._actions
        for option in action.option_strings
        if option.startswith("--")
    )
