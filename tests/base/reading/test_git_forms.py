"""The forms that a repository may have: what is read is what git reads, or is refused in words that
say what to do."""

import hashlib
import os
import shutil
import socket
import struct
import subprocess
import zlib
from pathlib import Path

import pytest

from idle_states.base.model.findings import Unreadable
from idle_states.cli import main
from idle_states.tables.skiboot import c_table
from idle_states.tables.spec.library import find
from tests.base.reading.test_git import files, git, history, opened, refusal, reviewed
from tests.support.git_history import History
from tests.support.git_traps import object_file
from tests.support.thorough import few

__all__ = ["history"]
Capture = pytest.CaptureFixture[str]
CONTENTS = {"README", "hw/slw.c"}


# Work trees


@pytest.fixture
def linked(history: History, tmp_path: Path) -> Path:
    history.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "linked"), "HEAD~1")
    return tmp_path / "linked"


def test_a_linked_work_tree_is_at_its_own_head(
    history: History, linked: Path, capsys: Capture
) -> None:
    history.git("worktree", "lock", "--reason", "x\x1b[31m", str(linked))
    history.git("update-ref", "refs/worktree/mine", "HEAD")
    own = git("-C", str(linked), "rev-parse", "HEAD")
    with opened(linked) as repository, opened(history.directory) as others:
        assert repository.resolve("HEAD") == own
        assert others.resolve("HEAD") != own
        assert others.resolve("other") == own
        # a reference of one work tree is none of another's
        assert others.resolve("refs/worktree/mine") == others.resolve("HEAD")
        with pytest.raises(Unreadable):
            repository.resolve("refs/worktree/mine")
    assert reviewed(linked, "HEAD..main") == 0
    assert "1 table changed" in capsys.readouterr().out
    assert main(["patch", "power9", "--tree", str(linked), "--check"]) in (0, 1)
    assert "Traceback" not in capsys.readouterr().err


def test_a_work_tree_that_was_moved_is_refused_until_git_knows_it(
    linked: Path, tmp_path: Path
) -> None:
    moved = tmp_path / "moved"
    linked.rename(moved)
    assert "does not lead back" in refusal(moved)
    git("-C", str(moved), "worktree", "repair")
    assert set(files(moved)) == CONTENTS


def test_a_work_tree_that_was_pruned_is_refused(history: History, linked: Path) -> None:
    shutil.rmtree(history.directory / ".git/worktrees/linked")
    assert "expected a git directory, found none at" in refusal(linked)


def test_configuration_of_a_work_tree_is_not_run(
    history: History, linked: Path, tmp_path: Path
) -> None:
    witness, program = tmp_path / "ran", tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {witness}\n")
    program.chmod(0o755)
    history.git("config", "extensions.worktreeConfig", "true")
    for key in ("core.fsmonitor", "diff.external", "core.sshCommand", "alias.cat-file"):
        git("-C", str(linked), "config", "--worktree", key, f"!{program}")
    assert set(files(linked)) == CONTENTS
    assert reviewed(linked, "HEAD..main") == 0
    main(["patch", "power9", "--tree", str(linked), "--check"])
    assert not witness.exists()


# Submodules


def test_a_submodule_with_a_git_directory_of_its_own(history: History) -> None:
    """Git made them so before 1.7.8."""
    sub = History(history.directory / "sub")
    sub.commit({"a": "b"})
    history.commit({}, "Add a submodule")
    assert files(history.directory / "sub") == {"a": b"b"}
    assert set(files(history.directory)) == CONTENTS


def test_a_submodule_that_is_not_there_is_a_folder_without_tables(
    history: History, capsys: Capture
) -> None:
    name = history.git("rev-parse", "HEAD")
    (history.directory / "sub").mkdir()
    history.git("update-index", "--add", "--cacheinfo", f"160000,{name},sub")
    history.git("commit", "-q", "-m", "Add a submodule")
    # git, too, takes it for a part of the repository above
    assert files(history.directory / "sub") == {}
    assert reviewed(history.directory) == 0
    capsys.readouterr()
    assert reviewed(history.directory / "sub", "HEAD~1..") in (0, 3)
    assert "Traceback" not in capsys.readouterr().err


# Forms of references and objects


def test_references_in_a_reftable_are_refused_with_what_to_do(history: History) -> None:
    """The reftable is laid out like git 2.45's."""
    git_dir = history.directory / ".git"
    shutil.rmtree(git_dir / "refs")
    (git_dir / "refs").mkdir()
    (git_dir / "refs/heads").write_text("this repository uses the reftable format\n")
    (git_dir / "HEAD").write_text("ref: refs/heads/.invalid\n")
    (git_dir / "reftable").mkdir()
    (git_dir / "reftable/tables.list").write_text("0x000000000001-0x000000000002-0badcafe.ref\n")
    with (git_dir / "config").open("a") as file:
        file.write("[core]\n\trepositoryformatversion = 1\n[extensions]\n\trefStorage = reftable\n")
    message = refusal(history.directory)
    assert "found them in 'reftable'" in message
    assert "git clone --ref-format=files" in message
    assert main(["patch", "power9", "--tree", str(history.directory), "--check"]) == 3
    assert reviewed(history.directory) == 3


