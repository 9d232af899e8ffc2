"""Tests of what a version does otherwise than the one before, told from the mails of that one."""

import json
from pathlib import Path

import pytest

from idle_states.cli import main
from idle_states.tables.skiboot import c_table
from idle_states.tables.spec.library import find
from tests.support.git_history import History

HEAD = """\
name: {name}
subject: "slw: {subject}"
body: |
  {body}
edits:
"""
EDIT = """\
  - table: {table}_cpu_idle_states
    state: {state}
    field: {field}
    from: {old}
    to: {new}
"""


def described(*edits: str, name: str = "one", body: str = "Measured.", subject: str = "x") -> str:
    """edits: "power9 stop1 latency 5us 6us"."""
    found = HEAD.format(name=name, body=body, subject=subject)
    for edit in edits:
        table, state, field, old, new = edit.split()
        found += EDIT.format(table=table, state=state, field=field, old=old, new=new)
    return found


class Bench:
    """A tree, and series made for it in folders of their own."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.history = History(directory / "tree")
        tables = c_table.write([find("power9"), find("power9-fused")])
        self.history.commit({"hw/slw.c": tables, ".version": "v7.1\n"})
        self.tree = self.history.directory
        self.count = 0

    def path(self, name: str) -> Path:
        self.count += 1
        return self.directory / f"{name}{self.count}"

    def make(self, texts: list[str], *words: str) -> Path:
        """The folder with the mails; an error of the command is one of the test."""
        made, out = self.path("series"), self.path("out")
        made.mkdir()
        for number, text in enumerate(texts):
            (made / f"{number}.yaml").write_text(text)
        assert main(["patch", str(made), "--tree", str(self.tree), "-o", str(out), *words]) == 0
        return out

    def changes(self, texts: list[str], previous: Path, *words: str) -> list[str]:
        out = self.make(texts, "--previous", str(previous), *words)
        first = sorted(out.iterdir())[0]
        self.name = first.name
        lines = first.read_text().splitlines()
        start = next(n for n, line in enumerate(lines) if line.startswith("Changes since v"))
        self.title = lines[start]
        found: list[str] = []
        for line in lines[start + 1 :]:
            assert len(line) <= 72
            if line.startswith("- "):
                found.append(line[2:])
            elif line.startswith("  "):
                found[-1] += f" {line.strip()}"
            else:
                break
        return found


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


STOP1 = "power9 stop1 latency 5us 6us"


def test_values_that_differ_come_and_go(bench: Bench) -> None:
    one = bench.make([described(STOP1, "power9 stop2 latency 10us 11us")])
    two = described(
        "power9 stop1 latency 5us 5500ns",
        "power9 stop1 residency 50us 60us",
        "power9_fusedcore stop1 latency 5us 5500ns",
    )
    assert bench.changes([two], one) == [
        "power9_cpu_idle_states stop1: latency 5us -> 5500ns, was 5us -> 6us",
        "power9_cpu_idle_states stop1: residency 50us -> 60us, which was not changed",
        "power9_fusedcore_cpu_idle_states stop1: latency 5us -> 5500ns, which was not changed",
        "power9_cpu_idle_states stop2: latency not changed, was 10us -> 11us",
    ]
    assert bench.title == "Changes since v1:"
    assert bench.name.startswith("v2-0001-")


def test_a_third_version_is_compared_with_the_second(bench: Bench) -> None:
    one = bench.make([described(STOP1)])
    two = bench.make([described("power9 stop1 latency 5us 7us")], "--previous", str(one))
    three = described("power9 stop1 latency 5us 8us")
    hand = ("--changes", "as asked\nby one")
    assert bench.changes([three], two, *hand) == [
        "as asked",
        "by one",
        "power9_cpu_idle_states stop1: latency 5us -> 8us, was 5us -> 7us",
    ]
    assert bench.title == "Changes since v2:"
    assert bench.name.startswith("v3-0001-")


def test_rows_that_come_and_go(bench: Bench, tmp_path: Path) -> None:
    """The values of a row that both versions add are compared."""

    def spec(text: str) -> str:
        file = bench.path("mine").with_suffix(".yaml")
        file.write_text(f"name: power9@mine\nextends: power9\n{text}")
        return str(file)

    def new(latency: str) -> str:
        state = "flags: [LOSE_USER_CONTEXT, STOP_INST_FAST], psscr: {rl: 1, mtl: 3, tr: 3, esl: 1}"
        times = f"latency: {latency}, residency: 70us"
        return f"states:\n  - {{name: stop1_new, before: stop2, {times}, {state}}}\n"

    def make(table: str, *words: str) -> Path:
        out = bench.path("out")
        line = ["patch", table, "--tree", str(bench.tree), "-o", str(out), "--force", *words]
        assert main(line) == 0
        return out

    one = make(spec("drop: [stop11]\n" + new("6us")))
    two = make(spec("drop: [stop8, stop11]\n" + new("7us")), "--previous", str(one))
    text = sorted(two.iterdir())[0].read_text()
    assert "- power9_cpu_idle_states stop1_new: latency 7us, was 6us\n" in text
    assert "- power9_cpu_idle_states stop8: removed, which was not changed\n" in text
    assert "stop11:" not in text.partition("Changes since")[2].partition("diff --git")[0]
    three = make(spec("drop: [stop8]\n"), "--previous", str(two))
    text = sorted(three.iterdir())[0].read_text()
    assert "- power9_cpu_idle_states stop1_new: not changed, was added\n" in text
    assert "- power9_cpu_idle_states stop11: not changed, was removed\n" in text
    assert text.count("stop1_new") == 1


def test_the_same_again_says_so(bench: Bench) -> None:
    texts = [described(STOP1)]
    said = ["all values and messages are as in v1"]
    assert bench.changes(texts, bench.make(texts)) == said
    signed = bench.make(texts, "--cover-letter")
    assert bench.changes(texts, signed) == said


def test_messages_and_patches_that_differ(bench: Bench) -> None:
    two = described("power9 stop2 latency 10us 11us", name="two", subject="y")
    one = bench.make([described(STOP1), two])
    assert bench.changes([described(STOP1, body="Measured twice."), two], one) == [
        'message of "slw: x" changed'
    ]
    assert bench.changes([described(STOP1)], one) == [
        "power9_cpu_idle_states stop2: latency not changed, was 10us -> 11us",
        'patch dropped: "slw: y"',
    ]
    assert bench.changes([described(STOP1, subject="z"), two], one) == [
        'subject "slw: z", was "slw: x"'
    ]


def test_the_version_before_is_on_the_commit_it_was_made_on(bench: Bench) -> None:
    """The tree has left that commit since, even with that version applied to it."""
    one = bench.make([described(STOP1)])
    bench.history.git("am", "-q", *map(str, one.iterdir()))
    bench.history.git("revert", "--no-edit", "HEAD")
    text = (bench.tree / "hw/slw.c").read_text().replace("40000000", "45000000")
    bench.history.commit({"hw/slw.c": f"/* moved */\n\n{text}"})
    assert bench.changes([described("power9 stop1 latency 5us 7us")], one) == [
        "power9_cpu_idle_states stop1: latency 5us -> 7us, was 5us -> 6us"
    ]


def test_a_tree_without_git_takes_it_by_its_lines(bench: Bench) -> None:
    one = bench.make([described(STOP1)])
    (bench.tree / ".git").rename(bench.directory / "elsewhere")
    assert bench.changes([described("power9 stop1 latency 5us 7us")], one) == [
        "power9_cpu_idle_states stop1: latency 5us -> 7us, was 5us -> 6us"
    ]


def refused(bench: Bench, text: str, previous: Path, *words: str) -> int:
    made = bench.path("series")
    made.mkdir()
    (made / "a.yaml").write_text(text)
    out = bench.path("out")
    line = ["patch", str(made), "--tree", str(bench.tree), "-o", str(out), *words]
    status = main([*line, "--previous", str(previous)])
    assert not out.exists()
    return status


def test_what_is_no_version_of_it_is_refused(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    other = bench.make([described("power9_fusedcore stop1 latency 5us 6us")])
    assert refused(bench, described(STOP1), other) == 2
    errors = capsys.readouterr().err
    assert "a patch of power9_cpu_idle_states, found one of power9_fused" in errors
    empty = bench.path("text")
    empty.write_text("no patch at all\n")
    assert refused(bench, described(STOP1), empty) == 3
    assert str(empty) in capsys.readouterr().err
    assert refused(bench, described(STOP1), bench.path("missing")) == 3
    line = ["patch", "mambo-stop4", "--tree", str(bench.tree), "--previous", str(other)]
    assert main([*line, "--apply"]) == main([*line, "--check"]) == 2


def test_versions_go_up(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    two = bench.make([described(STOP1)], "-v", "2")
    assert refused(bench, described(STOP1), two, "-v", "2") == 2
    assert "expected -v 3 or later" in capsys.readouterr().err
    bench.changes([described(STOP1)], two, "-v", "5")
    assert bench.name.startswith("v5-0001-")
    assert bench.title == "Changes since v2:"


def test_json_names_the_file_of_the_version_before(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    one = next(bench.make([described(STOP1)]).iterdir())
    capsys.readouterr()
    bench.make([described(STOP1)], "--previous", str(one), "--format", "json")
    document = json.loads(capsys.readouterr().out)
    assert str(one) in {given["file"] for given in document["inputs"]}
