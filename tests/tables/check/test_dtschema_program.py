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
from idle_states.base.model.power_mgt import LATENCIES
from idle_states.base.resources import resource
from idle_states.cli import main
from idle_states.tables.check import dtschema_program
from idle_states.tables.check.dtschema_engine import check
from idle_states.tables.check.dtschema_program import Validator, staying
from idle_states.tables.sources import read_source
from tests.support.dtschema import BEYOND, FAULTS, P9, program, source, without
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
    printed = capsys.readouterr()
    assert remedy("dtschema") in printed.err
    assert printed.out == ""


YES = [{"type": "validation", "message": "yes"}]
ANSWER = f"echo '{json.dumps([YES, []])}'"
"""The answer about the canary, and nothing of a tree."""
PREPARES = f"echo '{{}}' > schema.json; {ANSWER}"


# By default, for device trees


def blank(tmp_path: Path) -> str:
    """A dtb with a fault that the binding alone finds."""
    file = tmp_path / "blank.dtb"
    file.write_bytes(dtschema_program._blob(BEYOND["blank-in-name"][0]))
    return str(file)


def test_device_trees_are_held_to_the_binding_by_default(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], dtschema: None
) -> None:
    tree = blank(tmp_path)
    assert main(["check", tree, "--format", "json"]) == 1
    printed = capsys.readouterr()
    (found,) = (f for f in json.loads(printed.out)["findings"] if f["rule"] == "IS112")
    places = [related["location"]["path"] for related in found["related"]]
    assert places == ["dt-schema powerpc/opal-power-mgt.yaml"]
    assert "dtschema" not in printed.err
    assert main(["check", tree, "--engine", "native", "--select", "IS112"]) == 0


@pytest.mark.parametrize("tables", [["power9"], ["arm64-generic"], ["pseries-dedicated"]])
def test_other_tables_start_no_program(tables: list[str], fakes: Path) -> None:
    fake(fakes, f"touch '{fakes}/started'")
    assert main(["check", *tables, "--kernel", "6.1"]) == 0
    assert not (fakes / "started").exists()