def test_a_reftable_that_git_made_is_refused(tmp_path: Path) -> None:
    words = ["git", "init", "-q", "--ref-format=reftable", str(tmp_path / "tree")]
    if subprocess.run(words, capture_output=True, check=False).returncode:
        pytest.skip("this git cannot write reftables (2.45 can)")
    assert "git clone --ref-format=files" in refusal(tmp_path / "tree")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("[core]\nrepositoryformatversion = 2\n", "core.repositoryformatversion '2'"),
        ("[core]\nrepositoryformatversion = 1\n[extensions]\nnew = 1\n", "extensions.new"),
    ],
)
def test_a_form_that_git_does_not_know_is_refused(history: History, lines: str, said: str) -> None:
    with (history.directory / ".git/config").open("a") as file:
        file.write(lines)
    with pytest.raises(subprocess.CalledProcessError):
        history.git("rev-parse", "HEAD")
    assert f"found {said}: git would refuse it" in refusal(history.directory)


def test_extensions_that_git_knows_are_read(history: History) -> None:
    with (history.directory / ".git/config").open("a") as file:
        file.write(
            "[core]\nrepositoryformatversion = 1\n[extensions]\nnoop = 1\npreciousObjects = true\n"
            "worktreeConfig = true\nrelativeWorktrees = true\nobjectFormat = sha1\n"
        )
    assert set(files(history.directory)) == CONTENTS


def test_a_bundle_is_refused_with_what_to_do(history: History, tmp_path: Path) -> None:
    bundle = tmp_path / "x.bundle"
    history.git("bundle", "create", "-q", str(bundle), "--all")
    assert "git clone FILE DIRECTORY" in refusal(bundle)
    for words in (["check"], ["review"], ["patch", "power9", "--check", "--tree"]):
        assert main([*words, str(bundle)]) in (1, 3)
    git("clone", "-q", str(bundle), str(tmp_path / "made"))
    assert set(files(tmp_path / "made")) == CONTENTS


@pytest.mark.parametrize("is_partial", [False, True])
def test_nothing_is_fetched_from_a_bundle_uri(
    history: History, is_partial: bool, capsys: Capture
) -> None:
    name = history.git("rev-parse", "HEAD~1:hw/slw.c")
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        server.setblocking(False)
        place = f"http://127.0.0.1:{server.getsockname()[1]}/x"
        with (history.directory / ".git/config").open("a") as file:
            file.write(
                f"[fetch]\nbundleURI = {place}\n[transfer]\nbundleURI = true\n"
                f"[bundle]\nversion = 1\nmode = all\nheuristic = creationToken\n"
                f'[bundle "x"]\nuri = {place}\n[remote "origin"]\nurl = {place}\n'
            )
            if is_partial:
                file.write(
                    '[remote "origin"]\npromisor = true\npartialclonefilter = blob:none\n'
                    "[core]\nrepositoryformatversion = 1\n[extensions]\npartialClone = origin\n"
                )
        object_file(history, name).unlink()
        assert reviewed(history.directory) == 3
        errors = capsys.readouterr().err
        assert name in errors
        assert ("the clone is partial, and nothing is fetched" in errors) is is_partial
        with pytest.raises(BlockingIOError):
            server.accept()


def test_a_partial_clone_is_read_as_far_as_it_is_there(
    history: History, tmp_path: Path, capsys: Capture
) -> None:
    history.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    url = f"file://{history.directory}"
    git("clone", "-q", "--filter=blob:none", url, str(clone))
    # the checkout fetched the files of HEAD, and nothing before
    assert set(files(clone)) == CONTENTS
    assert reviewed(clone) == 3
    assert "the clone is partial, and nothing is fetched" in capsys.readouterr().err
    git("-C", str(clone), "-c", "protocol.file.allow=always", "show", "HEAD~1:hw/slw.c")
    assert reviewed(clone) == 0


def test_an_index_of_several_packs_is_not_believed(history: History) -> None:
    history.git("gc", "-q")
    history.commit({"README": "two"})
    history.git("repack", "-q")
    history.git("multi-pack-index", "write")
    (index,) = history.directory.glob(".git/objects/pack/multi-pack-index")
    assert set(files(history.directory)) == CONTENTS
    index.chmod(0o644)
    index.write_bytes(index.read_bytes()[:-40] + bytes(40))
    assert files(history.directory)["README"] == b"two"


