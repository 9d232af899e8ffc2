"""The gate in: what is opened, where links lead, how much is read."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.model.findings import Unreadable
from idle_states.base.reading import limits, opening
from idle_states.base.reading.opening import DIRECTORY, FILE, LINK, Outside, Tree


def _socket(path: Path) -> None:
    # the name of a socket may have 107 bytes; pytest's directories are longer
    here = os.open(path.parent, os.O_RDONLY)
    try:
        socket.socket(socket.AF_UNIX).bind(f"/proc/self/fd/{here}/{path.name}")
    finally:
        os.close(here)


SPECIAL: dict[str, Callable[[Path], None]] = {
    "a pipe": os.mkfifo,
    "a socket": _socket,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a directory": Path.mkdir,
}


@pytest.mark.parametrize("kind", SPECIAL)
def test_only_regular_files_are_opened(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "it"
    SPECIAL[kind](path)
    with pytest.raises(Unreadable, match=f"expected a regular file, found {kind}") as raised:
        opening.read(path)
    assert raised.value.findings[0].rule == "IS930"


@pytest.mark.parametrize("kind", ["a pipe", "a socket", "a directory"])
def test_only_regular_files_of_a_tree_are_opened(kind: str, tmp_path: Path) -> None:
    SPECIAL[kind](tmp_path / "it")
    with Tree(tmp_path) as tree:
        assert tree.kind_of("it") == kind
        with pytest.raises(Unreadable, match=f"expected a regular file, found {kind}"):
            tree.read("it")


def test_a_link_that_the_user_names_is_followed(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    (tmp_path / "link").symlink_to("file")
    assert opening.read(tmp_path / "link") == b"content"
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/x").write_bytes(b"x")
    (tmp_path / "to tree").symlink_to("tree")
    with Tree(tmp_path / "to tree") as tree:
        assert tree.read("x") == b"x"


def test_no_more_is_read_than_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert opening.read(path, 5) == b"12345"
    with pytest.raises(Unreadable, match="expected at most 4 bytes"):
        opening.read(path, 4)
    with Tree(tmp_path) as tree, pytest.raises(Unreadable, match="expected at most 4 bytes"):
        tree.read("file", 4)


@pytest.mark.parametrize("said", [0, 3, 5, 7, limits.FILE_BYTES + 1])
def test_a_file_may_be_of_another_size_than_it_says(
    said: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files of /proc and sysfs are so, and one that is written meanwhile."""
    (tmp_path / "file").write_bytes(b"12345")
    real = os.fstat

    def fstat(number: int) -> os.stat_result:
        return os.stat_result((*real(number)[:6], said, *real(number)[7:]))

    monkeypatch.setattr(os, "fstat", fstat)
    with Tree(tmp_path) as tree:
        for limit in (5, 6, limits.FILE_BYTES):
            assert tree.read("file", limit, follow=False) == b"12345"
        with pytest.raises(Unreadable, match="expected at most 4 bytes"):
            tree.read("file", 4, follow=False)


@pytest.mark.parametrize("top", [".", "/", "//", "a", "a/", "./a", "/a/../b"])
def test_a_file_found_is_called_by_its_path(top: str) -> None:
    for inner in ("x", "a/b.dtb", ".x"):
        found = opening.Found(Path(top), inner)
        assert found.as_posix() == found.path.as_posix()


def test_what_is_missing_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as raised:
        opening.read(tmp_path / "nothing")
    assert raised.value.filename == str(tmp_path / "nothing")
    assert opening.kind_of(tmp_path / "nothing") is None
    assert opening.kind_of("a\0b") is None
    with pytest.raises(Unreadable, match="expected a name that a file can have"):
        opening.read("a\0b")


