"""The command reference: a page for each sub-command, and one that lists them."""

from collections.abc import Iterator

from .arguments import PROGRAM, Argument, Command, commands, description, epilog
from .prose import fenced, inline, markdown

FOLDER = "reference/commands"


def pages() -> Iterator[tuple[str, str]]:
    """(path, Markdown) of each page, the list first."""
    yield f"{FOLDER}/index.md", _index()
    for command in commands():
        yield f"{FOLDER}/{command.name}.md", _page(command)


def _index() -> str:
    statuses, _, table = epilog().partition("\n\n")
    rows = [f"| [{each.name}]({each.name}.md) | {inline(each.summary)} |" for each in commands()]
    return "\n".join(
        [
            "# Commands\n",
            f"{inline(description())}\n",
            "| command | what it does |",
            "| --- | --- |",
            *rows,
            "",
            f"{markdown(statuses.capitalize())}\n",
            f"{markdown(table)}\n",
            f"`{PROGRAM} --version` says version, commit and compiled core; `{PROGRAM} COMMAND "
            "--help` what stands on these pages.",
            "",
        ]
    )


def _page(command: Command) -> str:
    parts = [
        f"# {PROGRAM} {command.name}",
        fenced(command.synopsis),
        markdown(command.description),
    ]
    for group in command.groups:
        parts.append(f"## {inline(group.title)}")
        parts += [_argument(each) for each in group.arguments]
    return "\n\n".join(parts) + "\n"


def _argument(argument: Argument) -> str:
    """A term of a definition list."""
    names = argument.names or (argument.shown,)
    value = f" {argument.value}" if argument.names and argument.value else ""
    term = ", ".join(f"`{name}{value}`" for name in names)
    anchor = f'<a id="{argument.names[-1].lstrip("-")}"></a>' if argument.names else ""
    return f"{anchor}{term}\n:   {inline(argument.help) or '&nbsp;'}"
