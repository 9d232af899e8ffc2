"""Every command and every step of the GitHub action, run in a folder that a stranger filled."""

import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from idle_states.change.boot import qemu
from idle_states.cli.commands import COMMANDS
from tests.support import DATA, ROOT
from tests.support.gate_out import DRIVERS, Drawn
from tests.support.git_history import History
from tests.support.git_traps import set_traps
from tests.support.hostile_folder import OURS, Opened, environment, plant
from tests.support.thorough import few

SCRIPT = Path(sys.executable).with_name("idle-states")
SPEC = "name: mine\nextends: power9\noverride:\n  stop0_lite: {latency: 0ns}\n"
QUICK = ("check",)
MOST = 2
"""Command lines of one command: those of `more`, and the first that tests of hostile names have."""


@dataclass
class Stranger:
    """folder: where the command runs; marks: what was run; own: a folder of the user's."""

    folder: Path
    marks: Path
    own: Path
    opened: Opened

    def run(
        self, words: Sequence[str | Path], given: str = "", **more: str
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            words,
            cwd=self.folder,
            env={**environment(self.folder, self.own), **more},
            input=given,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=300,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return done

    def ran(self) -> list[str]:
        return sorted(path.name for path in self.marks.iterdir())


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The folder, and that of the marks."""
    top = tmp_path_factory.mktemp("hostile")
    made = top / "stranger", top / "marks"
    for path in made:
        path.mkdir()
        path.chmod(0o777)
    plant(*made)
    return made


@pytest.fixture
def stranger(planted: tuple[Path, Path], tmp_path: Path) -> Iterator[Stranger]:
    if not SCRIPT.exists():
        pytest.skip(f"the script idle-states is not installed beside {sys.executable}")
    folder, marks = planted
    opened = Opened(folder)
    yield Stranger(folder, marks, tmp_path, opened)
    opened.close()
    for mark in marks.iterdir():
        mark.unlink()


def lines(command: str, own: Path) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Command lines with inputs in the user's own folder: with hostile names, and with sound ones
    that do their work."""
    drawn = DRIVERS[command](Drawn("stop9", b"file", "A note.", own))
    driven = [line.words for line in drawn if line.words[0] == command]
    spec = own / "mine.yaml"
    spec.write_text(SPEC)
    more = {
        "audit": [("--jobs", "2", str(spec), str(DATA / "trees/powernv9.dtb"))],
        "check": [
            (str(spec),),
            (str(spec), "--engine", "all", "--write-baseline", str(own / "b.json")),
        ],
        "prove": [("power9", "--kernel", "6.1")],
        "replay": [(str(DATA / "traces/mt8196-teo.trace.dat"), "--table", "power9")],
        "select": [("power9", "--kernel", "6.1", "--html", str(own / "p.html"))],
        "show": [(str(own / "mine.dts"),)],
        "tune": [("power9", "--workload", "pipe", "--power", "implied", "--duration", "2ms",
                  "--jobs", "2")],
    }  # fmt: skip
    if command == "show":
        main = [SCRIPT, "generate", "power9", "--to", "dts", "-o", own / "mine.dts"]
        subprocess.run(main, cwd=own, check=True)
    own_lines = [(command, *words) for words in more.get(command, [])]
    return driven[: MOST - len(own_lines)], own_lines


COMMANDS_QUICK_FIRST = [*QUICK, *(name for name in COMMANDS if name not in QUICK)]


@pytest.mark.parametrize("command", few(len(QUICK), COMMANDS_QUICK_FIRST))
def test_command_starts_and_believes_nothing(command: str, stranger: Stranger) -> None:
    asked, more = lines(command, stranger.own)
    assert [*more, *asked]
    for words in (*more, *asked):
        stranger.opened.names()
        done = stranger.run([SCRIPT, *words])
        assert done.returncode in ((0, 1) if words in more else (0, 1, 2, 3)), done.stderr
        assert stranger.ran() == [], words
        looked = stranger.opened.names()
        assert looked <= OURS, words
        if "setup.cfg" in looked:
            assert "setup.cfg is not used" in done.stderr or "hidden by setup.cfg" in done.stdout


def test_traps_are_traps(stranger: Stranger) -> None:
    """Python and the shell, used as usual in the folder, run what lies there."""
    stranger.run([sys.executable, "-B", "-c", "import yaml, json"])
    stranger.run(["/bin/sh", "-c", "dtc; latex"])
    found = stranger.ran()
    assert {"module-json", "program-dtc", "program-latex"} <= set(found)
    assert {"module-yaml", "package-yaml"} & set(found)
    assert {"json.py", "dtc"} <= stranger.opened.names()


def test_table_that_is_only_found_is_not_run(stranger: Stranger) -> None:
    """Without TABLE, check reads what looks like a table; the packaged ones are still ours."""
    done = stranger.run([SCRIPT, "check", "--kernel", "6.1"])
    assert done.returncode in (0, 1, 3), done.stderr
    assert stranger.ran() == []
    done = stranger.run([SCRIPT, "show", "power9", "--kernel", "6.1"])
    assert "stop0_lite" in done.stdout, "specs/power9.yaml of the folder is none of ours"


def test_module_form_is_isolated_by_python(stranger: Stranger) -> None:
    """`python -m` alone puts the folder before the standard library, before the program begins."""
    words = [sys.executable, "-I", "-m", "idle_states", "select", "power9", "--kernel", "6.1"]
    assert stranger.run(words).returncode == 0
    assert stranger.ran() == []
    assert stranger.opened.names() == set()


@pytest.mark.slow
def test_client_of_a_cluster_reads_nothing(stranger: Stranger) -> None:
    pytest.importorskip("distributed")
    tree = str(DATA / "trees/powernv9.dtb")
    done = stranger.run([SCRIPT, "audit", tree, "--scheduler", "tcp://127.0.0.1:1"])
    assert done.returncode == 3
    assert "expected a Dask scheduler to answer" in done.stderr
    assert stranger.ran() == []
    assert stranger.opened.names() <= OURS


@pytest.fixture
def git(stranger: Stranger) -> Iterator[Path]:
    """The folder's .git, which a test makes."""
    path = stranger.folder / ".git"
    yield path
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


@pytest.mark.parametrize("kind", few(1, ["traps", "elsewhere", "pipe", "link", "nonsense"]))
def test_repository_of_the_folder_runs_nothing(kind: str, git: Path, stranger: Stranger) -> None:
    witness = stranger.own / "witness"
    if kind == "pipe":
        os.mkfifo(git)
    elif kind == "nonsense":
        git.write_text("gitdir: /proc/self\n")
    else:
        history = History(stranger.own / "repository")
        history.commit({"mine.yaml": "name: mine\nextends: power9\n"})
        history.commit({"mine.yaml": SPEC})
        set_traps(history, witness)
        if kind == "traps":
            (history.directory / ".git").rename(git)
        elif kind == "link":
            git.symlink_to(history.directory / ".git")
        else:
            git.write_text(f"gitdir: {history.directory / '.git'}\n")
    spec = str(stranger.own / "mine.yaml")
    Path(spec).write_text(SPEC)
    for words in (
        ("check", spec, "--kernel", "6.1"),
        ("check", "--config-from", "HEAD", "--kernel", "6.1"),
        ("review", "--tree", ".", "--specs", "--kernel", "6.1"),
        ("--version",),
    ):
        done = stranger.run([SCRIPT, *words])
        assert done.returncode in (0, 1, 2, 3), done.stderr
        assert stranger.ran() == [], words
        assert not witness.exists(), words
        if words[0] == "review":
            assert done.returncode == (1 if kind == "traps" else 3), done.stderr


def test_path_loses_what_is_not_absolute(stranger: Stranger) -> None:
    """So that no library finds a program in the folder."""
    code = (
        "import atexit, os; atexit.register(lambda: print(os.environ['PATH']));"
        "from idle_states.__main__ import run; run()"
    )
    done = stranger.run([sys.executable, "-I", "-c", code, "explain", "IS201"])
    path = done.stdout.splitlines()[-1].split(os.pathsep)
    assert path == [part for part in os.environ["PATH"].split(os.pathsep) if os.path.isabs(part)]


def test_guest_reads_no_firmware_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """QEMU looks for its own files in the working directory first."""
    monkeypatch.chdir(tmp_path)
    qemu.run(["/bin/pwd"], tmp_path / "log", 10.0)
    assert (tmp_path / "log").read_text() == "/\n"


def steps() -> list[str]:
    """The scripts of the action's steps."""
    parts = (ROOT / "action.yml").read_text().split("      run: |\n")[1:]
    return [textwrap.dedent(part.partition("\n    - ")[0]) for part in parts]


BACKEND = """\
import zipfile

def build_wheel(directory, settings=None, metadata=None):
    name = "idle_states-0-py3-none-any.whl"
    with zipfile.ZipFile(f"{directory}/{name}", "w") as wheel:
        about = "idle_states-0.dist-info/"
        wheel.writestr("idle_states.py", "def run(): print('installed')")
        said = "Metadata-Version: 2.1\\nName: idle_states\\nVersion: 0\\n"
        wheel.writestr(about + "METADATA", said)
        said = "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
        wheel.writestr(about + "WHEEL", said)
        said = "[console_scripts]\\nidle-states = idle_states:run\\n"
        wheel.writestr(about + "entry_points.txt", said)
        wheel.writestr(about + "RECORD", "")
    return name
"""


@pytest.mark.slow
def test_steps_of_the_action_start_and_believe_nothing(stranger: Stranger, tmp_path: Path) -> None:
    """The steps are the action's; they install a small package, which needs no network."""
    here, runner = tmp_path / "action", tmp_path / "runner"
    (here / "requirements").mkdir(parents=True)
    runner.mkdir()
    for name in ("build", "run", "extras"):
        (here / f"requirements/{name}.txt").write_text("")
    (here / "backend.py").write_text(BACKEND)
    (here / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
        '[project]\nname = "idle_states"\nversion = "0"\n'
    )
    (here / "tools").mkdir()
    (here / "tools/install.py").write_text("import sys\nprint(sys.argv[1:], sys.prefix)\n")
    install, more, use = steps()
    base = sys._base_executable  # type: ignore[attr-defined]
    bash = ["/bin/bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"]
    done = stranger.run(
        [*bash, install], PYTHON=base, HERE=str(here), RUNNER_TEMP=str(runner),
        PATH=os.environ["PATH"],
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert stranger.ran() == []
    assert stranger.opened.names() == set()
    done = stranger.run([*bash, more], HERE=str(here), RUNNER_TEMP=str(runner))
    assert done.stdout == f"['dtschema'] {runner / 'idle-states'}\n", done.stderr
    assert (stranger.ran(), stranger.opened.names()) == ([], set())
    program = runner / "idle-states/bin/idle-states"
    assert stranger.run([program]).stdout == "installed\n"
    assert stranger.ran() == []

    program.unlink()
    program.symlink_to(SCRIPT)
    (stranger.own / "mine.yaml").write_text(SPEC)
    inputs = {"FAIL_ON": "error", "SARIF": "", "BASE": "", "RUNNER_TEMP": str(runner)}
    inputs["COMMAND"] = f"check {stranger.own / 'mine.yaml'} --kernel 6.1"
    done = stranger.run([*bash, use], **inputs)
    assert done.returncode == (1 if os.geteuid() == 0 else 0), done.stderr
    assert "setup.cfg" in done.stderr
    assert stranger.ran() == []
    assert stranger.opened.names() <= OURS
