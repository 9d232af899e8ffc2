"""One way out: nothing is printed around the printer, and what passes it is clean."""

import ast
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import idle_states
from idle_states.base.report import printer

PACKAGE = Path(idle_states.__file__).parent
OWN = {
    "base/report/printer.py",
    "base/reading/confined.py",  # a program of its own, which becomes another
    "change/boot/parts.py",  # a program of its own, which fetches what boots need
}
MAY_WRITE = re.compile(rb"\bprint\b|sys\s*\.\s*std").search


def written(tree: ast.AST) -> Iterator[int]:
    """Lines of calls of print(), and of sys.stdout's and sys.stderr's writing methods."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        if called == "print" or called.startswith(("sys.stdout.", "sys.stderr.")):
            if not called.endswith((".isatty", ".flush", ".fileno")):
                yield node.lineno
        elif any(ast.unparse(word.value).startswith("sys.std") for word in node.keywords):
            yield node.lineno


def test_nothing_prints_around_the_printer() -> None:
    files = sorted(PACKAGE.rglob("*.py"))
    assert len(files) > 200
    found = [
        f"{name}:{line}"
        for file in files
        if (name := file.relative_to(PACKAGE).as_posix()) not in OWN
        for line in written(ast.parse(file.read_bytes() if MAY_WRITE(file.read_bytes()) else b""))
    ]
    assert found == []
    assert any(written(ast.parse((PACKAGE / "base/report/printer.py").read_bytes())))


HOSTILE = "\x1b]0;t\x07\u202e\udcff"
SHOWN = r"\x1b]0;t\x07\u202e\xff"


def test_text_is_looked_at_wherever_it_goes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(tmp_path / "a")
    printer.text(f"{HOSTILE}\n::error::x\n")
    printer.text_parts([f"{HOSTILE}\n", "::error::x\n"], file)
    expected = f"{SHOWN}\n\\x3a:error::x\n"
    assert capsys.readouterr().out == expected
    assert Path(file).read_text("utf-8") == expected


def test_messages_are_one_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    printer.say(f"{HOSTILE}\n::error::x")
    printer.say_text(f"{HOSTILE}\n::error::x\n")
    lines = capsys.readouterr().err.split("\n")
    assert lines == [f"idle-states: {SHOWN}\\n::error::x", SHOWN, r"\x3a:error::x", ""]


def test_progress_is_no_wider_than_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    printer.progress("x" * 100)
    assert capsys.readouterr().err.count("x") == 39


def test_progress_stays_on_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", stream := io.StringIO())
    printer.progress(f"{HOSTILE}\nx")
    assert stream.getvalue() == f"\r\x1b[K{SHOWN}\\nx"
