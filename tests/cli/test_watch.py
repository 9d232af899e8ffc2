"""check --watch as a program: real saves, in the ways of editors, and what it says at each."""

import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from idle_states.base.model.findings import Finding, Location, Severity
from idle_states.base.reading.watching import SaveWatch
from idle_states.cli import main
from idle_states.tables.check.changed import changed
from tests.support.thorough import slow

SPEC = "name: mine\nextends: power9\noverride:\n  stop0_lite: {{latency: {}, residency: {}}}\n"
GOOD = SPEC.format("1us", "10us")
FAULT = SPEC.format("200ns", "2us")
PATIENCE_S = 30.0
"""The patience for a machine that does much else; an answer takes a tenth of a second."""
LAST = re.compile(r"^\d+ tables?, \d+ kernels?: .*\n", re.MULTILINE)


class Watching:
    """A running check --watch, whose answers are read as they come."""

    def __init__(self, *words: str, cwd: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "idle_states", "check", "--watch", "--kernel", "4.11",
             "--config", "none", *words],
            cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert self.process.stdout
        self._said = b""

    def answer(self, ends: re.Pattern[str] = LAST) -> str:
        """The next answer, up to the line that ends it; fails after PATIENCE_S."""
        assert self.process.stdout
        number, until = self.process.stdout.fileno(), time.monotonic() + PATIENCE_S
        while not (match := ends.search(self._said.decode())):
            left = until - time.monotonic()
            assert left > 0, f"no answer, but {self._said!r}"
            if select.select([number], [], [], left)[0]:
                more = os.read(number, 1 << 16)
                assert more, f"it ended: {self._said!r} {self.process.communicate()}"
                self._said += more
        text = self._said.decode()
        self._said = text[match.end() :].encode()
        return text[: match.end()]

    def first(self) -> str:
        """The first answer, whole: all that it says until it waits for a save."""
        assert self.process.stdout
        assert self.process.stderr
        while line := self.process.stderr.readline():
            if b"waiting until a file is saved" in line:
                break
        else:
            raise AssertionError(self.process.communicate())
        return os.read(self.process.stdout.fileno(), 1 << 16).decode()

    def interrupted(self) -> tuple[int, str]:
        """Its exit status after Ctrl-C, and what it said then."""
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, (out + err).decode()


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Callable[..., Watching]]:
    running: list[Watching] = []

    def begun(*words: str) -> Watching:
        running.append(Watching(*words, cwd=tmp_path))
        return running[-1]

    yield begun
    for each in running:
        each.process.kill()
        each.process.communicate()


def _renamed(file: Path, text: str) -> None:
    beside = file.with_name(f".{file.name}.swp")
    beside.write_text(text)
    os.replace(beside, file)


def _backed_up(file: Path, text: str) -> None:
    """vim's backupcopy=no: the old file goes, then a new one is made."""
    file.rename(file.with_name(f"{file.name}~"))
    time.sleep(0.03)
    file.write_text(text)


def _rewritten(file: Path, text: str) -> None:
    with file.open("w") as out:
        out.flush()
        time.sleep(0.03)
        half = len(text) // 2
        out.write(text[:half])
        out.flush()
        out.write(text[half:])


def _locked(file: Path, text: str) -> None:
    """Emacs puts a link beside the file that leads nowhere."""
    link = file.with_name(f".#{file.name}")
    link.symlink_to("me@host.1")
    file.write_text(text)
    link.unlink()


SAVES = {
    "rename": _renamed, "backup": _backed_up, "truncate": _rewritten, "lock": _locked,
}  # fmt: skip