def packed_beyond(directory: Path, at: int) -> list[str]:
    """Moves all objects of a repository into one pack, the second and later ones behind a hole that
    takes no room on disk. at: where these begin. Returns the objects' names."""
    names = git("-C", str(directory), "rev-list", "--objects", "--all").split("\n")
    names = sorted(line.split()[0] for line in names)
    kinds = {"commit": 1, "tree": 2, "blob": 3, "tag": 4}
    offsets, checks = {}, {}
    pack = directory / ".git/objects/pack/pack-made.pack"
    with pack.open("wb") as file:
        file.write(struct.pack(">4sII", b"PACK", 2, len(names)))
        for number, name in enumerate(names):
            if number == 1:
                file.seek(at)
            kind = git("-C", str(directory), "cat-file", "-t", name)
            data = subprocess.run(
                ["git", "-C", str(directory), "cat-file", kind, name],
                capture_output=True,
                check=True,
            ).stdout
            size, rest = len(data), len(data) >> 4
            head = bytearray([kinds[kind] << 4 | size & 15])
            while rest:
                head[-1] |= 128
                head.append(rest & 127)
                rest >>= 7
            entry = bytes(head) + zlib.compress(data)
            offsets[name], checks[name] = file.tell(), zlib.crc32(entry)
            file.write(entry)
        # git compares it with the index alone
        trailer = b"x" * 20
        file.write(trailer)
    far = [name for name in names if offsets[name] >= 1 << 31]
    index = b"\xfftOc" + struct.pack(">I", 2)
    for byte in range(256):
        index += struct.pack(">I", sum(int(name[:2], 16) <= byte for name in names))
    index += b"".join(map(bytes.fromhex, names))
    index += b"".join(struct.pack(">I", checks[name]) for name in names)
    for name in names:
        low = far.index(name) | 1 << 31 if name in far else offsets[name]
        index += struct.pack(">I", low)
    index += b"".join(struct.pack(">Q", offsets[name]) for name in far) + trailer
    pack.with_suffix(".idx").write_bytes(index + hashlib.sha1(index).digest())
    for name in names:
        (directory / ".git/objects" / name[:2] / name[2:]).unlink()
    return far


@pytest.mark.parametrize("at", few(1, [(2 << 30) + 1, (5 << 30) + 1]))
def test_a_pack_of_more_than_2_gib(history: History, at: int, capsys: Capture) -> None:
    far = packed_beyond(history.directory, at)
    assert len(far) > 5
    (pack,) = history.directory.glob(".git/objects/pack/*.pack")
    assert pack.stat().st_size > at
    assert history.git("cat-file", "-t", far[0]) in ("commit", "tree", "blob")
    assert set(files(history.directory)) == CONTENTS
    assert reviewed(history.directory) == 0
    assert "1 table changed" in capsys.readouterr().out


# Around it


def test_variables_of_git_lead_nowhere_else(
    history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    other = History(tmp_path / "other")
    other.commit({"x": "y"})
    git_dir = str(other.directory / ".git")
    for name, value in {
        "GIT_DIR": git_dir,
        "GIT_COMMON_DIR": git_dir,
        "GIT_WORK_TREE": str(other.directory),
        "GIT_INDEX_FILE": str(tmp_path / "none"),
        "GIT_NAMESPACE": "x",
        "GIT_CEILING_DIRECTORIES": str(history.directory.parent),
        "GIT_REPLACE_REF_BASE": "refs/heads",
        "GIT_GRAFT_FILE": "/dev/null",
        "GIT_SHALLOW_FILE": "/dev/null",
        "GIT_DEFAULT_HASH": "sha256",
        "GIT_EXEC_PATH": str(tmp_path),
        "GIT_TRACE": str(tmp_path / "trace"),
        "GIT_EXTERNAL_DIFF": "touch ran",
        "GIT_DISCOVERY_ACROSS_FILESYSTEM": "1",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_ICASE_PATHSPECS": "1",
    }.items():
        monkeypatch.setenv(name, value)
    assert set(files(history.directory)) == CONTENTS
    assert reviewed(history.directory) == 0
    assert "1 table changed" in capsys.readouterr().out
    assert not (tmp_path / "trace").exists()
    words = ["patch", "mambo-stop4", "--tree", str(history.directory), "--check"]
    assert main(words) in (0, 1)


@pytest.mark.skipif(os.geteuid() != 0, reason="gives files to another user, which needs root")
def test_a_repository_of_another_user_is_read_and_not_believed(
    history: History, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """git refuses it (safe.directory), for what its configuration would run; that is not read."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    (history.directory / "hw/slw.c").write_text(c_table.write([find("power9-mambo")]))
    history.commit({})
    for path in [history.directory, *history.directory.rglob("*")]:
        os.chown(path, 12345, 12345, follow_symlinks=False)
    with pytest.raises(subprocess.CalledProcessError):
        history.git("status")
    assert reviewed(history.directory) in (0, 1)
    assert main(["patch", "mambo-stop4", "--tree", str(history.directory), "--stdout"]) == 0
    printed = capsys.readouterr()
    # who that user says one is is nobody's name
    assert "A U Thor" not in printed.out
    assert "its user.name and user.email are not used: they belong to uid 12345" in printed.err
