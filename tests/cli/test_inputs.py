"""Inputs as other systems write them, and as other users own them: what is said, and the status."""

import codecs
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from idle_states.cli import main
from idle_states.tables.sources import NoSuchTable, read_sources
from tests.support import commands

TRACE = """\
 <idle>-0 [000] 1.000000: cpu_idle: state=1 cpu_id=0
 <idle>-0 [000] 1.000200: cpu_idle: state=4294967295 cpu_id=0
"""
FORMS = ("yaml", "c", "dts")


def generated(form: str, directory: Path) -> Path:
    file = directory / f"table.{form}"
    assert main(["generate", "--to", form, "power10", "-o", str(file)]) == 0
    return file


@pytest.mark.parametrize("form", FORMS)
def test_a_byte_order_mark_changes_nothing(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = generated(form, tmp_path)
    plain = commands.run(capsys, "check", str(file))
    file.write_bytes(codecs.BOM_UTF8 + file.read_bytes())
    assert commands.run(capsys, "check", str(file)) == plain
    assert plain[0] == 0


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    ("name", "words"),
    [
        *((f"table.{form}", ["check"]) for form in FORMS),
        ("trace.txt", ["replay", "--table", "power9"]),
        ("trace.txt", ["simulate", "--table", "power9"]),
        ("mail.mbox", ["review"]),
    ],
)
def test_text_in_utf_16_is_called_that(
    name: str, words: list[str], order: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / name
    file.write_bytes(("\ufeff" + TRACE).encode(order))
    status, out, err = commands.run(capsys, *words, str(file))
    assert (status, "expected UTF-8, found UTF-16; iconv" in out + err) == (3, True)
    assert f"{file}:1:1: error" in out + err


@pytest.mark.parametrize("name", ["table.c", "table.dts", "table.txt"])
def test_an_empty_file_is_no_bad_yaml(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / name
    file.touch()
    status, out, err = commands.run(capsys, "check", str(file))
    assert status == 3
    assert "form of a table, found an empty file [IS930" in out + err


def test_a_configuration_with_a_byte_order_mark_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "setup.cfg").write_text("\ufeff[idle-states]\nkernels = 6.l\n", "utf-8")
    status, _, err = commands.run(capsys, "check", "power9")
    assert status == 2
    assert "'6.l'" in err


@contextmanager
def unprivileged() -> Iterator[None]:
    """For root, to whom everything is open, as another user."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


def test_what_lies_in_a_locked_folder_is_forbidden_not_missing(tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir()
    with pytest.raises(NoSuchTable):
        read_sources(str(locked / "table.yaml"))
    locked.chmod(0)
    try:
        with unprivileged(), pytest.raises(PermissionError, match=r"table\.yaml"):
            read_sources(str(locked / "table.yaml"))
    finally:
        locked.chmod(0o700)
