"""Debian packages fetched by an apt of one's own; an apt-get of ours says what it was asked."""

from pathlib import Path

import pytest

from idle_states.boot import debian
from idle_states.boot.debian import Packages, Unavailable

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
    """What lines of sources.list apt-get was given."""
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
