"""Debian packages fetched by an apt of one's own; an apt-get of ours says what it was asked."""

from pathlib import Path

import pytest

from idle_states.change.boot import debian
from idle_states.change.boot.debian import Packages, Unavailable

APT = """\
#!/bin/sh
case "$*" in
*indextargets*) echo "bookworm main mirror"; echo "trixie main other" ;;
*update) cat "${{2%/*}}/sources.list" >> {asked} ;;
*download*) echo x > linux-source-6.12_1_all.deb ;;
esac
"""


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns what lines of sources.list apt-get was given."""
    programs = tmp_path / "bin"
    programs.mkdir()
    found = tmp_path / "asked"
    for name, text in (
        ("apt-get", APT.format(asked=found)),
        ("dpkg", "#!/bin/sh\necho amd64\n"),
        ("dpkg-deb", "#!/bin/sh\n"),
    ):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    keyring = tmp_path / "keyring"
    keyring.touch()
    monkeypatch.setattr(debian, "KEYRING", keyring)
    monkeypatch.setattr(debian, "own_suite", lambda: "bookworm")
    return found


@pytest.mark.parametrize(("suite", "line"), [(None, "bookworm"), ("trixie", "trixie")])
def test_another_package_is_not_taken_for_the_one_wanted(
    suite: str | None, line: str, asked: Path, tmp_path: Path
) -> None:
    """apt-get download linux-source-6.1 fetches linux-source-6.12 where there is no 6.1."""
    packages = Packages(tmp_path / "cache")
    with pytest.raises(Unavailable, match=r"^the archive has no package linux-source-6\.1$"):
        packages.binary_tree("linux-source-6.1", ["x"], suite=suite)
    assert asked.read_text().split()[2:] == ["mirror", line, "main"]


FAILED = "E: Failed to fetch http://mirror/main/Packages.xz  File has unexpected size (9 != 8)"
NOT_ALL = (
    "E: Some index files failed to download. They have been ignored, or old ones used instead."
)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["W: old", FAILED, "   Release file created at: noon", NOT_ALL], f"{FAILED}; W: old"),
        ([NOT_ALL], NOT_ALL),
        (["E: no room", "E: " + "x" * 999], f"E: no room; E: {'x' * 397}"),
        (["W: 1", "E: 2", "W: 3", "W: 4", "E: 5"], "E: 2; E: 5; W: 1; and 2 more"),
        (["sh: no such file", "", "gone"], "gone"),
        ([], "no message"),
    ],
)
def test_why_apt_failed_is_said(lines: list[str], said: str, asked: Path, tmp_path: Path) -> None:
    complaints = tmp_path / "complaints"
    complaints.write_text("\n".join(lines))
    failing = APT.replace('cat "${{2%/*}}/sources.list" >> {asked}', "cat {asked} >&2; exit 100")
    (tmp_path / "bin/apt-get").write_text(failing.format(asked=complaints))
    packages = Packages(tmp_path / "cache")
    with pytest.raises(Unavailable) as refused:
        packages.binary_tree("linux-source-6.1", suite="bookworm")
    assert str(refused.value) == f"apt-get: {said}"
