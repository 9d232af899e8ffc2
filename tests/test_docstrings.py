"""Docstrings are in plain English: the first line is a verb in the third person, or a noun with its
article."""

import ast
import re
from collections.abc import Iterator

from tests.support import ROOT

NO_SENTENCE = re.compile(
    r"(?:What|Whether|Which|Of|Those|That|As|Where|How|When|Who|Why|Likewise)\b"
)


def first_lines(source: str) -> Iterator[str]:
    """Yields the first lines of the docstrings of a module, its classes, functions and names."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield str(node.value.value).lstrip().partition("\n")[0]


def test_a_first_line_is_a_sentence_or_a_name() -> None:
    files = [
        file
        for room in ("idle_states", "tests", "tools", "benchmarks")
        for file in sorted((ROOT / room).rglob("*.py"))
    ]
    texts = {file: [*first_lines(file.read_text("utf-8"))] for file in files}
    assert sum(map(len, texts.values())) > 8000
    wrong = [f"{file}: {line}" for file in files for line in texts[file] if NO_SENTENCE.match(line)]
    assert wrong == []


def test_other_beginnings_are_seen() -> None:
    source = '"""The states."""\ndef used():\n    """Whether it is used.\n\n    Of CPUs."""\n'
    source += 'MOST = 3\n"""Of states."""\n'
    lines = sorted(line for line in first_lines(source) if NO_SENTENCE.match(line))
    assert lines == ["Of states.", "Whether it is used."]
