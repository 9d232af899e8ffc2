"""Command lines that are refused before anything is done, and the words that say why.

What needs a file, or is refused of what a file says, is tested where it is read. Each file
`expected/refused*.txt` has what its command lines begin with, then a row of each: what follows,
and behind => a part of what is printed; $: its end.
"""

import shlex
from pathlib import Path

import pytest

from tests.support.commands import Capture, run
from tests.support.expected import Expected

FILES = sorted(file.name for file in (Path(__file__).parent / "expected").glob("refused*.txt"))


@pytest.mark.parametrize("name", FILES)
def test_lines_that_cannot_be_meant_are_refused_in_one_line(
    name: str, expected: Expected, capsys: Capture
) -> None:
    """Behind the usage at most, where it is no line of a command."""
    head, *rows = (expected.folder / name).read_text().splitlines()
    found = [head]
    for row in rows:
        rest, _, said = row.partition("=>")
        line = f"{head.removeprefix('idle-states')} {rest}"
        status, out, err = run(capsys, *shlex.split(line))
        *usage, last = err.splitlines()
        assert (status, out) == (2, ""), line
        assert usage[:1] == [] or usage[0].startswith("usage: idle-states"), line
        found.append(row if said.strip() in f"{last}$" else f"{rest}=> {last}")
    expected.check(name, "\n".join(found) + "\n")
