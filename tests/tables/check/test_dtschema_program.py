"""dt-validate as a program: missing, broken, silent, slow or interrupted; what is kept between
runs; and the binding itself, as dtschema's own programs see it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from idle_states.base.extras import remedy
from idle_states.base.model.findings import Unreadable
from idle_states.base.resources import resource
from idle_states.cli import main
from idle_states.tables.check import dtschema_program
from idle_states.tables.check.dtschema_engine import check
from idle_states.tables.sources import read_source
from tests.support.dtschema import FAULTS, P9, program, source
from tests.support.thorough import slow

PYTHON = sys.executable
BINDING = resource("schemas", "powerpc", "opal-power-mgt.yaml")


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def dtschema() -> None:
    """Skips where there is no dt-validate."""
    program("dt-validate")


# The program: missing, broken, silent, slow


def test_dt_validate_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unreadable, match=r"pip install 'dtschema>=2024") as caught:
        check([read_source("power9")])
    assert [finding.rule for finding in caught.value.findings] == ["IS930"]


def test_the_command_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["check", "power9", "--engine", "dtschema"]) == 3
    said = capsys.readouterr()
    assert remedy("dtschema") in said.err
    assert said.out == ""


def fake(directory: Path, validate: str, make: str = "") -> None:
    """Programs of these shell commands; by default dt-mk-schema writes some JSON."""
    make = make or 'case $1 in --version) echo 1.0;; *) echo "{}" > "$3";; esac'
    for name, body in (("dt-validate", validate), ("dt-mk-schema", make)):
        file = directory / name
        file.write_text(f"#!/bin/sh\n{body}\n")
        file.chmod(0o755)


@pytest.fixture
def fakes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where fake() puts programs that are found before any others."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    return tmp_path


@pytest.mark.parametrize(
    ("validate", "make", "said"),
    [
        ("echo '[]' > \"$6\"", "", "found: no complaint"),
        ("echo 'no such option' >&2; exit 2", "", "found: no such option"),
        ("exit 0", "", "found: exit status 0"),
        ("echo '{' > \"$6\"", "", "found: exit status 0"),
        ("exit 0", "echo 'broken binding' >&2; exit 1", "found: broken binding"),
    ],
    ids=["finds-nothing", "fails", "writes-nothing", "writes-half", "cannot-prepare"],
)
def test_a_program_that_does_not_work(validate: str, make: str, said: str, fakes: Path) -> None:
    fake(fakes, validate, make)
    with pytest.raises(Unreadable, match=said):
        check([source(P9)])


def test_a_program_that_never_ends(fakes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(fakes, "exec sleep 60")
    monkeypatch.setattr(dtschema_program, "TIMEOUT_S", 0.2)
    with pytest.raises(Unreadable, match="to end within"):
        check([source(P9)])


def alive(process: int) -> bool:
    """False also for one that nobody has waited for yet."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


@pytest.mark.slow
@pytest.mark.parametrize("who", ["the user, once it runs", "the program, while it is started"])
def test_an_interrupt_ends_the_program(who: str, fakes: Path) -> None:
    pidfile = fakes / "pid"
    first = "kill -INT $PPID; " if who.startswith("the program") else ""
    fake(fakes, f"echo $$ > '{pidfile}'; {first}exec sleep 60")
    code = (
        f"import sys; sys.executable = {str(fakes / 'python')!r}\n"
        "from idle_states.cli import main\n"
        "sys.exit(main(['check', 'power9', '--engine', 'dtschema']))"
    )
    scratch = fakes / "scratch"
    scratch.mkdir()
    environment = {**os.environ, "TMPDIR": str(scratch)}
    with subprocess.Popen(
        [PYTHON, "-c", code], env=environment, stderr=subprocess.PIPE, text=True
    ) as running:
        deadline = time.monotonic() + 300
        while not (pidfile.exists() and pidfile.read_text()) and time.monotonic() < deadline:
            time.sleep(0.02)
        if not first:
            running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=300)
    assert running.returncode == 130
    assert "Traceback" not in said
    assert not alive(int(pidfile.read_text()))
    assert list(scratch.iterdir()) == []