def test_without_dtschema_a_line_says_what_to_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    tree = blank(tmp_path)
    assert main(["check", tree, "--kernel", "6.1"]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(f"dtschema is not installed; to install it: {remedy('dtschema')}")
    assert main(["check", tree, "--kernel", "6.1", "--engine", "native"]) == 0
    assert main(["check", "power9", "--kernel", "6.1"]) == 0
    assert capsys.readouterr().err == ""


def test_a_broken_dtschema_does_not_stop_a_check(
    fakes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fake(fakes, "echo 'it broke' >&2; exit 1")
    assert main(["check", blank(fakes), "--kernel", "6.1"]) == 0
    assert "found: it broke" in capsys.readouterr().err
    assert main(["check", blank(fakes), "--kernel", "6.1", "--engine", "all"]) == 3


SPEC = """\
name: mine
extends: power10
override:
  stop2: {latency: 12us, residency: 130us}
states:
  - name: stop4
    latency: 100us
    residency: 10ms
    flags: [LOSE_USER_CONTEXT, LOSE_HYP_CONTEXT, LOSE_FULL_CONTEXT, STOP_INST_DEEP]
    psscr: {rl: 4, mtl: 7, tr: 3, ec: 1, esl: 1}
"""


@pytest.mark.parametrize("kind", ["dtb", "dts"])
def test_the_nodes_of_a_new_revision_are_valid(
    kind: str, tmp_path: Path, dtschema: None, dtc: str
) -> None:
    (tmp_path / "mine.yaml").write_text(SPEC)
    tree = str(tmp_path / f"mine.{kind}")
    assert main(["generate", "--to", kind, str(tmp_path / "mine.yaml"), "-o", tree]) == 0
    found = check([read_source(tree)])
    assert found == []
    source = read_source(tree)
    assert source.table
    assert [state.name for state in source.table.states][-1] == "stop4"


def fake(directory: Path, python: str) -> None:
    """A Python that does as these shell commands say, and has dt-validate."""
    for name, body in (("dt-validate", "exit 1"), ("python", python)):
        file = directory / name
        file.write_text(f"#!/bin/sh\n{body}\n")
        file.chmod(0o755)


@pytest.fixture
def fakes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns where fake() puts what is found before any other."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    return tmp_path


@pytest.mark.parametrize(
    ("python", "said"),
    [
        ("echo '[[],[]]'", "found: no complaint"),
        ("echo 'No module named dtschema' >&2; exit 1", "found: No module named dtschema"),
        ("exit 0", "found: exit status 0"),
        ("echo '['", "found: exit status 0"),
        ("echo '[[]]'", "found: no complaint"),
        ("echo '{}'", "found: exit status 0"),
        (f"echo '{json.dumps([YES])}'", "found: yes"),
    ],
    ids=["finds-nothing", "fails", "silent", "says-half", "too-few", "says-other", "no-trees"],
)
def test_a_program_that_does_not_work(python: str, said: str, fakes: Path) -> None:
    fake(fakes, python)
    with pytest.raises(Unreadable, match=said):
        check([source(P9)])


LONG_NAME = """\
#!/bin/sh
'''exec' {} "$0" "$@"
' '''
"""
BLANKS = """\
#!/bin/sh
'''exec' "{}" "$0" "$@"
' '''
"""


@pytest.mark.parametrize("first", ["#!{}\n", "#! {} \n", LONG_NAME, BLANKS])
def test_the_python_of_a_program_elsewhere(
    first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs are written as pip writes them, also where the Python's name is long or has
    blanks."""
    home = tmp_path / ("a b" if first is BLANKS else "ab")
    home.mkdir()
    monkeypatch.setattr(sys, "executable", str(tmp_path / "elsewhere" / "python"))
    monkeypatch.setenv("PATH", str(home))
    fake(home, PREPARES)
    (home / "dt-validate").write_text(first.format(home / "python"))
    assert Validator.installed() == Validator(str(home / "dt-validate"), str(home / "python"))
    assert check([source(P9)]) == []


def test_an_old_dtschema_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "dtschema.py").write_text("__version__ = '2022.8'\nclass DTValidator: pass\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(Unreadable, match=r"dtschema 2022.8 is too old: 2024.11 or later is needed"):
        Validator("/usr/bin/dt-validate", PYTHON).records([P9])


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


@pytest.mark.parametrize(
    ("body", "starts"), [(f"while read line; do {ANSWER}; done", 1), (f"read line; {ANSWER}", 3)]
)
def test_a_program_stays_from_one_check_to_the_next(body: str, starts: int, fakes: Path) -> None:
    """One that has ended is started again."""
    fake(fakes, f"echo $$ >> '{fakes}/pids'; {body}")
    with staying():
        for _ in range(3):
            assert check([source(P9)]) == []
    pids = (fakes / "pids").read_text().split()
    assert len(pids) == starts
    assert not any(map(alive, map(int, pids)))


def test_one_that_stays_says_the_same(dtschema: None) -> None:
    trees = [source(node) for node, *_ in FAULTS.values()][:8]
    apart = [check([tree]) for tree in trees]
    with staying():
        assert [check([tree]) for tree in trees] == apart
    assert sum(map(bool, apart)) == len(trees)


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


def test_kept_per_python_and_binding(fakes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(fakes, PREPARES)
    kept = fakes / "cache" / "idle-states"
    check([source(P9)])
    (fakes / "other").mkdir()
    fake(fakes / "other", PREPARES)
    monkeypatch.setattr(sys, "executable", str(fakes / "other" / "python"))
    check([source(P9)])
    assert len(list(kept.iterdir())) == 2
    other = fakes / "schemas" / "powerpc" / BINDING.name
    other.parent.mkdir(parents=True)
    other.write_bytes(BINDING.read_bytes() + b"\n")
    monkeypatch.setattr(dtschema_program, "resource", lambda *parts: fakes.joinpath(*parts))
    check([source(P9)])
    assert len(list(kept.iterdir())) == 3


def test_what_another_version_prepared_is_made_anew(tmp_path: Path, dtschema: None) -> None:
    check([source(P9)])
    (kept,) = (tmp_path / "cache/idle-states").iterdir()
    whole = kept.read_bytes()
    kept.write_text(json.dumps({**json.loads(whole), "version": "2024.11"}))
    assert [f.rule for f in check([source(FAULTS["no-names"][0])])] == ["IS102"]
    assert kept.read_bytes() == whole


@pytest.mark.parametrize("strange", ["damaged", "link", "pipe"])
def test_a_strange_cache_is_made_anew(fakes: Path, strange: str) -> None:
    fake(fakes, PREPARES)
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


@pytest.mark.slow
def test_dt_validate_itself_says_the_same(tmp_path: Path) -> None:
    """Every fault has the same records in the same order, where dt-validate writes them as JSON."""
    validate = program("dt-validate")
    usage = subprocess.run([validate, "--help"], capture_output=True, text=True, check=True)
    if "--json-output" not in usage.stdout:
        pytest.skip("this dt-validate does not write JSON, as that of dtschema 2026.9 does")
    nodes = {name: node for name, (node, _) in {**FAULTS, **BEYOND}.items()}
    nodes["disabled"] = {**without(P9, LATENCIES), "status": b"disabled\0"}
    ours = dict(zip(nodes, Validator.installed().records([*nodes.values()]), strict=True))
    crashed = {name for name, said in ours.items() if said and said[0]["type"] == "crash"}
    assert crashed == {"latin-1-name", "utf-8-name"}
    for name in nodes.keys() - crashed:  # on which dt-validate ends
        (tmp_path / f"{name}.dtb").write_bytes(dtschema_program._blob(nodes[name]))
    records = tmp_path / "records.json"
    subprocess.run(
        [validate, "-s", str(BINDING.parent.parent), "-l", BINDING.stem,
         "--json-output", str(records), str(tmp_path)],
        check=True, capture_output=True,
    )  # fmt: skip
    theirs: dict[str, list[dict[str, object]]] = {name: [] for name in nodes.keys() - crashed}
    for record in json.loads(records.read_bytes()):
        theirs[Path(record["file"]).stem].append(record)
    for name, said in theirs.items():
        assert len(said) == len(ours[name]), name
        for their, our in zip(said, ours[name], strict=True):
            assert {key: their[key] for key in our} == our, name
    assert ours["disabled"] == []


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