@pytest.fixture
def walled(tmp_path: Path) -> Path:
    """A tree with links of every kind, and a secret beside it."""
    (tmp_path / "secret").write_bytes(b"secret")
    top = tmp_path / "tree"
    (top / "sub/deep").mkdir(parents=True)
    (top / "file").write_bytes(b"inside")
    (top / "sub/own").write_bytes(b"own")
    (top / "within").symlink_to("sub/own")
    (top / "sub/up").symlink_to("../file")
    (top / "absolute").symlink_to(top.resolve() / "file")
    (top / "chain").symlink_to("sub/up")
    (top / "to sub").symlink_to("sub")
    (top / "out").symlink_to("../secret")
    (top / "far out").symlink_to("/etc/passwd")
    (top / "sub/deep/out").symlink_to("../../../secret")
    (top / "round about").symlink_to("../tree/file")
    (top / "above").symlink_to("..")
    (top / "loop").symlink_to("loop")
    (top / "a").symlink_to("b")
    (top / "b").symlink_to("a")
    (top / "none").symlink_to("nothing")
    return top


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("file", b"inside"),
        ("within", b"own"),
        ("sub/up", b"inside"),
        ("absolute", b"inside"),
        ("chain", b"inside"),
        ("to sub/own", b"own"),
        ("sub/../file", b"inside"),
        ("./sub//own", b"own"),
    ],
)
def test_links_within_the_tree_are_followed(walled: Path, path: str, content: bytes) -> None:
    with Tree(walled) as tree:
        assert tree.read(path) == content
        assert tree.kind_of(path) == FILE


@pytest.mark.parametrize(
    "path",
    [
        "out",
        "far out",
        "sub/deep/out",
        "round about",
        "above/secret",
        "../secret",
        "sub/../../secret",
    ],
)
def test_nothing_outside_the_tree_is_opened(walled: Path, path: str) -> None:
    with Tree(walled) as tree:
        with pytest.raises(Outside, match="leads out of the directory"):
            tree.read(path)
        assert tree.kind_of(path) is None


@pytest.mark.parametrize("path", ["/file", "/etc/passwd"])
def test_a_path_from_the_root_is_one_of_the_tree(walled: Path, path: str) -> None:
    with Tree(walled) as tree:
        assert tree.kind_of(path) == (FILE if path == "/file" else None)


@pytest.mark.parametrize("path", ["loop", "a", "none", "file/x"])
def test_links_that_lead_nowhere_are_errors_of_the_system(walled: Path, path: str) -> None:
    with Tree(walled) as tree, pytest.raises(OSError, match=r"too many|No such|Not a dir"):
        tree.read(path)


def test_links_are_followed_only_where_that_is_wanted(walled: Path) -> None:
    with Tree(walled) as tree:
        assert tree.kind_of("within", follow=False) == LINK
        with pytest.raises(Unreadable, match="found a link"):
            tree.read("within", follow=False)
        kinds = {entry.name: entry.kind for entry in tree.entries()}
        assert (kinds["sub"], kinds["file"], kinds["out"]) == (DIRECTORY, FILE, LINK)
        with pytest.raises(NotADirectoryError):
            tree.below("to sub")
        with tree.below("sub") as sub:
            assert sub.read("own") == b"own"
            with pytest.raises(Outside):
                sub.read("up")


