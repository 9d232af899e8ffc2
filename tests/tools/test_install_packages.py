"""tests/install-packages.sh: what a machine lacks is installed, or named to who may not."""

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from tests.support import ROOT

APT = """\
#!/bin/sh
echo "$@" >> {log}
for word; do [ "$word" = "{failing}" ] && {{ echo "E: no $word" >&2; exit 100; }}; done
exit 0
"""


def run(tmp_path: Path, user: int, failing: str = "") -> tuple[list[str], list[str]]:
    """The script on a machine that has nothing but a shell: what it says, and apt-get's calls."""
    scripts = tmp_path / "tree" / "tests"
    scripts.mkdir(parents=True)
    shutil.copy(ROOT / "tests" / "install-packages.sh", scripts)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("dirname", "mkdir"):
        (programs / name).symlink_to(str(shutil.which(name)))
    log = tmp_path / "calls"
    log.touch()
    for name, text in (
        ("id", f"#!/bin/sh\necho {user}\n"),
        ("apt-get", APT.format(log=shlex.quote(str(log)), failing=failing)),
    ):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    done = subprocess.run(
        ["/bin/sh", str(scripts / "install-packages.sh")],
        env={"PATH": str(programs), "PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == ""
    return done.stderr.splitlines(), log.read_text().splitlines()


def installs(calls: list[str]) -> list[list[str]]:
    return [
        call.partition("--no-install-recommends ")[2].split()
        for call in calls
        if call.startswith("install")
    ]


def test_root_installs_all_in_one_call(tmp_path: Path) -> None:
    said, calls = run(tmp_path, 0)
    (wanted,) = installs(calls)
    assert {"gcc", "cpio", "device-tree-compiler", "qemu-system-ppc", "chromium"} <= set(wanted)
    assert said == [f"installing {' '.join(wanted)}"]


def test_a_package_that_is_not_there_takes_no_other_with_it(tmp_path: Path) -> None:
    said, calls = run(tmp_path, 0, failing="ministat")
    wanted, again, *alone = installs(calls)
    assert again == wanted
    assert "update" in calls
    assert alone == [[package] for package in wanted]
    assert len(said) == 2
    assert said[1].startswith("could not install ministat (see build/packages.log); ")


def test_others_are_told_what_to_install(tmp_path: Path) -> None:
    said, calls = run(tmp_path, 1000)
    assert calls == []
    assert len(said) == 1
    assert "apt-get install gcc" in said[0]
    assert said[0].endswith("tests that need them are skipped")
