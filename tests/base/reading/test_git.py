"""Repositories: what is read of them, and that nothing of them is run."""

import os
import shutil
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from idle_states.base.model.findings import Unreadable
from idle_states.base.reading import limits
from idle_states.base.reading.git.commits import Commit
from idle_states.base.reading.git.private import DamagedObject
from idle_states.base.reading.git.repository import Repository
from idle_states.cli import main
from idle_states.tables.skiboot import c_table
from idle_states.tables.spec.library import find
from tests.support.git_history import History
from tests.support.git_traps import object_file, set_traps
from tests.support.thorough import few


@pytest.fixture
def history(tmp_path: Path) -> History:
    made = History(tmp_path / "tree")
    made.commit({"hw/slw.c": c_table.write([find("power9@84368bbf8")]), "README": "one"}, "First")
    made.commit({"hw/slw.c": c_table.write([find("power9@51974cab7")])}, "slw: Modify stop0_lite")
    return made


def test_names_of_a_commit() -> None:
    commit = Commit("0123456789abcdef", "", "\nslw: Modify it\n\nBecause of that.\n")
    assert commit.subject == "slw: Modify it"
    assert commit.named == "commit 012345678"
    assert replace(commit, mailed="the mail").named == "the mail"


@contextmanager
def opened(directory: Path) -> Iterator[Repository]:
    repository = Repository(directory)
    try:
        yield repository
    finally:
        repository.close()


def refusal(directory: Path) -> str:
    with pytest.raises(Unreadable) as refused, opened(directory):
        pass
    [finding] = refused.value.findings
    assert finding.rule == "IS930"
    return finding.message


def files(directory: Path) -> dict[str, bytes]:
    with opened(directory) as repository:
        head = repository.resolve("HEAD")
        return {entry.path: repository.content(entry) for entry in repository.entries(head)}


def reviewed(directory: Path, *words: str) -> int:
    return main(["review", "--tree", str(directory), "--config", "none", *words])


# What is read is what git itself reads.


def test_a_commit_is_dated_as_git_dates_its_author(history: History) -> None:
    history.git("commit", "-q", "--amend", "--no-edit", "--date", "2017-04-19T15:25:00+0530")
    with opened(history.directory) as repository:
        date = repository.commit(repository.resolve("HEAD")).date
    assert date is not None
    assert date.isoformat() == "2017-04-19T09:55:00+00:00"
    assert int(date.timestamp()) == int(history.git("show", "-s", "--format=%at"))


def test_revisions_are_those_of_git(history: History, tmp_path: Path) -> None:
    history.git("tag", "-a", "-m", "one", "v1", "HEAD~1")
    history.git("tag", "light")
    history.git("branch", "topic/a", "HEAD~1")
    history.git("pack-refs", "--all")
    history.commit({"README": "two"})
    history.git("branch", "topic/b")
    history.git("update-ref", "refs/remotes/origin/main", "HEAD~1")
    history.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    history.git("reset", "-q", "--soft", "HEAD~1")
    history.commit({"README": "three"})
    short = history.git("rev-parse", "--short", "HEAD~1")
    names = (
        "HEAD @ main main~2 HEAD^ v1 v1^{} light topic/a topic/b origin origin/main ORIG_HEAD "
        f"refs/tags/v1 {short}"
    ).split()
    with opened(history.directory) as repository:
        for name in names:
            assert repository.resolve(name) == history.git("rev-parse", f"{name}^{{commit}}"), name
        assert repository.described("v*") == history.git("describe", "--tags", "--match", "v*")
        with pytest.raises(Unreadable, match="reflogs are not read"):
            repository.resolve("HEAD@{1}")
    linked = tmp_path / "linked"
    history.git("worktree", "add", "-q", str(linked), "topic/a")
    with opened(linked) as repository:
        assert repository.resolve("HEAD") == history.git("rev-parse", "topic/a")
        assert repository.resolve("main") == history.git("rev-parse", "main")


