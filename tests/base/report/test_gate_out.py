"""Whatever names a stranger chose: all that any command prints or writes is valid in its form."""

import contextlib
import io
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from idle_states.cli import main
from idle_states.cli.commands import COMMANDS
from tests.base.report.test_escapes import HOSTILE
from tests.support.forms import FORMS, faults
from tests.support.gate_out import DRIVERS, Drawn, Line
from tests.support.thorough import slow

NO_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)
"""An example runs a hundred commands."""
MARK = "QZQ"
"""Follows each newline of a name: no line of a report may begin with it."""
WORDS = st.lists(HOSTILE | st.text(max_size=6), min_size=1, max_size=4).map("".join)
FILES = st.lists(
    st.sampled_from(
        [b"\xff", b"\x1b[31m", b"\n::error::x", b"\xe2\x80\xae", b"\xc2\x9b", b"<script>", b"%",
         b"a b", b"'", b'"', b"]]>", b"|", b"`", b"##[add-mask]", b",", b":", b"\r", b"&"]
    )
    | st.binary(max_size=4).map(lambda data: data.replace(b"\0", b"").replace(b"/", b"")),
    max_size=4,
).map(lambda parts: b"f" + b"".join(parts))  # fmt: skip
GROUPS = sorted({id(driver): name for name, driver in sorted(DRIVERS.items())}.values())
LONG = ("review", "tune")


def test_every_command_is_driven() -> None:
    assert sorted(DRIVERS) == sorted(COMMANDS)


@contextlib.contextmanager
def captured() -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    """The bytes that leave the process."""
    out, err = io.BytesIO(), io.BytesIO()
    streams = [io.TextIOWrapper(raw, "utf-8", write_through=True) for raw in (out, err)]
    with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        yield out, err


def ran(line: Line) -> tuple[bytes, bytes]:
    """Standard output and standard error."""
    with captured() as (out, err):
        try:
            status = main(line.words)
        except SystemExit as ended:
            status = int(ended.code or 0)
        assert status in (0, 1, 2, 3)
        return out.getvalue(), err.getvalue()


def wrong(line: Line) -> Iterator[str]:
    """Yields what is wrong with all that a command line puts out."""
    printed, said = ran(line)
    if printed:
        yield from faults(line.form, printed)
    yield from (f"standard error: {fault}" for fault in faults("text", said))
    for file, form in line.files:
        if os.path.exists(file):
            yield from (f"{form} file: {fault}" for fault in faults(form, Path(file).read_bytes()))
    for data in (printed if line.form == "text" else b"", said):
        for text in data.split(b"\n"):
            if text.strip().startswith(MARK.encode()):
                yield f"a name's newline ends a line: {text!r}"


@pytest.mark.parametrize("group", [*(group for group in GROUPS if group not in LONG), *slow(*LONG)])
@settings(max_examples=1, phases=NO_SHRINKING, suppress_health_check=list(HealthCheck))
@example(
    "\x1b]0;t\x07\n::error::x\u202e\x9b",
    b"f\xff\n::error::x\x1b\xe2\x80\xae",
    "a\n\n::error::<script>|`",
)
@example(
    "<script>alert(1)</script>]]>&\"'|`\\",
    b"<img src=x>%0A,:'\"`|",
    "[a](javascript:b)\n# c\n| d |",
)
@given(name=WORDS, file=FILES, note=WORDS)
def test_all_that_leaves_is_valid_in_its_form(
    group: str, name: str, file: bytes, note: str
) -> None:
    marked = name.replace("\n", f"\n{MARK}"), file.replace(b"\n", b"\n" + MARK.encode())
    with tempfile.TemporaryDirectory() as directory:
        for line in DRIVERS[group](Drawn(*marked, note, Path(directory))):
            found = list(wrong(line))
            assert not found, (line.words, found[:5])


@pytest.mark.slow
def test_harmless_names_come_out_in_every_form(tmp_path: Path) -> None:
    """So the property is about results, not about refusals alone."""
    seen: dict[str, set[str]] = {}
    for group in GROUPS:
        (tmp_path / group).mkdir()
        for line in DRIVERS[group](Drawn("stop9", b"file", "A note.", tmp_path / group)):
            printed, _ = ran(line)
            if printed:
                seen.setdefault(line.words[0], set()).add(line.form)
            for file, form in line.files:
                assert Path(file).stat().st_size
                seen.setdefault(line.words[0], set()).add(form)
    assert set().union(*seen.values()) == set(FORMS)
    # those write to a file, need a program, or print only what is asked for
    assert set(COMMANDS) - set(seen) == {"boot"}
    for command in ("check", "audit", "review"):
        assert seen[command] >= {"text", "json", "sarif", "github", "junit"}
