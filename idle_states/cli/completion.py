"""Scripts that complete command lines, for --completion SHELL."""

from collections.abc import Iterable, Mapping

from .commands import COMMANDS

_BASH = """\
_idle_states() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} words
    local before=${{COMP_WORDS[COMP_CWORD-1]}}
    case $before in
{bash_values}
    esac
    if [ -n "$words" ]; then
        COMPREPLY=($(compgen -W "$words" -- "$current"))
        [ "$before" = --table ] && COMPREPLY+=($(compgen -f -- "$current"))
        return
    fi
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="{commands} --help --version --completion"
    elif [[ $current == -* ]]; then
        case ${{COMP_WORDS[1]}} in
{bash_cases}
        esac
    else
        case ${{COMP_WORDS[1]}} in
{bash_operands}
            *) words="{tables}" ;;
        esac
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
complete -c idle-states -n 'not __fish_use_subcommand' -a '{tables}'
{fish_operands}
{fish_options}
"""


def script(shell: str, name2options: Mapping[str, Iterable[str]]) -> str:
    """Returns the script for a shell. name2options: the options of each command."""
    from ..tables.spec.packaged import named

    names = list(COMMANDS)
    options = {
        name: sorted(o for o in name2options[name] if o.startswith("--") and o != "--help")
        for name in names
    }
    offered, operands = _values(), _operands()
    values = {
        "commands": " ".join(names),
        "tables": " ".join(revision.name for revision in named()),
        "bash_cases": "\n".join(
            f'            {name}) words="{" ".join(options[name])}" ;;' for name in names
        ),
        "bash_values": "\n".join(
            f'        --{option}) words="{" ".join(words)}" ;;' for option, words in offered.items()
        ),
        "bash_operands": "\n".join(
            f'            {name}) words="{" ".join(words)}" ;;' for name, words in operands.items()
        ),
        "fish_operands": "\n".join(
            f"complete -c idle-states -n '__fish_seen_subcommand_from {name}' "
            f"-a '{' '.join(words)}'"
            for name, words in operands.items()
        ),
        "fish_options": "\n".join(
            f"complete -c idle-states -n '__fish_seen_subcommand_from {name}' -l {option[2:]}"
            + (f" -x -a '{' '.join(offered[option[2:]])}'" if option[2:] in offered else "")
            for name in names
            for option in options[name]
            if option.startswith("--")
        ),
    }
    bash = _BASH.format(**values)
    text = {"bash": bash, "zsh": _ZSH.format(bash=bash), "fish": _FISH.format(**values)}
    return text[shell]


def _values() -> dict[str, list[str]]:
    """Option without its dashes -> what may be its value."""
    from ..tables.linux.governors import governor_names
    from ..tables.linux.releases import all_releases
    from ..tables.rules.catalogue import known_codes
    from ..tables.skiboot.platform import PRESETS
    from ..tables.spec.packaged import named

    rules = sorted(known_codes())
    return {
        "kernel": [*(release.name for release in all_releases()), "all"],
        "platform": list(PRESETS),
        "governor": list(governor_names()),
        "select": rules,
        "ignore": rules,
        "table": [revision.name for revision in named()],
        "fail-on": ["error", "warning", "note"],
    }


def _operands() -> dict[str, list[str]]:
    """Sub-command -> what it takes instead of a TABLE."""
    from ..change.patches.library import packaged
    from ..lab.simulation.experiments import EXPERIMENTS
    from ..lab.simulation.workloads import BUILT_IN
    from ..tables.rules.catalogue import known_codes

    return {
        "explain": sorted(known_codes()),
        "simulate": [*BUILT_IN, *EXPERIMENTS],
        "patch": [patch.name for patch in packaged()],
        "list": ["tables", "kernels", "rules"],
    }
