"""The texts that the program can print, one a line with its place, to be read aloud:
python -m tools.texts [ROOM]."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from .command_line import parsed

ROOT = Path(__file__).parents[1] / "idle_states"
_WORDS = re.compile(r"[A-Za-z]{2,}[ -]+[A-Za-z]{2,}|\w+-- ")
_HELP = "cli/cmd_*.py"
_NO_TEXT = re.compile(r"[{}] *\n|\\[bwdsSW(]|\(\?[:P<=!]|\b(?:SELECT|REPLACE|CREATE) ")
"""Programs, regular expressions and queries."""


class Text(NamedTuple):
    """A text. place: file and line; words: {} in place of what is only known when it is printed."""

    place: str
    words: str


def texts(room: str = "") -> Iterator[Text]:
    """Yields the texts of a room, or of all: literals of two words or more, and commands' help."""
    for file in sorted((ROOT / room).rglob("*.py")):
        tree = ast.parse(file.read_text("utf-8"))
        unprinted = _docstrings(tree.body[1:] if file.match(_HELP) else [tree])
        name = file.relative_to(ROOT).as_posix()
        for line, words in _literals(tree, unprinted):
            if _WORDS.search(words) and not _NO_TEXT.search(words):
                yield Text(f"{name}:{line}", " ".join(words.split()))


def _docstrings(nodes: Sequence[ast.AST]) -> set[int]:
    walked = (each for node in nodes for each in ast.walk(node))
    return {id(each.value) for each in walked if isinstance(each, ast.Expr)}


def _literals(node: ast.AST, unprinted: set[int]) -> Iterator[tuple[int, str]]:
    if isinstance(node, ast.JoinedStr):
        parts = (str(p.value) if isinstance(p, ast.Constant) else "{}" for p in node.values)
        yield node.lineno, "".join(parts)
        inner: Iterable[ast.AST] = (
            part.value for part in node.values if isinstance(part, ast.FormattedValue)
        )
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, str) and id(node) not in unprinted:
            yield node.lineno, node.value
        return
    else:
        inner = ast.iter_child_nodes(node)
    for each in inner:
        yield from _literals(each, unprinted)


if __name__ == "__main__":
    for text in texts(parsed(__doc__, "[ROOM]").room or ""):
        print(f"{text.place}: {text.words}")