@pytest.mark.parametrize("save", ["rename", "truncate", *slow("backup", "lock")])
@pytest.mark.parametrize("operand", ["mine.yaml", *slow(".")])
def test_each_save_is_answered(
    save: str, operand: str, begin: Callable[..., Watching], tmp_path: Path
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(GOOD)
    watching = begin(operand)
    assert "0 errors" in watching.first()
    SAVES[save](file, FAULT)
    said = watching.answer()
    assert said.startswith("--- ")
    assert "mine.yaml saved\nnew:\n" in said
    assert re.search(r"^mine.yaml:4:\d+: error: .*\[IS2", said, re.MULTILINE)
    assert "fixed:" not in said
    new = re.search(r"; (\d+) new, 0 fixed, (\d+) still\n$", said)
    assert new
    SAVES[save](file, GOOD)
    said = watching.answer()
    assert "new:" not in said
    assert re.search(rf"; 0 new, {new[1]} fixed, {new[2]} still\n$", said)
    assert watching.interrupted() == (0, "")


def test_the_exit_status_is_that_of_the_last_answer(
    begin: Callable[..., Watching], tmp_path: Path
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(FAULT)
    watching = begin("mine.yaml")
    assert "1 error" in watching.first()
    assert watching.interrupted() == (1, "")


@pytest.mark.slow
def test_a_file_that_is_no_table_for_a_while(
    begin: Callable[..., Watching], tmp_path: Path
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(GOOD)
    watching = begin("mine.yaml")
    watching.first()
    file.write_text("name: [")
    assert "[IS910 yaml-syntax]" in watching.answer()
    file.write_text(FAULT)
    said = watching.answer()
    assert "fixed:" in said
    assert "[IS2" in said
    file.unlink()
    assert watching.process.stderr
    assert b"expected a file, found none" in watching.process.stderr.readline()
    file.write_text(GOOD)
    assert "0 errors" in watching.answer()
    assert watching.interrupted()[0] == 0


@pytest.mark.slow
def test_what_a_spec_extends_is_watched(begin: Callable[..., Watching], tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(GOOD.replace("mine", "base"))
    (tmp_path / "mine.yaml").write_text("name: mine\nextends: base\n")
    watching = begin("mine.yaml")
    watching.first()
    (tmp_path / "base.yaml").write_text(FAULT.replace("mine", "base"))
    assert "base.yaml saved\nnew:\n" in watching.answer()


@pytest.mark.parametrize(
    "words",
    [["--format", "json"], ["-o", "x"], ["--write-baseline", "x"], ["--fix"], ["--statistics"]],
)
def test_what_does_not_go_together(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status = main(["check", "power9", "--watch", *words])
    except SystemExit as ended:
        status = int(str(ended.code))
    assert status == 2
    assert "--watch" in capsys.readouterr().err


# Without a program


def test_a_save_during_an_answer_is_not_missed(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("a")
    watch = SaveWatch([str(one), str(other)])
    one.write_text("ab")
    assert watch.saved() == [str(one)]
    other.write_text("came")
    one.write_text("abc")
    assert watch.saved() == [str(one), str(other)]


def test_a_file_that_never_rests_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """And one that stays empty."""
    from idle_states.base.reading import watching

    seen = iter(range(10**6))
    monkeypatch.setattr(watching, "_state", lambda path: (1, 1, next(seen)))
    monkeypatch.setattr(watching, "_MOST_S", 0.1)
    assert SaveWatch(["busy"]).saved() == ["busy"]


def test_a_file_that_stays_empty_is_answered(tmp_path: Path) -> None:
    file = tmp_path / "one"
    file.write_text("a")
    watch = SaveWatch([str(file)])
    file.write_text("")
    assert watch.saved() == [str(file)]
    file.write_text("b")
    assert watch.saved() == [str(file)]


def finding(rule: str, message: str, line: int = 1, path: str = "t:states[0]") -> Finding:
    where = Location(path=path, file="t.yaml", line=line)
    return Finding(rule, "name", Severity.WARNING, message, where, table="t")


def test_findings_are_the_same_wherever_their_lines_go() -> None:
    a, b, c = finding("IS201", "a"), finding("IS202", "b"), finding("IS203", "c")
    moved, other, new = finding("IS201", "a", 9), finding("IS202", "B"), finding("IS204", "d")
    found = changed([a, b, c], [moved, other, new])
    assert (found.new, found.changed, found.fixed, found.still) == ((new,), (other,), (c,), 1)
    assert found.counts == "1 new, 1 changed, 1 fixed, 1 still"


def test_several_findings_of_a_rule_at_one_place() -> None:
    a, b = finding("IS201", "a"), finding("IS201", "b")
    assert changed([a, b], [b]).fixed == (a,)
    assert changed([b], [a, b]).new == (a,)
    assert changed([a, a], [a]).counts == "0 new, 1 fixed, 1 still"
