"""The command line: exit statuses, what goes where, and texts a person reads."""

import errno
import io
import os
import re
import shlex
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import pytest

from idle_states.base.model.power_mgt import NAMES
from idle_states.cli import failures, main
from idle_states.cli.commands import COMMANDS, GONE, GROUPS
from idle_states.tables.devicetree import fdt
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.skiboot.platform import PRESETS
from idle_states.tables.spec.packaged import machines, named, revisions
from idle_states.tables.spec.registry import processors
from tests.support import DATA, ROOT
from tests.support.commands import document, outcome, run
from tests.support.thorough import few

BAD_SPEC = """\
name: mine
extends: power9
override:
  stop4: {latency: 100}
"""
FAULTY_SPEC = """\
name: mine
extends: power9
override:
  stop0_lite: {latency: 200ns, residency: 2us}
"""


def test_every_module_of_a_command_is_named() -> None:
    files = (ROOT / "idle_states" / "cli").glob("cmd_*.py")
    assert list(COMMANDS) == sorted(file.stem.removeprefix("cmd_") for file in files)


def test_every_command_has_one_group() -> None:
    grouped = [name for _, names in GROUPS.values() for name in names]
    assert sorted(grouped) == sorted(COMMANDS)
    assert not set(GONE) & set(COMMANDS)


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "--help")
    assert status == 0
    for name in COMMANDS:
        assert re.search(rf"^  {name}\b", out, re.MULTILINE)
        assert run(capsys, name, "--help")[0] == 0


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    from idle_states import __version__
    from idle_states.base import compiled_core
    from idle_states.tables.linux.governors import core

    first, second, *_ = run(capsys, "--version")[1].splitlines()
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()
    assert first == f"idle-states {__version__}" + (f" (commit {head[:12]})" if head else "")
    assert second == (
        f"core: {core.instruction_set()}" if core.available() else f"no core: {compiled_core.why()}"
    )


def test_version_names_the_commit_in_each_form_of_a_branch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from idle_states.base import located
    from idle_states.cli.version import version

    def git(*words: str, cwd: Path = tmp_path) -> str:
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        command = ["git", *identity, *words]
        return subprocess.run(
            command, cwd=cwd, capture_output=True, text=True, check=True
        ).stdout.strip()

    def of(folder: Path) -> str:
        monkeypatch.setattr(located, "source_folder", lambda: str(folder))
        return version().splitlines()[0].partition(" (commit ")[2].rstrip(")")

    top = tmp_path.resolve()
    git("init", "-q", "-b", "main")
    assert of(top) == ""
    git("commit", "-q", "--allow-empty", "-m", "first")
    first = git("rev-parse", "HEAD")
    assert of(top) == first[:12]
    git("commit", "-q", "--allow-empty", "-m", "second")
    second = git("rev-parse", "HEAD")
    assert of(top) == second[:12]
    git("pack-refs", "--all")
    assert of(top) == second[:12]
    git("checkout", "-q", first)
    assert of(top) == first[:12]
    git("checkout", "-q", "-b", "one/with.dot")
    assert of(top) == first[:12]
    git("worktree", "add", "-q", "other", "main")
    assert of(top / "other") == second[:12]
    (top / ".git/HEAD").write_text("ref: refs/heads/mine\n")
    (top / ".git/refs/heads/mine").write_text(f"{'g' * 40}\n")
    assert of(top) == ""


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "list")
    for revision in named():
        assert revision.name in out


