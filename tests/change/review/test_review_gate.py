"""review of input that is wrong, missing or hostile."""

import os
import re
from pathlib import Path

import pytest

from idle_states.base.model.findings import Unreadable
from idle_states.base.reading.git.repository import Repository
from idle_states.change.review import tree as review_tree
from idle_states.change.review.review import Yardstick, ends, review
from idle_states.cli import main
from idle_states.tables.check.criteria import Criteria
from tests.support.git_history import History
from tests.support.reviewed import (
    AFTER,
    BEFORE,
    KERNELS,
    c_of,
    only,
    reviewed,
    rules,
    spec,
)


def refusal(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    status = main(["review", *words])
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Traceback" not in captured.err
    return status, captured.err


def test_what_is_no_repository(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, message = refusal(capsys, "--tree", str(tmp_path))
    assert (status, "not a git repository" in message) == (3, True)
    status, message = refusal(capsys, "--tree", str(tmp_path / "nowhere"))
    assert (status, "found no directory" in message) == (3, True)


def test_git_that_is_missing(
    stop0_lite: History, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    status, message = refusal(capsys, "--tree", str(stop0_lite.directory))
    assert (status, "expected the program git" in message) == (3, True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HEAD~9..HEAD", 3),
        ("nonsense..HEAD", 3),
        ("HEAD:hw/slw.c..HEAD", 3),
        ("=--all..HEAD", 3),
        ("HEAD", 2),
        ("..", 2),
        ("", 2),
    ],
)
def test_what_is_no_range(
    text: str, expected: int, stop0_lite: History, capsys: pytest.CaptureFixture[str]
) -> None:
    status, message = refusal(capsys, "--tree", str(stop0_lite.directory), text)
    assert status == expected
    assert re.search("expected (a revision|BASE..HEAD), found", message)


def test_revision_that_looks_like_an_option(stop0_lite: History) -> None:
    with pytest.raises(Unreadable, match="expected a revision"):
        Repository(stop0_lite.directory).resolve("--git-dir")


def test_history_that_is_cut_off(
    stop0_lite: History, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stop0_lite.commit({"a": "b"})
    shallow = tmp_path / "shallow"
    url = stop0_lite.directory.as_uri()
    stop0_lite.git("clone", "-q", "--depth", "2", url, str(shallow))
    assert main(["review", "--tree", str(shallow), "--config", "none"]) == 0
    capsys.readouterr()
    status, message = refusal(capsys, "--tree", str(shallow), "HEAD~2..HEAD")
    assert (status, "the clone is shallow" in message) == (3, True)
    stop0_lite.git("clone", "-q", "--depth", "1", url, f"{shallow}1")
    status, message = refusal(capsys, "--tree", f"{shallow}1")
    assert (status, "the clone is shallow" in message) == (3, True)


def test_c_that_does_not_parse_is_a_finding_of_its_commit(history: History) -> None:
    history.commit({"hw/slw.c": c_of(BEFORE), "hw/slw-p8.c": c_of("power8")})
    broken = c_of(BEFORE).replace("= 200,", "= 2 * TICK,")
    assert broken != c_of(BEFORE)
    history.commit({"hw/slw.c": broken, "hw/slw-p8.c": c_of("power8@0768e820e")})
    history.commit({"hw/slw.c": c_of(BEFORE)})
    breaks, mends = reviewed(history, "HEAD~2..HEAD", per_commit=True).changes
    assert "IS932" in rules(breaks.new)
    assert rules(breaks.files.new) == rules(mends.files.fixed) == {"IS932"}
    assert breaks.unread == ("hw/slw.c",)
    assert [table.source.name for table in breaks.tables] == ["power8_cpu_idle_states"]
    assert mends.tables == ()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("static struct cpu_idle", "static struct cpu_sleep", "expected the table power9_cpu_idle"),
        ("= 5;", "= 5; states[0].latency_ns = 200;", "code writes into latency_ns of a row"),
    ],
)
def test_what_code_does_to_a_table_is_a_finding_of_its_commit(
    old: str, new: str, message: str, history: History
) -> None:
    code = "void add(void)\n{\n\tstates = power9_cpu_idle_states;\n\twait = 5;\n}\n"
    text = f"{c_of('power9')}{code}"
    history.commit({"hw/slw.c": text})
    assert old in text
    history.commit({"hw/slw.c": text.replace(old, new)})
    (found,) = only(reviewed(history)).files.new
    assert found.rule == "IS932"
    assert message in found.message


@pytest.mark.parametrize("file", ["specs/mine.yaml", "boards/a.dts", "core/idle.c"])
def test_a_repository_of_another_kind_is_not_without_changes(
    file: str, history: History, capsys: pytest.CaptureFixture[str]
) -> None:
    history.commit({file: "name: mine\nextends: power9\n"})
    history.commit({file: "name: mine\nextends: power10\n"})
    status, message = refusal(capsys, "--tree", str(history.directory))
    assert status == 3
    assert "expected a repository of skiboot, or of Linux, U-Boot or Zephyr" in message
    if file.endswith(".yaml"):
        assert only(reviewed(history, specs=True)).tables


def test_huge_file_is_refused(stop0_lite: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(review_tree, "MAX_BYTES", 100)
    found = only(reviewed(stop0_lite))
    assert found.unread == ("hw/slw.c",)
    assert (found.tables, found.new, found.fixed) == ((), [], [])


def test_bare_repository_and_directory_within(stop0_lite: History, tmp_path: Path) -> None:
    bare, doc = tmp_path / "bare.git", stop0_lite.directory / "doc"
    stop0_lite.git("clone", "-q", "--bare", str(stop0_lite.directory), str(bare))
    stop0_lite.commit({"doc/a": "b"})
    stop0_lite.git("reset", "-q", "--soft", "HEAD~1")
    for directory, count in ((bare, 1), (stop0_lite.directory / "hw", 1), (doc, 0)):
        repository = Repository(directory)
        base, head = ends(repository, None)
        found = review(repository, base, head, Yardstick(Criteria(KERNELS[:1])))
        repository.close()
        assert len(only(found).tables) == count


def test_skiboot_within_another_repository(history: History) -> None:
    history.commit({"fw/skiboot/hw/slw.c": c_of(BEFORE), "hw/slw.c": c_of("power9")})
    history.commit({"fw/skiboot/hw/slw.c": c_of(AFTER), "hw/slw.c": c_of("power10")})
    within = Repository(history.directory / "fw/skiboot")
    base, head = ends(within, None)
    [table] = only(review(within, base, head, Yardstick(Criteria(KERNELS[:1])))).tables
    within.close()
    assert table.source.file == "fw/skiboot/hw/slw.c"


def test_repository_cannot_run_programs(
    stop0_lite: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is another one read because the environment says so."""
    witness = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\ntouch {witness}\ncat "$1"\n')
    program.chmod(0o755)
    for key in ("core.fsmonitor", "diff.external", "diff.c.textconv", "core.pager", "core.editor"):
        stop0_lite.git("config", key, str(program))
    (stop0_lite.directory / ".git/info/attributes").write_text("*.c diff=c filter=c\n")
    stop0_lite.git("config", "filter.c.smudge", str(program))
    hooks = stop0_lite.directory / ".git/hooks"
    for hook in ("post-index-change", "post-checkout", "reference-transaction"):
        (hooks / hook).symlink_to(program)
    other = History(tmp_path / "other")
    other.commit({"a": "b"})
    monkeypatch.setenv("GIT_DIR", str(other.directory / ".git"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(program))
    before = sorted((stop0_lite.directory / ".git").rglob("*"))
    assert only(reviewed(stop0_lite)).tables
    assert only(reviewed(stop0_lite, specs=True)).tables == ()
    assert not witness.exists()
    assert sorted((stop0_lite.directory / ".git").rglob("*")) == before


def test_link_in_place_of_a_file(history: History) -> None:
    history.commit({"hw/slw.c": c_of("power9"), "mine.yaml": spec("mine", "extends: power9\n")})
    (history.directory / "hw/slw.c").unlink()
    (history.directory / "hw/slw.c").symlink_to("/etc/hostname")
    (history.directory / "mine.yaml").unlink()
    (history.directory / "mine.yaml").symlink_to("/etc/hostname")
    history.commit({})
    for specs in (False, True):
        change = only(reviewed(history, specs=specs))
        assert change.tables == ()
        assert change.unread == ("mine.yaml" if specs else "hw/slw.c",)
        assert "to '/etc/hostname', out of the repository" in change.new[0].message


def test_work_tree_is_not_looked_at(stop0_lite: History) -> None:
    (stop0_lite.directory / "hw/slw.c").write_text("#error nothing here\n")
    assert only(reviewed(stop0_lite)).tables


def test_process_ends_with_its_reader(stop0_lite: History) -> None:
    repository = Repository(stop0_lite.directory)
    repository.commit(repository.resolve("HEAD"))
    running, made = repository._contents, Path(repository._git._made.name)
    assert running is not None
    assert made.is_dir()
    repository.close()
    assert running._process.poll() is not None
    assert not made.exists()