def test_objects_named_by_sha256(tmp_path: Path) -> None:
    directory = tmp_path / "tree"
    git("init", "-q", "--object-format=sha256", str(directory))
    (directory / "a").write_text("a")
    git("-C", str(directory), "add", "a")
    git("-C", str(directory), "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "m")
    assert files(directory) == {"a": b"a"}


def git(*words: str) -> str:
    done = subprocess.run(["git", *words], capture_output=True, check=True)
    return done.stdout.decode().strip()


def test_objects_of_a_hook_that_are_not_taken_yet(
    history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In pre-receive, git names their place in the environment."""
    bare, seen = tmp_path / "bare.git", tmp_path / "seen"
    git("init", "-q", "--bare", str(bare))
    hook = bare / "hooks/pre-receive"
    hook.write_text(f"#!/bin/sh\nread old new name; echo $new > {seen}\nenv > {seen}.env; exit 1\n")
    hook.chmod(0o755)
    # what git hands to the hook, with the objects kept where it names them
    kept = tmp_path / "quarantine"
    shutil.copytree(history.directory / ".git/objects", kept)
    name = history.git("rev-parse", "HEAD")
    with pytest.raises(Unreadable), opened(bare) as repository:
        repository.resolve(name)
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(kept))
    monkeypatch.setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", str(bare / "objects"))
    monkeypatch.setenv("GIT_QUARANTINE_PATH", str(kept))
    with opened(bare) as repository:
        assert repository.resolve(name) == name
        assert [entry.path for entry in repository.entries(name)] == ["README", "hw/slw.c"]


def test_user_is_the_repository_s_else_the_user_s(
    history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "gitconfig"
    own.write_text("[user]\n\tname = Somebody\n\temail = some@body\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(own))
    with opened(history.directory) as repository:
        found = repository.user()
        assert (found.name, found.email) == ("A U Thor", "author@example.com")
    history.git("config", "--unset", "user.name")
    history.git("config", "user.email", 'a"b\\c@d')
    with opened(history.directory) as repository:
        found = repository.user()
        assert (found.name, found.email, found.is_conditional) == ("Somebody", 'a"b\\c@d', False)
    own.write_text('[includeIf "gitdir:/work/"]\n\tpath = work\n')
    with opened(history.directory) as repository:
        assert repository.user().is_conditional


# Nothing of it is run.


def test_traps_are_traps(history: History, tmp_path: Path) -> None:
    """git itself, used as usual, does run what they say."""
    witness = tmp_path / "ran"
    set_traps(history, witness)
    (history.directory / "README").write_text("two")
    subprocess.run(
        ["git", "-C", str(history.directory), "status"], capture_output=True, check=False
    )
    assert witness.exists()


@pytest.mark.parametrize("lost", ["", "HEAD^{tree}", "HEAD~1^{tree}", "HEAD:hw/slw.c", "HEAD~1"])
def test_nothing_is_run_whatever_a_repository_says(
    lost: str, history: History, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All traps at once; with an object missing, too, which git would fetch."""
    name = history.git("rev-parse", lost) if lost else ""
    witness = tmp_path / "ran"
    set_traps(history, witness)
    if lost:
        object_file(history, name).unlink()
    (history.directory / "README").write_text("two")
    before = sorted((history.directory / ".git").rglob("*"))
    tree = str(history.directory)
    assert reviewed(history.directory) == (3 if lost else 0)
    printed = capsys.readouterr()
    if lost:
        assert name in printed.err
        assert "the clone is partial, and nothing is fetched" in printed.err
        assert "Traceback" not in printed.err
    else:
        assert "1 table changed" in printed.out
    assert reviewed(history.directory, "--specs") == (3 if lost and ":" not in lost else 0)
    main(["patch", "mambo-stop4", "--tree", tree, "--stdout"])
    main(["patch", "mambo-stop4", "--tree", tree, "--apply"])
    main(["patch", "power9", "--tree", tree, "--check"])
    assert "Traceback" not in capsys.readouterr().err
    assert not witness.exists()
    assert sorted((history.directory / ".git").rglob("*")) == before


def test_configuration_of_a_submodule_runs_nothing(history: History, tmp_path: Path) -> None:
    other = History(tmp_path / "other")
    other.commit({"a": "b"})
    history.git(
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        str(other.directory),
        "sub",
    )
    history.git("commit", "-q", "-m", "Add a submodule")
    witness = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {witness}\ncat\n")
    program.chmod(0o755)
    with (history.directory / ".git/modules/sub/config").open("a") as file:
        file.write(f'[core]\n\tfsmonitor = {program}\n[filter "x"]\n\tclean = {program}\n')
    (history.directory / ".git/modules/sub/info").mkdir(exist_ok=True)
    (history.directory / ".git/modules/sub/info/attributes").write_text("* filter=x\n")
    (history.directory / "sub/a").write_text("c")
    assert reviewed(history.directory, "HEAD~1..HEAD") == 0
    main(["patch", "mambo-stop4", "--tree", str(history.directory), "--stdout"])
    # the submodule itself leads to a directory that leads back
    assert files(history.directory / "sub") == {"a": b"b"}
    assert not witness.exists()


def test_replaced_objects_are_read_as_committed(
    history: History, capsys: pytest.CaptureFixture[str]
) -> None:
    history.git("replace", "HEAD:hw/slw.c", "HEAD~1:hw/slw.c")
    history.git("replace", "--graft", "HEAD")
    assert reviewed(history.directory) == 0
    printed = capsys.readouterr()
    assert "1 table changed" in printed.out
    assert "2 objects are read as committed; its replace refs are ignored" in printed.err


def test_grafts_are_not_followed(history: History, capsys: pytest.CaptureFixture[str]) -> None:
    (history.directory / ".git/info").mkdir(exist_ok=True)
    (history.directory / ".git/info/grafts").write_text(history.git("rev-parse", "HEAD") + "\n")
    assert reviewed(history.directory) == 0
    printed = capsys.readouterr()
    assert "1 table changed" in printed.out
    assert "grafts are not followed" in printed.err


def test_caches_that_contradict_the_objects_do_not_count(history: History) -> None:
    """A commit-graph of another history: git would believe that HEAD has no parent."""
    root = history.git("commit-tree", "-m", "root", "HEAD^{tree}")
    history.git("update-ref", "refs/heads/other", root)
    history.git("commit-graph", "write", "--reachable")
    graph = history.directory / ".git/objects/info/commit-graph"
    data = bytearray(graph.read_bytes())
    # parents of the commits are 4 bytes each, behind the hash of their tree: 0x70000000 is none
    head, base = (
        bytes.fromhex(history.git("rev-parse", f"{x}^{{tree}}")) for x in ("HEAD", "HEAD~1")
    )
    assert head != base
    at = data.rfind(head)
    while at >= 0:
        data[at + 20 : at + 24] = (0x70000000).to_bytes(4, "big")
        at = data.rfind(head, 0, at)
    graph.chmod(0o644)
    graph.write_bytes(data)
    assert history.git("rev-list", "--count", "HEAD") == "1"
    with opened(history.directory) as repository:
        assert repository.count("", repository.resolve("HEAD")) == 2


# It does not lead elsewhere.


def alternates(directory: Path, *lines: str) -> None:
    (directory / ".git/objects/info").mkdir(exist_ok=True)
    (directory / ".git/objects/info/alternates").write_text("".join(f"{x}\n" for x in lines))


def test_objects_outside_are_not_borrowed_unless_named(
    history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = tmp_path / "clone"
    history.git("clone", "-q", "--shared", str(history.directory), str(clone))
    objects = history.directory / ".git/objects"
    assert f"borrowed from {objects}" in refusal(clone)
    assert "GIT_ALTERNATE_OBJECT_DIRECTORIES" in refusal(clone)
    alternates(clone, os.path.relpath(objects, clone / ".git/objects"))
    assert f"borrowed from {objects}" in refusal(clone)
    alternates(clone, f'"{objects}"')
    assert "without quotes" in refusal(clone)
    alternates(clone, str(objects))
    monkeypatch.setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", str(objects))
    assert files(clone) == files(history.directory)


def test_directories_of_objects_have_a_limit(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each program of git's goes through all of them."""
    alternates(history.directory, *["./" * 5000] * 2)
    assert "at most 16384 bytes" in refusal(history.directory)
    for name in ("one", "two"):
        (history.directory / ".git/objects" / name).mkdir()
    alternates(history.directory, "one", "two")
    assert files(history.directory)
    monkeypatch.setattr(limits, "GIT_ALTERNATES", 2)
    assert "expected objects in at most 2 directories, found more" in refusal(history.directory)


def test_objects_borrowed_within_the_tree(history: History) -> None:
    (history.directory / "x").mkdir()
    moved = history.directory / ".git/moved"
    (history.directory / ".git/objects").rename(moved)
    (history.directory / ".git/objects/info").mkdir(parents=True)
    alternates(history.directory, "../moved")
    assert set(files(history.directory)) == {"README", "hw/slw.c"}
    # and one that borrows in turn
    (moved / "info").mkdir(exist_ok=True)
    (moved / "info/alternates").write_text("/etc\n")
    assert "borrowed from /etc" in refusal(history.directory)


def test_objects_are_files(history: History, tmp_path: Path) -> None:
    objects = history.directory / ".git/objects"
    pipe = objects / "pack" / "pack-0.pack"
    os.mkfifo(pipe)
    assert "found pack/pack-0.pack" in refusal(history.directory)
    pipe.unlink()
    secret = tmp_path / "secret"
    secret.write_text("secret")
    pipe.symlink_to(secret)
    assert "found pack/pack-0.pack" in refusal(history.directory)
    pipe.unlink()
    elsewhere = tmp_path / "objects"
    objects.rename(elsewhere)
    objects.symlink_to(elsewhere)
    assert f"borrowed from {elsewhere}" in refusal(history.directory)


def test_git_file_that_leads_elsewhere(history: History, tmp_path: Path) -> None:
    tree = tmp_path / "evil"
    tree.mkdir()
    victim = history.directory / ".git"
    (tree / ".git").write_text(f"gitdir: {victim}\n")
    assert "does not lead back" in refusal(tree)
    # a work tree's of the victim is not this one's
    linked = tmp_path / "linked"
    history.git("worktree", "add", "-q", "--detach", str(linked))
    (tree / ".git").write_text((linked / ".git").read_text())
    assert "does not lead back" in refusal(tree)
    assert set(files(linked)) == {"README", "hw/slw.c"}
    # nor is the victim common to a work tree of one's own
    own = tree / "own"
    own.mkdir()
    (own / "HEAD").write_text("ref: refs/heads/main\n")
    (own / "commondir").write_text(f"{victim}\n")
    (own / "gitdir").write_text(f"{tree / '.git'}\n")
    (tree / ".git").write_text("gitdir: own\n")
    assert "expected commondir in the repository" in refusal(tree)
    (tree / ".git").unlink()
    (tree / ".git").symlink_to(victim)
    assert "found a link to" in refusal(tree)
    (tree / ".git").unlink()
    os.mkfifo(tree / ".git")
    assert "regular file" in refusal(tree)
    # it can always be named
    assert set(files(victim)) == {"README", "hw/slw.c"}


# What is damaged is said.


def test_object_that_is_another_than_its_name_says(history: History) -> None:
    name = history.git("rev-parse", "HEAD:README")
    file = object_file(history, name)
    file.chmod(0o644)
    file.write_bytes(zlib.compress(b"blob 3\0two"))
    with opened(history.directory) as repository:
        [entry] = repository.entries(repository.resolve("HEAD"), ["README"])
        with pytest.raises(DamagedObject, match=f"{name}, found another content"):
            repository.content(entry)


@pytest.mark.parametrize(
    ("revision", "instead"),
    [("HEAD^{tree}", "HEAD~3^{tree}"), ("HEAD:hw", "HEAD~3:hw"), ("HEAD~1", "HEAD~3")],
)
def test_directory_or_commit_that_is_another_than_its_name_says(
    revision: str, instead: str, history: History, capsys: pytest.CaptureFixture[str]
) -> None:
    history.commit({"README": "two"})
    history.commit({"hw/slw.c": c_table.write([find("power9")])})
    base = history.git("rev-parse", "HEAD~2")
    name, other = (history.git("rev-parse", r) for r in (revision, instead))
    file = object_file(history, name)
    file.chmod(0o644)
    file.write_bytes(object_file(history, other).read_bytes())
    assert reviewed(history.directory, f"{base}..") == 3
    assert f"{name}, found another content" in capsys.readouterr().err


def test_directories_within_themselves_many_times_over(
    history: History, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ten directories that are one, ten times deeper: 10^10 files in eleven objects."""
    made = history.git("rev-parse", "HEAD:hw")
    listing = history.directory / "listing"
    for _ in range(10):
        listing.write_bytes(b"".join(b"40000 %d\0" % n + bytes.fromhex(made) for n in range(10)))
        made = history.git("hash-object", "-t", "tree", "-w", str(listing))
    commit = history.git("commit-tree", "-p", "HEAD", "-m", "Bomb", made)
    monkeypatch.setattr(limits, "GIT_ENTRIES", 10_000)
    assert reviewed(history.directory, f"HEAD..{commit}") == 3
    assert "expected at most 10000 files" in capsys.readouterr().err


@pytest.mark.parametrize(
    "content",
    few(2, [b"", b"no zlib", zlib.compress(b"blob 3"), zlib.compress(b"blob 99999\0one")]),
)
def test_damaged_object_is_named(
    content: bytes,
    history: History,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "GIT_ANSWER_S", 6)
    for revision in ("HEAD:hw/slw.c", "HEAD^{tree}"):
        name = history.git("rev-parse", revision)
        file = object_file(history, name)
        kept = file.read_bytes()
        file.chmod(0o644)
        file.write_bytes(content)
        assert reviewed(history.directory) == 3
        errors = capsys.readouterr().err
        assert name in errors
        assert "Traceback" not in errors
        file.write_bytes(kept)
    assert reviewed(history.directory) == 0


def test_pack_that_is_cut_short(history: History, capsys: pytest.CaptureFixture[str]) -> None:
    head = history.git("rev-parse", "HEAD")
    history.git("gc", "-q")
    (pack,) = history.directory.glob(".git/objects/pack/*.pack")
    pack.chmod(0o644)
    pack.write_bytes(pack.read_bytes()[: pack.stat().st_size // 2])
    for words in ((), ("main~1..main",), ("main..HEAD",), (f"..{head}",)):
        assert reviewed(history.directory, *words) == 3
        assert f"expected the commit {head}, found none" in capsys.readouterr().err
    assert reviewed(history.directory, "none..HEAD") == 3
    assert "expected a revision, found 'none'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    ["", "tree \xff\n\n", "tree --all\n\n", "tree {tree}\nparent --all\n\n", "tree {head}\n\n"],
)
def test_commit_that_names_nothing(
    text: str, history: History, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head, tree = (history.git("rev-parse", x) for x in ("HEAD", "HEAD^{tree}"))
    file = tmp_path / "commit"
    file.write_bytes(text.format(head=head, tree=tree).encode("latin-1"))
    name = history.git("hash-object", "--literally", "-t", "commit", "-w", str(file))
    (history.directory / ".git/refs/heads/main").write_text(f"{name}\n")
    assert reviewed(history.directory) == 3
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.slow
def test_large_file_is_not_read(history: History) -> None:
    """200 MiB of it: git is asked for the size alone."""
    large = history.directory / "hw/large.c"
    with large.open("wb") as file:
        file.truncate(200 << 20)
    history.git("config", "core.bigFileThreshold", "1m")
    history.commit({}, "Large")
    code = (
        "import re, resource, sys\nfrom idle_states.cli import main\n"
        "status = main(sys.argv[1:])\n"
        # ru_maxrss of a process itself begins with that of whoever started it
        "own = re.search(r'VmHWM:\\s*(\\d+) kB', open('/proc/self/status').read())[1]\n"
        "children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss\n"
        "print(int(own) // 1024, children // 1024, file=sys.stderr)\n"
        "sys.exit(status)\n"
    )
    words = ["review", "--tree", str(history.directory), "--config", "none"]
    done = run_python(code, *words)
    assert done.returncode == 1
    assert "expected at most 67108864 bytes, found 209715200" in " ".join(done.stdout.split())
    assert max(map(int, done.stderr.split()[-2:])) < 200


def run_python(code: str, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=False
    )


def test_commit_has_a_limit(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "GIT_COMMIT_BYTES", 100)
    with opened(history.directory) as repository, pytest.raises(Unreadable, match="at most 100"):
        repository.commit(repository.resolve("HEAD"))


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("config", "[core\n", "expected a git configuration, found: "),
        ("config", "[extensions]\nobjectFormat = md5\n", "found 'md5'"),
        ("config", "[extensions]\nrefStorage = reftable\n", "found them in 'reftable'"),
        ("HEAD", "", "with a HEAD, found none"),
        ("HEAD", "ref: ../../etc/passwd\n", "with a HEAD, found none"),
        ("HEAD", "ref: refs/heads/a\nb\n", "with a HEAD, found none"),
    ],
)
def test_repository_that_cannot_be_read(
    name: str, content: str, expected: str, history: History
) -> None:
    (history.directory / ".git" / name).write_text(content)
    assert expected in refusal(history.directory)


def test_references_that_are_none(history: History, tmp_path: Path) -> None:
    refs = history.directory / ".git/refs/heads"
    main_hash = history.git("rev-parse", "HEAD")
    os.mkfifo(refs / "pipe")
    (refs / "link").symlink_to("/etc/hostname")
    (refs / "a b").write_text(main_hash)
    (
        refs / "\udcff".encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    ).write_text(main_hash)
    (refs / "x.lock").write_text(main_hash)
    (refs / "round").write_text("ref: refs/heads/round\n")
    (refs / "text").write_text("nothing\n")
    (history.directory / ".git/packed-refs").write_text(
        f"# pack-refs with: peeled\n{main_hash} refs/../x\n{main_hash} refs/tags/good\n"
        f"^{main_hash}\nx\n"
    )
    with opened(history.directory) as repository:
        for name in ("pipe", "link", "a b", "x.lock", "round", "text", "../x"):
            with pytest.raises(Unreadable):
                repository.resolve(name)
        assert repository.resolve("good") == main_hash
        assert repository.resolve("\udcff") == main_hash


def test_files_beside_others_are_alike_only_where_each_is_read_alone(tmp_path: Path) -> None:
    """Unless asked, what lies beside a file counts: it may be included."""
    made = History(tmp_path / "tree")
    one = {"a/x.c": "int x;", "a/y.c": "int y;", "b/x.c": "int x;"}
    commit = made.commit(one, "Two alike, one with another beside it")
    with opened(made.directory) as repository:
        assert len(repository.alike((commit,), (".c",))) == 3
        assert len(repository.alike((commit,), (".c",), alone=True)) == 2
