"""Tests of what a boot keeps of an earlier one, where it is not as it was left."""

import os
from pathlib import Path

import pytest

from idle_states.base.files import locked
from idle_states.change.boot.debian import Packages, Unavailable


def made(packages: Packages) -> Path:
    return packages.made("name/part", lambda fresh, scratch: (fresh / "file").touch())


@pytest.mark.parametrize(
    ("strange", "said"),
    [("link", "is a link"), ("pipe", "is a pipe"), ("file", "is a regular file, not a directory")],
)
def test_packages_of_another_kind(strange: str, said: str, tmp_path: Path) -> None:
    there = tmp_path / "cache/name/part"
    there.parent.mkdir(parents=True)
    (tmp_path / "other").mkdir()
    if strange == "link":
        there.symlink_to(tmp_path / "other")
    elif strange == "pipe":
        os.mkfifo(there)
    else:
        there.touch()
    with pytest.raises(Unavailable, match=f"in the cache, {there} {said}.*; remove it"):
        made(Packages(tmp_path / "cache"))
    there.unlink()
    assert (made(Packages(tmp_path / "cache")) / "file").is_file()


def test_package_that_lost_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packages = Packages(tmp_path)
    monkeypatch.setattr(packages, "binary_tree", lambda *words: tmp_path)
    with pytest.raises(Unavailable, match="without boot/vmlinux-"):
        packages.binary_file("linux", "boot/vmlinux-*")


def test_lock_is_neither_waited_on_nor_written_through(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "link").symlink_to(tmp_path / "precious")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe"):
        with pytest.raises(OSError, match=name), locked(tmp_path / name):
            pass
    assert (tmp_path / "precious").read_text() == "precious"