@pytest.mark.slow
def test_one_undecodable_tree_does_not_hide_the_others(dtschema: None) -> None:
    trees = [source(P9, "good"), source({**P9, "ibm,pstate-min": bytes(3)}, "odd")]
    crashing = source({**P9, "compatible": b"\xff\0"}, "crashing")
    findings = check([trees[0], crashing, trees[1], source(FAULTS["no-names"][0], "bad")])
    by_table = {f.table: f for f in findings}
    assert set(by_table) == {"crashing", "odd", "bad"}
    assert by_table["bad"].rule == "IS102"


# What is kept


@pytest.mark.slow
def test_the_prepared_binding_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dtschema: None
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "new" / "home"))
    assert check([source(P9)]) == []
    (kept,) = (tmp_path / "new" / "home" / "idle-states").iterdir()
    before = kept.stat().st_mtime_ns, kept.stat().st_ino
    assert check([source(P9)]) == []
    assert (kept.stat().st_mtime_ns, kept.stat().st_ino) == before


def test_kept_per_version_and_binding(fakes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = [{"type": "validation", "file": "canary.dtb", "message": "yes"}]
    answer = f"echo '{json.dumps(record)}' > \"$6\""
    fake(fakes, answer)
    kept = fakes / "cache" / "idle-states"
    check([source(P9)])
    fake(fakes, answer, 'case $1 in --version) echo 2.0;; *) echo "{}" > "$3";; esac')
    check([source(P9)])
    assert len(list(kept.iterdir())) == 2
    other = fakes / "schemas" / "powerpc" / BINDING.name
    other.parent.mkdir(parents=True)
    other.write_bytes(BINDING.read_bytes() + b"\n")
    monkeypatch.setattr(dtschema_program, "resource", lambda *parts: fakes.joinpath(*parts))
    check([source(P9)])
    assert len(list(kept.iterdir())) == 3


@pytest.mark.parametrize("strange", ["damaged", "link", "pipe"])
def test_a_strange_cache_is_made_anew(fakes: Path, strange: str) -> None:
    record = [{"type": "validation", "file": "canary.dtb", "message": "yes"}]
    fake(fakes, f"echo '{json.dumps(record)}' > \"$6\"")
    check([source(P9)])
    (kept,) = (fakes / "cache/idle-states").iterdir()
    whole, precious = kept.read_bytes(), fakes / "precious"
    precious.write_bytes(whole)
    kept.unlink()
    if strange == "damaged":
        kept.write_bytes(whole[:-2])
    elif strange == "link":
        kept.symlink_to(precious)
    else:
        os.mkfifo(kept)
    check([source(P9)])
    assert kept.read_bytes() == precious.read_bytes() == whole
    assert not kept.is_symlink()


@pytest.mark.slow
@pytest.mark.parametrize("home", ["relative", *slow("/proc/nowhere")])
def test_works_without_a_cache(
    home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dtschema: None
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    monkeypatch.setenv("XDG_CACHE_HOME", home)
    monkeypatch.setenv("HOME", "/proc/nowhere")
    assert [f.rule for f in check([source(FAULTS["no-names"][0])])] == ["IS102"]
    assert list(Path().iterdir()) == []


def test_dtschema_is_not_imported() -> None:
    code = (
        "import idle_states.tables.check.dtschema_engine, sys; sys.exit('dtschema' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# The binding


@pytest.mark.slow
def test_the_binding_follows_the_meta_schema() -> None:
    done = subprocess.run(
        [program("dt-doc-validate"), "-n", str(BINDING)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.slow
def test_the_bindings_examples_follow_the_binding(tmp_path: Path, dtc: str) -> None:
    example = subprocess.run(
        [program("dt-extract-example"), str(BINDING)], capture_output=True, check=True
    ).stdout
    assert example.count(b"power-mgt {") == 3
    blob, records = tmp_path / "example.dtb", tmp_path / "records.json"
    subprocess.run([dtc, "-q", "-O", "dtb", "-o", str(blob)], input=example, check=True)
    for faulty in (False, True):
        if faulty:
            wrong = example.replace(b"<1000 2000 5000>", b"<1000 2000>")
            assert wrong != example
            subprocess.run([dtc, "-q", "-O", "dtb", "-o", str(blob)], input=wrong, check=True)
        subprocess.run(
            [program("dt-validate"), "-s", str(BINDING.parent.parent), "-l", BINDING.stem,
             "--json-output", str(records), str(blob)],
            check=True, capture_output=True,
        )  # fmt: skip
        assert len(json.loads(records.read_bytes())) == int(faulty)