def test_a_link_put_in_place_meanwhile_is_not_followed(
    walled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look at a name and the opening of it, the file becomes a link to the secret."""
    look = opening._expect

    def swapped(mode: int, shown: str, pipes: bool) -> None:
        look(mode, shown, pipes)
        (walled / "file").unlink(missing_ok=True)
        (walled / "file").symlink_to("../secret")

    with Tree(walled) as tree:
        monkeypatch.setattr(opening, "_expect", swapped)
        with pytest.raises(OSError, match="Too many levels of symbolic links"):
            tree.read("file")


def test_a_pipe_put_in_place_meanwhile_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = opening._expect
    path = tmp_path / "file"
    path.write_bytes(b"x")

    def swapped(mode: int, shown: str, pipes: bool) -> None:
        look(mode, shown, pipes)
        path.unlink()
        os.mkfifo(path)

    monkeypatch.setattr(opening, "_expect", swapped)
    with pytest.raises(Unreadable, match="found a pipe"):
        opening.read(path)


@given(st.binary(min_size=1, max_size=40).filter(lambda name: not set(name) & {0, 0x2F}))
def test_names_are_bytes(name: bytes) -> None:
    if name in (b".", b".."):
        return
    import tempfile

    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(os.fsencode(directory), name)
        with open(path, "wb") as file:
            file.write(name)
        with Tree(directory) as tree:
            (entry,) = tree.entries()
            assert os.fsencode(entry.name) == name
            assert tree.read(entry.name) == name
        assert opening.read(os.fsdecode(path)) == name


def test_a_directory_has_no_more_entries_than_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        (tmp_path / str(number)).touch()
    monkeypatch.setattr(limits, "DIRECTORY_ENTRIES", 3)
    with Tree(tmp_path) as tree, pytest.raises(Unreadable, match="at most 3 entries"):
        list(tree.entries())


def test_a_pipe_is_read_where_the_operand_is_one(tmp_path: Path) -> None:
    """A named pipe whose other end comes later, and one of the shell's."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Timer(0.2, path.write_bytes, [b"late"])
    writer.start()
    assert opening.read_operand(os.fspath(path)) == b"late"
    writer.join()
    program = (
        "import sys; from idle_states.base.reading import opening;"
        "sys.stdout.buffer.write(opening.read_operand(sys.argv[1], 9))"
    )
    command = (
        f'"{sys.executable}" -c "$0" <(printf one) && printf two | "{sys.executable}" -c "$0" '
    )
    for operand in ("/dev/stdin", "-"):
        done = subprocess.run(
            ["bash", "-c", command + operand, program], capture_output=True, timeout=60
        )
        assert (done.stdout, done.stderr) == (b"onetwo", b"")


def test_a_device_is_no_operand() -> None:
    with pytest.raises(Unreadable, match="expected a regular file, found a device"):
        opening.read_operand("/dev/zero")


def test_running_machine_has_a_tree() -> None:
    """/proc is read as any other directory: files of no size, directories behind links."""
    with Tree("/proc/self") as tree:
        assert tree.read("status").startswith(b"Name:")


@pytest.mark.skipif(not os.path.isdir("/sys/class"), reason="sysfs is not mounted")
def test_running_machine_has_sysfs() -> None:
    with Tree("/sys/class") as tree:
        assert tree.is_directory("net") or any(tree.entries())


def test_a_file_that_waits_is_an_error(tmp_path: Path) -> None:
    """The file is like /proc/kmsg: regular by its mode, and its reader waits for what the kernel
    says."""
    from idle_states.base.reading.opening import _Opened

    here, there = os.pipe2(os.O_NONBLOCK)
    with os.fdopen(there, "wb"), _Opened(here, "kmsg") as file:
        for read in (file.read, lambda: file.read(9), lambda: file.readinto(bytearray(9))):
            with pytest.raises(BlockingIOError) as raised:
                read()
            assert raised.value.filename == "kmsg"


@pytest.mark.skipif(not os.access("/proc/kmsg", os.R_OK), reason="/proc/kmsg is for root")
def test_the_kernels_log_is_not_waited_for() -> None:
    command = [sys.executable, "-m", "idle_states", "show", "/proc/kmsg"]
    done = subprocess.run(command, capture_output=True, timeout=60)
    assert done.returncode == 3, done
    assert b"/proc/kmsg" in done.stderr


def test_an_error_of_reading_names_the_file() -> None:
    with pytest.raises(OSError, match="/proc/self/mem"):
        opening.read("/proc/self/mem")


def test_directories_nest_only_so_deep(tmp_path: Path) -> None:
    names = ["d"] * (limits.DIRECTORY_DEPTH + 1)
    here = os.open(tmp_path, os.O_RDONLY)
    for name in names:
        os.mkdir(name, dir_fd=here)
        here, above = os.open(name, os.O_RDONLY, dir_fd=here), here
        os.close(above)
    os.close(here)
    with Tree(tmp_path) as tree:
        assert [entry.kind for entry in tree.entries("/".join(names[:-1]))] == [DIRECTORY]
        with pytest.raises(OSError, match="more than 256 directories"):
            list(tree.entries("/".join([*names, "x"])))
