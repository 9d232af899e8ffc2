"""The first lines of a page: its result, with the figures of the text and JSON of the same run."""

import re
from itertools import groupby
from pathlib import Path

import pytest

from idle_states.base.model.units import nanoseconds
from idle_states.base.wording import joined
from idle_states.cli import main
from idle_states.lab.replay.headlines import Measure, compared
from tests.support import DATA
from tests.support.commands import document
from tests.support.html_pages import COMMANDS, TRACE, parse


def _headline(words: list[str], into: Path) -> list[str]:
    target = into / "page.html"
    assert main([*words, "--html", str(target), "-o", "/dev/null"]) in (0, 1)
    (found,) = parse(target.read_text()).all("div", "headline")
    return [line.text for line in found.all("p")]


def test_what_changes_comes_before_what_stays() -> None:
    measures = [Measure("energy", ("1 J", "2 J", "1 J")), Measure("p99", ("5 us", "5 us", "5 us"))]
    lines = compared(["a", "b", "c"], measures)
    assert list(lines) == [
        "b instead of a: energy 1 J → 2 J",
        "c instead of a: nothing changes",
        "b, as a: p99 5 us",
        "c, as a: energy 1 J; p99 5 us",
    ]


def test_of_show(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["show", "power9", "--platform", "op920", "--kernel", "4.11,6.1"]
    found = document(capsys, *words)
    registered = {k["kernel"]: [state["name"] for state in k["states"]] for k in found["kernels"]}
    lost = [each["state"] for each in found["export"]["lost"]]
    assert len(lost) == 2
    assert _headline(words, tmp_path) == [
        *(f"Linux {kernel} registers {joined(names)}" for kernel, names in registered.items()),
        f"Firmware does not export {joined(lost)}",
    ]


def test_of_a_replay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = COMMANDS["replay"]
    lines = _headline(words, tmp_path)
    tables = document(capsys, *words)["tables"]
    assert isinstance(tables, list)
    before, now = (table["total"]["states"] for table in tables)
    shallow = [
        f"{100 * sum(s['below'] for s in some) / sum(s['usage'] for s in some):.2f} %"
        for some in (before, now)
    ]
    paid = [f"{table['total']['wake_latency_ns']['p99'] / 1000:g} us" for table in tables]
    assert lines[0].startswith("power9-dd1@84368bbf8 instead of power9: ")
    assert f"periods too shallow {' → '.join(shallow)}" in lines[0]
    assert f"p99 exit latency paid {' → '.join(paid)}" in lines[0]
    assert "energy" in lines[0]
    assert lines[1] == "power9-dd1@84368bbf8, as power9: periods too deep 0 %"


def test_of_a_replay_of_one_table(tmp_path: Path) -> None:
    (line,) = _headline(["replay", TRACE, "--table", "power9", "--kernel", "6.1"], tmp_path)
    assert re.fullmatch(
        r"power9: p99 exit latency paid \d+ us; periods too deep [\d.]+ %; "
        r"periods too shallow [\d.]+ %; most idle time in stop\d \([\d.]+ %\)",
        line,
    )


def test_of_a_recording(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first screen tells whether the model decides as the recorded kernel did."""
    words = COMMANDS["replay-recording"]
    lines = _headline(words, tmp_path)
    truth = document(capsys, *words)["truth"]
    assert isinstance(truth, dict)
    assert lines[-1].startswith(truth["verdict"])


def test_of_a_simulation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = COMMANDS["simulate"]
    first = _headline(words, tmp_path)[0]
    tables = document(capsys, *words)["tables"]
    assert isinstance(tables, list)
    deep = []
    for table in tables:
        above, usage = (
            sum(state[what]["mean"] for state in table["states"]) for what in ("above", "usage")
        )
        deep.append(f"{100 * above / usage:.2f} %")
    assert deep[0] != deep[1]
    assert f"periods too deep {' → '.join(deep)}" in first


def test_of_a_selection(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = _headline(COMMANDS["select"], tmp_path)
    assert line == (
        "Idle periods of 53 us and more take stop1_lite, shorter ones snooze and stop0_lite "
        "(interrupt, tick running)"
    )
    lines = _headline(["select", "power9", "--kernel", "4.11,4.12,6.1"], tmp_path)
    assert [line.partition(":")[0] for line in lines] == [
        "power9, Linux 4.12 instead of power9, Linux 4.11",
        "power9, Linux 6.1 instead of power9, Linux 4.11",
    ]
    assert lines[0].endswith("nothing changes")
    assert (
        "maps change, most of all for idle periods of 20200 us and more: stop2 → stop5" in lines[1]
    )


@pytest.mark.slow
def test_of_kernels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["kernels", "6.1", "6.6", "--table", "power9"]
    moves = document(capsys, *words)["moves"]
    assert isinstance(moves, dict)
    assert (moves["steps"], len(moves["moves"])) == (1, 1)
    assert _headline(words, tmp_path) == [
        "1 of 1 step from release to release changes what is registered or selected",
        "6.6 (from 6.1): 4 of 4 maps and 1 difference in what is registered",
    ]
    moves = document(capsys, *COMMANDS["kernels"])["moves"]
    assert isinstance(moves, dict)
    first, *most = _headline(COMMANDS["kernels"], tmp_path)
    assert first.startswith(f"{len(moves['moves'])} of {moves['steps']} steps from")
    assert 1 <= len(most) <= 3


def test_a_terminals_width_breaks_no_line_of_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = []
    for columns in ("60", "200"):
        monkeypatch.setenv("COLUMNS", columns)
        _headline(COMMANDS["kernels"], tmp_path)
        pages.append((tmp_path / "page.html").read_text())
    assert pages[0] == pages[1]


@pytest.mark.slow
def test_of_kernels_that_change_alike(tmp_path: Path) -> None:
    lines = _headline(COMMANDS["select-kernels"], tmp_path)
    assert [line.partition(" instead")[0] for line in lines] == [
        "power9, Linux 6.1",
        "power9, Linux 6.6-6.12",
    ]
    page = parse((tmp_path / "page.html").read_text())
    titles = [title.text for title in page.all("h2") if title.text.startswith("From")]
    assert titles == [
        f"From power9, Linux 4.11 to power9: menu of Linux {kernel}, HZ 250"
        for kernel in ("6.1", "6.6", "6.12")
    ]
    same = [part.text for part in page.all("li") if part.text.startswith("the same ")]
    assert same == ["the same changes as to power9: menu of Linux 6.6, HZ 250"]


def test_of_a_tuning_that_finds_nothing_better(tmp_path: Path) -> None:
    lines = _headline(COMMANDS["tune"], tmp_path)
    assert lines[0].startswith("No table tried is better than the present one (least energy)")
    assert "p99 exit latency paid 200 us" in lines[0]
    assert lines[1] == "The best residencies are the break-evens"


def test_of_a_tuning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The residencies of the tuned table are far from its break-evens."""
    words = [
        *("tune", "power9-dd1@84368bbf8", "--trace", TRACE, "--kernel", "4.11"),
        *("--power", "snooze=1,stop0_lite=0.9,stop1_lite=0.1", "--governor", "none"),
    ]
    lines = _headline(words, tmp_path)
    found = document(capsys, *words)
    assert re.match(
        r"The present table costs [\d.e+]+ % more than the best; energy .* → ", lines[0]
    )
    best, present = found["best"], found["present"]
    assert isinstance(best, dict)
    assert isinstance(present, dict)
    assert best != present
    assert lines[1].startswith("Target residencies, us: ")


def test_of_an_audit(tmp_path: Path) -> None:
    lines = _headline(COMMANDS["audit"], tmp_path)
    assert lines[1:] == ["3 states: stop0_lite, stop0 and stop1", "As power9"]
    lines = _headline(["audit", str(DATA / "trees"), "--kernel", "6.1,6.12"], tmp_path)
    assert lines == ["6 of 9 inputs have notes: IS420 polling-override", "6 tables, 6 different"]


def test_of_prove(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = COMMANDS["prove"]
    states = document(capsys, *words)["states"]
    never = [state["name"] for state in states if state["unreachable"]]
    selected = [state["name"] for state in states if state["witness"]]
    how = "menu of Linux 6.1, HZ 250, latency limit 5 us"
    assert _headline(words, tmp_path) == [
        f"Proven: {how}, never selects {joined(never, 'or')}.",
        f"Proven by a history: {how}, selects {joined(selected)}.",
    ]
    every = ["prove", "power9", "--kernel", "6.12", "--governor", "teo"]
    assert _headline(every, tmp_path) == [
        "Proven by a history: teo of Linux 6.12, HZ 250, selects each of 7 states."
    ]
    undecided = ["prove", "--states", "0/0,2/20,50/20,100/400", "--kernel", "6.12"]
    assert _headline([*undecided, "--governor", "teo"], tmp_path)[1] == (
        "Not decided: whether it selects snooze; no witness was found and no proof."
    )


@pytest.mark.parametrize("kernel", ["4.11", "6.1"])
def test_a_drawn_history_has_the_lengths_of_the_witness(
    kernel: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And what menu predicts, in us before Linux 5.5 and in ns since."""
    words = ["prove", "power9", "--kernel", kernel]
    witness = document(capsys, *words)["states"][2]["witness"]
    assert main([*words, "--html", str(tmp_path / "page.html"), "-o", "/dev/null"]) == 0
    drawn = parse((tmp_path / "page.html").read_text()).all("figure")[2]
    _, *rows = drawn.all("table")[0].rows()
    idles = [(idle["state"], idle["measured_ns"]) for idle in witness]
    names = ["snooze", "stop0_lite", "stop0"]
    assert [(names.index(name), nanoseconds(length)) for _, name, length, _ in rows] == [
        each for each, _ in groupby(idles)
    ]
    assert nanoseconds(rows[-1][3]) == 24_000
