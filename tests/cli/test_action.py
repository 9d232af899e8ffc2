"""GitHub's action: its steps, as a runner runs them."""

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.support import ROOT
from tests.support.git_history import History

USES = re.compile(r"^[ \t]*-?[ \t]*uses:[ \t]*(\S+)", re.MULTILINE)


@pytest.fixture
def runner(tmp_path: Path) -> Path:
    """A runner's temporary folder with idle-states installed."""
    program = tmp_path / "idle-states/bin/idle-states"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m idle_states "$@"\n')
    program.chmod(0o755)
    return tmp_path


def run(
    runner: Path, command: str, sarif: str = "", base: str = "", where: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """base: the commit that a pull request is for; where: the workspace."""
    script = textwrap.dedent((ROOT / "action.yml").read_text().rpartition("run: |\n")[2])
    inputs = {"COMMAND": command, "FAIL_ON": "error", "SARIF": sarif, "BASE": base}
    inputs["RUNNER_TEMP"] = str(runner)
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        env={**os.environ, **inputs, "PYTHONPATH": str(ROOT)},
        cwd=where or runner,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "command",
    ["check good.yaml bad.yaml", "check\n  good.yaml\n  bad.yaml\n", "check good.yaml\nbad.yaml"],
)
def test_all_words_of_a_command_are_taken(command: str, runner: Path) -> None:
    (runner / "good.yaml").write_text("name: good\nextends: power9\n")
    (runner / "bad.yaml").write_text(
        "name: bad\nextends: power9\noverride:\n  stop0_lite: {latency: 0ns}\n"
    )
    done = run(runner, command, sarif="found.sarif")
    assert done.returncode == 1, done.stderr
    assert "::error file=bad.yaml" in done.stdout
    assert "bad.yaml" in (runner / "found.sarif").read_text()


def test_what_is_clean_passes_and_nothing_of_a_command_is_run(runner: Path) -> None:
    (runner / "good.yaml").write_text("name: good\nextends: power9\n")
    assert run(runner, "check good.yaml").returncode == 0
    done = run(runner, "check $(touch made) ; touch made")
    assert done.returncode == 2
    assert not (runner / "made").exists()


def test_pull_request_is_judged_by_the_configuration_of_its_base(runner: Path) -> None:
    """The three words of its configuration would let it pass."""
    spec = "name: bad\nextends: power9\noverride:\n  stop0_lite: {latency: 0ns}\n"
    history = History(runner / "workspace")
    base = history.commit({"setup.cfg": "[idle-states]\nkernels = 6.1\n"})
    planted = "[idle-states]\nignore = IS\nsuppress =\n  IS402 bad:* trust me\n"
    history.commit({"bad.yaml": spec, "setup.cfg": planted})
    where = history.directory
    assert run(runner, "check", where=where).returncode == 0, "a push is its own word"
    for command in ("check", "check bad.yaml", "audit -- bad.yaml"):
        done = run(runner, command, base=base, where=where)
        assert done.returncode == 1, done.stderr
        assert "::error file=bad.yaml" in done.stdout
        assert "the change sets ignore to IS; it was not set" in done.stdout + done.stderr
    assert run(runner, "check --config setup.cfg", base=base, where=where).returncode == 0
    done = run(runner, f"review --tree . --specs {base}..HEAD", base=base, where=where)
    assert done.returncode == 1, done.stderr
    assert "setup.cfg,line=2" in done.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes files of other users")
def test_checkout_of_another_user_has_the_configuration_of_its_commit(runner: Path) -> None:
    """The step runs as in a container, where root runs it in the runner's checkout."""
    spec = "name: bad\nextends: power9\noverride:\n  stop0_lite: {latency: 0ns}\n"
    history = History(runner / "workspace")
    history.commit({"bad.yaml": spec})
    history.commit({"setup.cfg": "[idle-states]\nignore = IS\n"})
    for path in (history.directory, *history.directory.rglob("*")):
        os.lchown(path, 4242, 4242)
    done = run(runner, "check", where=history.directory)
    assert done.returncode == 0, done.stderr
    assert "setup.cfg of HEAD sets ignore" in done.stderr
    assert run(runner, "check", base="HEAD^", where=history.directory).returncode == 1


def test_every_action_is_named_by_its_commit() -> None:
    """In the workflows, the action itself, and the examples, which check this project's out at a
    commit."""
    files = [ROOT / "action.yml", ROOT / "README.md", *(ROOT / ".github").rglob("*.yml")]
    files += (ROOT / "docs").rglob("*.md")
    used = [(file.name, name) for file in files for name in USES.findall(file.read_text())]
    assert len(used) > 5
    pinned = re.compile(
        r"[\w.-]+(?:/[\w.-]+)+@[0-9a-f]{40}|\./\.idle-states|OWNER/idle-states@COMMIT"
    )
    assert [each for each in used if not pinned.fullmatch(each[1])] == []