@pytest.mark.parametrize(
    ("what", "names", "line"),
    [
        (
            "processors",
            [each.name for each in processors()],
            "Power ISA 3.1; PVR 0x0080; chips P10; stop levels 0, 2, 3, 11",
        ),
        ("platforms", PRESETS, "x86 processor that Linux names SKYLAKE_X"),
    ],
)
def test_list_has_each_name_with_a_line(
    what: str, names: Collection[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = run(capsys, "list", what)
    rows = [row.split(maxsplit=1) for row in out.splitlines()[1:] if row[0] != " "]
    assert set(names) <= {name for name, _ in rows}
    assert line in {title for _, title in rows}
    (found,) = (value for key, value in document(capsys, "list", what).items() if key == what)
    assert [each["name"] for each in found] == [name for name, _ in rows]


def test_check_of_all_current_tables_is_clean(capsys: pytest.CaptureFixture[str]) -> None:
    status, body = outcome(capsys, "check")
    assert status == 0
    assert body["summary"]["error"] == 0
    current = [revision for revision in revisions() if not revision.historical]
    assert len(body["inputs"]) == len(current) + len(machines()) > 14


def test_check_fails_on_what_it_is_told_to(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(capsys, "check", "power9")[0] == 0
    assert run(capsys, "check", "power9", "--fail-on", "warning")[0] == 1
    assert run(capsys, "check", "power10", "--fail-on", "warning")[0] == 0
    spec = tmp_path / "mine.yaml"
    spec.write_text(FAULTY_SPEC)
    status, out, _ = run(capsys, "check", str(spec), "--kernel", "4.11")
    assert status == 1
    assert f"{spec}:4:25: error: mine:states[0].latency: " in out
    assert "  stop0_lite: {latency: 200ns, residency: 2us}" in out
    assert "^^^^^" in out
    assert "on Linux 4.11" in out


def test_every_kernel_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    status, body = outcome(capsys, "check", "power8", "power9", "--kernel", "all")
    assert status in (0, 1)
    assert any("3.14" in finding["kernels"] for finding in body["findings"])


def test_select_and_ignore(capsys: pytest.CaptureFixture[str]) -> None:
    def codes(*options: str) -> set[str]:
        _, body = outcome(capsys, "check", "power9", *options)
        return {finding["rule"] for finding in body["findings"]}

    assert codes("--select", "IS203") == {"IS203"}
    assert "IS203" not in codes("--ignore", "IS203")
    assert codes("--select", "IS2", "--ignore", "IS203,IS21") == codes() & {
        code
        for code in codes()
        if code.startswith("IS2") and not code.startswith(("IS203", "IS21"))
    }
    assert run(capsys, "check", "--select", "XX1")[0] == 2


def test_findings_of_the_loader_are_exit_1(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    spec = tmp_path / "mine.yaml"
    spec.write_text(BAD_SPEC)
    status, out, _ = run(capsys, "check", str(spec))
    assert status == 1
    assert "4:20: error: expected a unit of ns, us, ms or s, found none [IS923 bad-time]" in out
    for words in (["show"], ["generate", "--to", "c"]):
        status, out, err = run(capsys, *words, str(spec))
        assert (status, out) == (1, "")
        assert "IS923" in err


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"a: [", 3),
        (b"a: 1\na: 2\n", 3),
        (b"\x00\x01\x02", 3),
        (b"\xd0\x0d\xfe\xed", 3),
        (b"#" * 300_000, 3),
        (b"", 3),
        (b"name: x\n", 1),
    ],
)
def test_unreadable_input_is_exit_3(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: bytes, status: int
) -> None:
    file = tmp_path / "input"
    file.write_bytes(content)
    found, out, err = run(capsys, "check", str(file))
    assert found == status
    assert str(file) in out + err
    assert "Traceback" not in err


def test_options_may_stand_between_files(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("power9", "--ignore", "IS2", "power8")
    status, between = outcome(capsys, "check", *words)
    assert (status, between) == outcome(capsys, "check", "--ignore", "IS2", "power9", "power8")
    assert len(between["inputs"]) == 2


def test_a_revision_wins_over_a_file_of_its_name(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "power9").write_text(FAULTY_SPEC)
    assert outcome(capsys, "show", "power9")[1]["table"]["name"] == "power9"
    assert outcome(capsys, "show", "./power9")[1]["table"]["name"] == "mine"


def test_show_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["show", "power9-dd1@84368bbf8", "--kernel", "4.11", "--platform", "op920"]
    _, out, _ = run(capsys, *words)
    assert "1: 0/2 us" in out
    assert "as cheap to leave as snooze" in out
    assert "stop1: its exit latency of 2050000 ns is above the driver's limit" in out
    assert "84368bbf8 (commit" not in out
    _, out, _ = run(capsys, *words, "--provenance")
    assert "skiboot 84368bbf8 (commit, high confidence)" in out
    _, body = outcome(capsys, *words)
    assert [s["name"] for s in body["linux"]["states"]] == ["snooze", "stop0_lite", "stop1_lite"]
    assert body["linux"]["states"][1]["exit_latency_us"] == 0
    assert body["linux"]["lost"][0]["state"] == "stop1"
    assert body["export"]["states"] == ["stop0_lite", "stop1_lite", "stop1"]
    assert body["table"]["states"][0]["latency_ns"] == 200


def test_diff(capsys: pytest.CaptureFixture[str]) -> None:
    assert outcome(capsys, "diff", "power9", "power9")[1]["equal"] is True
    status, body = outcome(capsys, "diff", "power9-dd1@84368bbf8", "power9-dd1", "--kernel", "4.11")
    assert status == 1
    assert {
        "stage": "linux 4.11",
        "path": "states.stop0_lite",
        "a": "0/2 us",
        "b": "1/10 us",
    } in body["differences"]
    assert run(capsys, "diff", "power9", "power9-mambo")[0] == 1


@pytest.fixture
def hostile_names(tmp_path: Path) -> str:
    """A tree whose states' names would set a terminal's title."""
    tree = fdt.read((DATA / "trees/powernv9.dtb").read_bytes(), "")
    names = b"\x1b]0;pwn\x07\0stop0\0stop1\0"

    def renamed(node: Node) -> Node:
        found = {NAMES: names} if NAMES in node.properties else {}
        children = tuple(renamed(child) for child in node.children)
        return replace(node, properties={**node.properties, **found}, children=children)

    path = tmp_path / "names.dtb"
    path.write_bytes(fdt.write(renamed(tree)))
    return str(path)


@pytest.mark.parametrize(
    "words",
    [
        ["diff", "{}", "power9"],
        ["select", "{}"],
        ["select", "power9", "--against", "{}"],
        ["generate", "{}", "--to", "md"],
    ],
)
def test_names_are_made_fit_for_a_terminal(
    words: list[str], hostile_names: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = run(capsys, *(word.format(hostile_names) for word in words))
    assert "]0;pwn" in out
    assert all(line.isprintable() for line in out.split("\n"))


def test_tables_of_one_name_are_told_apart_by_what_was_typed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree, same = tmp_path / "power9.dtb", tmp_path / "same.yaml"
    run(capsys, "generate", "power9", "--to", "dtb", "--platform", "op920", "-o", str(tree))
    run(capsys, "import", str(tree), "--name", "power9", "-o", str(same))
    _, out, _ = run(capsys, "diff", str(same), "power9")
    assert re.sub(r"  +", "  ", out.splitlines()[0]).endswith(f"  {same}  power9")
    run(capsys, "generate", "power9", "--to", "yaml", "-o", str(same))
    _, out, _ = run(capsys, "diff", str(same), "power9")
    assert out.startswith(f"{same} and power9 are equal")


def test_standard_input_is_a_table_of_commands_that_ask_for_it_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = tmp_path / "mine.yaml"
    text = "name: mine\nextends: power9\ndrop: [stop8, stop11]\nfirmware: {array: mine}\n"
    spec.write_text(text)
    for words in (["import", "-"], ["generate", "-", "--to", "c"], ["diff", "-", "power9"]):
        with spec.open() as file:
            monkeypatch.setattr("sys.stdin", file)
            status, out, err = run(capsys, *words)
        assert (status, err) == (int("diff" in words), ""), words
        assert "stop11" in out if "diff" in words else "stop5" in out
    assert run(capsys, "diff", "-", "-")[0] == 2


def test_a_result_for_a_dash_goes_to_standard_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(capsys, "generate", "power9", "--to", "c", "-o", "-")[1].count("stop11")
    assert list(tmp_path.iterdir()) == []


def test_diff_down_to_what_is_selected(capsys: pytest.CaptureFixture[str]) -> None:
    """Linux 4.11 would now select snooze where it selected stop0_lite."""
    words = ["diff", "power9-dd1@84368bbf8", "power9-dd1", "--kernel", "4.11"]
    status, body = outcome(capsys, *words, "--platform", "op920", "--governor", "menu")
    assert status == 1
    selected = [d for d in body["differences"] if d["stage"] == "menu 4.11"]
    assert selected[0] == {
        "stage": "menu 4.11", "path": "idle 2 to 9 us", "a": "stop0_lite", "b": "snooze",
    }  # fmt: skip
    assert run(capsys, *words, "--governor", "mneu")[0] == 2


def test_explain_prints_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    for word in ("IS203", "is203", "residency-tie"):
        status, out, _ = run(capsys, "explain", word)
        assert status == 0
        assert out.startswith("IS203 residency-tie: ")
        assert "Why is this bad" in out


def test_output_files_are_whole_or_absent(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    target = tmp_path / "out.md"
    assert run(capsys, "generate", "power10", "--to", "md", "-o", str(target))[0] == 0
    assert target.read_text().startswith("# power10\n")
    before = target.read_text()
    bad = tmp_path / "bad.yaml"
    bad.write_text(BAD_SPEC)
    assert run(capsys, "generate", str(bad), "--to", "md", "-o", str(target))[0] == 1
    assert target.read_text() == before
    missing = tmp_path / "no" / "out.md"
    assert run(capsys, "generate", "power10", "--to", "md", "-o", str(missing))[0] == 3
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.yaml", "out.md"]


def test_output_is_the_same_every_time(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["check", "--notes"], ["show", "power9"], ["check", "--format", "json"]):
        assert run(capsys, *words)[1] == run(capsys, *words)[1]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_commands_tables_and_rules(
    capsys: pytest.CaptureFixture[str], shell: str
) -> None:
    _, out, _ = run(capsys, "--completion", shell)
    for word in ("check", "power9-dd1@84368bbf8", "IS203", "fail-on"):
        assert word in out


def whole_process(*words: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "idle_states", *words],
        capture_output=True,
        env=os.environ | environment,
        check=False,
    )


def test_bash_accepts_the_completion_script() -> None:
    script = whole_process("--completion", "bash").stdout
    probe = (
        script
        + b"\nCOMP_WORDS=(idle-states sh); COMP_CWORD=1; _idle_states; echo ${COMPREPLY[0]}\n"
    )
    result = subprocess.run(["bash"], input=probe, capture_output=True, check=True)
    assert result.stdout.strip() == b"show"


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_help_fits_the_terminal_and_breaks_no_word(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def help_of(*words: str) -> str:
        with pytest.raises(SystemExit):
            main([*words, "--help"])
        return capsys.readouterr().out

    for words in ([], *([name] for name in COMMANDS)):
        monkeypatch.setenv("COLUMNS", "1000")
        whole = set(help_of(*words).split())
        monkeypatch.setenv("COLUMNS", str(columns))
        text = help_of(*words)
        assert set(text.split()) == whole, words
        for line in text.splitlines():
            # examples, and choices that are one word, stay in one piece
            assert len(line) <= columns or line.startswith("  "), (words, line)


@pytest.mark.parametrize(
    ("line", "offered"),
    few(
        2,
        [
            ("check --kernel 4.1", "4.11"),
            ("check --platform rai", "rainier"),
            ("select power9 --governor te", "teo"),
            ("check --select IS20", "IS203"),
            ("simulate ping", "ping-pong"),
            ("patch mambo", "mambo-stop4"),
            ("explain IS40", "IS401"),
            ("show power1", "power10"),
            ("check --fi", "--fix"),
        ],
    ),
)
def test_completion_offers_what_fits(line: str, offered: str) -> None:
    script = whole_process("--completion", "bash").stdout.decode()
    words = ["idle-states", *line.split()]
    probe = (
        f"\nCOMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _idle_states; "
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    result = subprocess.run(
        ["bash"], input=script + probe, capture_output=True, check=True, text=True
    )
    assert offered in result.stdout.split()
    assert all(word.startswith(words[-1]) for word in result.stdout.split())


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m idle_states list rules | head -n 1"
    result = subprocess.run(["sh", "-c", command], capture_output=True, check=True)
    assert result.stdout.startswith(b"RULE")
    assert result.stderr == b""


@pytest.mark.parametrize("words", ["list rules", "check power9 --fail-on note", "--help"])
def test_a_result_that_nobody_reads_is_not_clean(words: str) -> None:
    reads, writes = os.pipe()
    os.close(reads)
    with os.fdopen(writes) as nobody:
        command = [sys.executable, "-m", "idle_states", *words.split()]
        done = subprocess.run(command, stdout=nobody, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, b"")


def test_no_colour_in_a_pipe() -> None:
    assert b"\x1b[" not in whole_process("check").stdout


def test_an_ascii_only_locale_is_served(tmp_path: Path) -> None:
    spec = tmp_path / "mine.yaml"
    spec.write_text(FAULTY_SPEC.replace("name: mine", "name: mine\ntitle: µs – λ"), "utf-8")
    result = whole_process("show", str(spec), PYTHONIOENCODING="ascii", LC_ALL="C")
    assert result.returncode == 0, result.stderr


def test_generate_check_tells_a_stale_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "power9.c"
    words = ["generate", "--to", "c", "power9", "-o", str(path)]
    assert main([*words, "--check"]) == 1
    assert not path.exists()
    assert "is missing" in capsys.readouterr().out
    assert main(words) == 0
    assert main([*words, "--check"]) == 0
    text = path.read_text()
    path.write_text(text.replace("latency_ns = 1000,", "latency_ns = 200,"))
    capsys.readouterr()
    assert main([*words, "--check"]) == 1
    changed = [line for line in capsys.readouterr().out.splitlines() if line[:2] in ("-\t", "+\t")]
    assert [line.split()[-1] for line in changed] == ["200,", "1000,"]


def test_output_replaces_files_keeps_links_and_never_a_device(tmp_path: Path) -> None:
    words = ["generate", "--to", "c", "power9", "-o"]
    real, link, pipe = (tmp_path / name for name in ("real.c", "link.c", "pipe"))
    real.write_text("old")
    link.symlink_to(real)
    assert main([*words, str(link)]) == 0
    assert link.is_symlink()
    assert "cpu_idle_states" in real.read_text()
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        assert main([*words, str(pipe)]) == 0
        assert reader.stdout is not None
        assert reader.stdout.read() == real.read_bytes()
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.c", "pipe", "real.c"]


@pytest.mark.parametrize(
    ("words", "buffered"),
    [
        *((words, "") for words in ("--version", "list")),
        ("--help", "1"),
        *(
            pytest.param(*each, marks=pytest.mark.slow)
            for each in (
                ("check --help", ""),
                ("list rules --format json", ""),
                ("list", "1"),
                ("list rules --format json", "1"),
            )
        ),
    ],
)
@pytest.mark.parametrize(
    ("where", "said"), [(">&-", "Bad file descriptor"), (">/dev/full", "No space left on device")]
)
def test_what_cannot_be_printed_is_an_error(
    words: str, where: str, said: str, buffered: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", buffered)
    line = f"{shlex.quote(sys.executable)} -m idle_states {words} {where}"
    done = subprocess.run(line, shell=True, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (3, f"idle-states: standard output: {said}\n")


def test_output_to_links_in_a_circle(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.symlink_to(other)
    other.symlink_to(one)
    for option in (["-o"], ["--html"]):
        assert main(["select", "power9", *option, str(one)]) == 3
        assert f"{one}: Too many levels of symbolic links" in capsys.readouterr().err
    assert one.is_symlink()
    assert other.is_symlink()


def test_statistics_count_what_the_findings_are(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    spec = tmp_path / "mine.yaml"
    spec.write_text(FAULTY_SPEC)
    _, out, _ = run(capsys, "check", str(spec), "--statistics")
    _, text, _ = run(capsys, "check", str(spec), "--notes")
    listed = re.findall(r"^\s*(\d+)  (IS\d{3}) \S+\s+(error|warning|note)$", out, re.MULTILINE)
    assert len(listed) > 3
    for count, rule, severity in listed:
        heads = re.findall(rf": {severity}: .*\[{rule} ", text)
        assert len(heads) == int(count)
    assert any(line.startswith("1 table, ") for line in out.splitlines()[-3:])


def test_what_is_no_text_is_not_written_to_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdout", terminal)
    assert main(["generate", "power9", "--to", "dtb"]) == 2
    assert main(["generate", "power9", "--to", "c"]) == 0
    terminal.flush()
    assert b"\0" not in terminal.buffer.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize("words", ["powr", "show nothing-of/that"])
def test_nobody_reads_what_is_said(words: str) -> None:
    reads, writes = os.pipe()
    os.close(reads)
    with os.fdopen(writes) as nobody:
        command = [sys.executable, "-m", "idle_states", *words.split()]
        assert subprocess.run(command, stderr=nobody, check=False).returncode == 2


def test_a_full_folder_of_temporary_files_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert failures.report(OSError(errno.ENOSPC, "No space left on device")) == 3
    assert f"No space left on device; temporary files are in {tmp_path}" in capsys.readouterr().err
