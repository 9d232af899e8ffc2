"""conform: agreement with the recorded decisions, and what is printed when there is none."""

import gzip
import hashlib
import json
from pathlib import Path

import pytest

from idle_states.base.reading.inputs import Input
from idle_states.cli import main
from idle_states.lab.traces.recording import COLUMNS, rows
from idle_states.tables.linux.governors import Governor, Outcome, Situation, State
from tests.support import DATA
from tests.support.thorough import slow
from tests.support.vectors import DIRECTORY, read

P9 = "1000/10000,2000/20000,5000/50000,10000/100000,100000/10000000,200000/20000000"
VECTORS = str(DIRECTORY / "menu-debian6.1.192-p9-poll1.csv.gz")


@pytest.mark.parametrize(
    ("file", "governor", "kernel", "states", "polling"),
    [
        ("menu-ubuntu4.15.0-dd1-poll0", "menu", "ubuntu-4.15.0", "0/2000,4000/49000", False),
        ("menu-debian6.1.192-p9-poll1", "menu", "debian-6.1.192", P9, True),
        ("teo-debian7.2.13-cede-poll1", "teo", "debian-7.2.13", "12000/120000", True),
        ("ladder-ubuntu5.4.0-p9-poll0", "ladder", "ubuntu-5.4.0", P9, False),
    ],
)
def test_recorded_decisions_agree(
    capsys: pytest.CaptureFixture[str],
    file: str,
    governor: str,
    kernel: str,
    states: str,
    polling: bool,
) -> None:
    words = ["conform", str(DIRECTORY / f"{file}.csv.gz"), "--states", states]
    words += ["--governor", governor, "--kernel", kernel, *(["--polling"] if polling else [])]
    assert main(words) == 0
    assert "400 of 400 decisions agree (100.00 %)" in capsys.readouterr().out


def test_the_first_disagreement_has_everything(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["conform", VECTORS, "--states", P9, "--kernel", "6.12", "--format", "json"]
    assert main(words) == 1
    body = json.loads(capsys.readouterr().out)
    first = body["first_disagreement"]
    assert 0 < body["agree"] < body["decisions"] == 400
    assert first["number"] == 1
    assert first["line"] == 2
    assert first["recorded"]["state"] != first["model"]["state"]
    assert first["inputs"]["sleep_length_ns"] == 1946928
    assert first["intermediate"]["predicted"] == 1947000
    assert main(words[:-2]) == 1
    out = capsys.readouterr().out
    assert "First disagreement: decision 1, line 2, CPU 0" in out
    assert "sleep_length_ns = 1946928" in out


def test_a_packaged_table_gives_its_registered_states(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["conform", VECTORS, "--table", "power9", "--kernel", "debian-6.1.192"]
    assert main([*words, "--platform", "op920"]) == 0
    assert "400 of 400" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ([VECTORS], 2, "expected a table or --states, one of the two"),
        ([VECTORS, "--states", P9, "--table", "power9"], 2, "one of the two"),
        ([VECTORS, "--states", "1us/2us"], 2, "expected EXIT/RESIDENCY in ns"),
        ([VECTORS, "--states", P9, "--governor", "mneu"], 2, "expected a governor"),
        ([VECTORS, "--states", P9, "--disabled", "x"], 2, "expected numbers of states"),
        ([VECTORS, "--states", P9, "--disabled", "7"], 2, "with states 0 to 6, found 7"),
        ([VECTORS, "--states", P9, "--hz", "0"], 2, "expected --hz"),
        ([VECTORS, "--states", P9, "--skip", "-1"], 2, "expected 0 or more decisions to skip"),
        (
            [VECTORS, "--states", "1000/10000"],
            3,
            ":4:1: error: expected a state of the table, 0 to 1, found 4",
        ),
        ([VECTORS, "--table", "power9", "--polling"], 2, "--polling with --states only"),
        (["no-such-file", "--states", P9], 3, "no-such-file"),
    ],
)
def test_usage(
    capsys: pytest.CaptureFixture[str], words: list[str], status: int, said: str
) -> None:
    assert main(["conform", *words]) == status
    assert said in capsys.readouterr().err


def test_wrong_columns_are_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    recorded = gzip.decompress(Path(VECTORS).read_bytes()).decode()
    text = recorded.replace("sleep_length_ns", "sleep_ns", 1)
    file = tmp_path / "bad.csv"
    file.write_text(text)
    assert main(["conform", str(file), "--states", P9]) == 3
    assert "sleep_length_ns" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("data", "place", "found"),
    [
        (";".join(COLUMNS).encode() + b"\n1;2\n", 1, "'latency_req_us;sleep_length_ns;"),
        ("\t".join(COLUMNS).encode() + b"\n", 1, "x09sleep_length_ns"),
        (b"# by hand\n" + ",".join(COLUMNS).encode(), 1, "'# by hand'"),
        (b"\n\n[1,2]\n", 3, "'[1,2]'"),
        (b"\x89PNG\r\n\x1a\n", 1, "PNG"),
        (b"/sys/devices/system/cpu/cpu0/cpuidle/state0/name:WFI\n", 1, "a cpuidle sysfs dump"),
    ],
)
def test_what_is_no_recording(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, data: bytes, place: int, found: str
) -> None:
    file = tmp_path / "bad"
    file.write_bytes(data)
    assert main(["conform", str(file), "--states", P9]) == 3
    errors = capsys.readouterr().err
    assert f"{file}:{place}:1: error: expected an exact recording: columns latency_req_us" in errors
    assert found in errors.partition("; found ")[2]
    assert "[IS930 unreadable-input]" in errors


@pytest.mark.parametrize(
    "words",
    [
        ["conform"],
        *slow(["conform", "--table", "power10", "--format", "json"]),
        ["replay", "--table", "power9", "--governor", "menu", "--format", "json"],
        ["replay"],
        *slow(["tune", "power9", "--governor", "menu", "--power", "implied", "--trace"]),
        ["simulate", "--table", "power9", "--format", "json"],
        *slow(["tune", "power9", "--governor", "menu", "--power", "implied", "--workload"]),
    ],
)
def test_an_unconverted_recording_is_taken_as_its_conversion(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = DATA / "recordings" / "powernv9-menu-restarted.txt.gz"
    digest = hashlib.sha256(raw.read_bytes()).hexdigest()
    assert main(["collect", "--convert", str(raw), "-o", str(tmp_path / "recording.csv")]) == 0
    capsys.readouterr()
    status = main([*words, str(tmp_path / "recording.csv")])
    wanted, said = capsys.readouterr()
    assert "converted first" not in said
    assert main([*words, str(raw)]) == status
    out, said = capsys.readouterr()
    converted = hashlib.sha256((tmp_path / "recording.csv").read_bytes()).hexdigest()
    wanted = wanted.replace(str(tmp_path / "recording.csv"), str(raw)).replace(converted, digest)
    assert out == wanted
    assert f"idle-states: {raw}: converted first, as by collect --convert: 371 decisions" in said


# Recordings that begin in the middle


def test_skipped_decisions_are_fed_but_not_judged(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Two CPUs with the same decisions; the model knows what went before, for having been fed."""
    head, *lines = gzip.decompress(Path(VECTORS).read_bytes()).decode().splitlines()
    both = [f"{line},{cpu}" for line in lines for cpu in (0, 5)]
    file = tmp_path / "two.csv"
    words = ["conform", str(file), "--states", P9, "--kernel", "debian-6.1.192", "--polling"]
    file.write_text("\n".join([f"{head},cpu", *both]))
    assert main([*words, "--skip", "100"]) == 0
    output = capsys.readouterr().out
    assert (
        output == "menu of Linux debian-6.1.192: 600 of 600 decisions agree (100.00 %): agree; "
        "200 skipped\n"
    )

    wrong = both.copy()
    columns = head.split(",")
    for number in (2, 3, 41):
        cells = wrong[number].split(",")
        cells[columns.index("stop_tick")] = str(1 - int(cells[columns.index("stop_tick")]))
        wrong[number] = ",".join(cells)
    file.write_text("\n".join([f"{head},cpu", *wrong]))
    for skip, judged, agree, number, line in (
        (0, 800, 797, 3, 4),
        (1, 798, 795, 3, 4),
        (2, 796, 795, 42, 43),
        (20, 760, 759, 42, 43),
    ):
        assert main([*words, "--skip", str(skip), "--format", "json"]) == 1
        body = json.loads(capsys.readouterr().out)
        assert (body["decisions"], body["agree"], body["skipped"]) == (judged, agree, 2 * skip)
        assert (body["first_disagreement"]["number"], body["first_disagreement"]["line"]) == (
            number,
            line,
        )
    assert main([*words, "--skip", "21"]) == 0


def test_nothing_judged_is_no_agreement(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["conform", VECTORS, "--states", P9, "--kernel", "debian-6.1.192", "--polling"]
    assert main([*words, "--skip", "400"]) == 1
    output = capsys.readouterr().out
    assert output == (
        "menu of Linux debian-6.1.192: 0 of 0 decisions agree: none judged; 400 skipped\n"
    )


# Governors that are switched on

STATES = (State(0, 0, True), State(1_000, 10_000), State(2_000, 20_000), State(5_000, 50_000))
SITUATION = Situation(2_000_000, 60_000, 60_000)


def governor(name: str, kernel: str, earlier: Outcome | None) -> Governor:
    made = Governor.for_kernel(name, kernel, STATES)
    if earlier is not None:
        made.switched_on(earlier)
    return made


@pytest.mark.parametrize(
    ("kernel", "unknown"), [("6.1", 0), ("debian-6.1.176", 1), ("6.16", 0), ("6.17", 1)]
)
def test_menu_notes_an_unknown_interval_only_if_there_was_none_before(
    kernel: str, unknown: int
) -> None:
    for earlier, count in ((None, unknown), (Outcome(3, 0), unknown), (Outcome(3, 1), 0)):
        why = governor("menu", kernel, earlier).select(SITUATION).why
        assert sum(interval > 0 for interval in why["history_us"]) == count


def test_ladder_compares_the_period_before_with_its_first_state() -> None:
    """A state is left after four good periods; one of 1,001 to 2,000 ns is not good for it."""
    good = Outcome(1, 50_000)
    for earlier, selections in ((None, 4), (Outcome(3, 2_000), 5), (Outcome(0, 2_001), 4)):
        ladder = governor("ladder", "6.1", earlier)
        states = []
        for _ in range(6):
            states.append(ladder.select(SITUATION).state)
            if states[-1] == 2:
                break
            ladder.reflect(good)
        assert len(states) == selections


@pytest.mark.parametrize(
    ("earlier", "short"),
    [
        (None, True),
        (Outcome(0, 0), True),
        (Outcome(1, 15_499), True),
        (Outcome(1, 15_500), False),
        (Outcome(3, 15_500), True),
        (Outcome(3, 17_500), False),
        (Outcome(-1, 0), False),
    ],
)
def test_teo_learns_from_the_period_before(earlier: Outcome | None, short: bool) -> None:
    """Less half the state's exit latency, below 15 us it is short."""
    teo = governor("teo", "6.17", earlier)
    teo.select(SITUATION)
    assert bool(teo._model.metrics.bins.short_idles) == short  # type: ignore[attr-defined]


@pytest.mark.parametrize("path", sorted(DIRECTORY.glob("*.csv.gz")), ids=lambda path: path.name)
def test_to_have_been_idle_for_0_ns_is_to_have_been_booted(path: Path) -> None:
    recorded = read(path)
    made = Governor.for_kernel(recorded.governor, recorded.kernel, recorded.states)
    made.switched_on(Outcome(0, 0))
    decisions = made.replay([(row.situation, row.outcome) for row in recorded.rows])
    assert [(d.state, d.stop_tick) for d in decisions] == [
        (row.state, row.stop_tick) for row in recorded.rows
    ]


def test_what_went_before_can_be_given_in_both_forms(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    row = dict.fromkeys(COLUMNS, 0) | {"latency_req_us": 2_000_000, "stop_tick": 1}
    row |= {"sleep_length_ns": 45_000, "delta_next_ns": 45_000}
    row |= {"earlier_state": -1, "earlier_residency_ns": 7}
    csv, lines = tmp_path / "row.csv", tmp_path / "row.jsonl"
    csv.write_text(f"{','.join(row)}\n{','.join(str(value) for value in row.values())}\n")
    lines.write_text(json.dumps(row))
    for file in (csv, lines):
        (found,) = rows(Input(str(file)))
        assert found.earlier == Outcome(-1, 7)
    for column, value, bounds in (
        ("earlier_state", -2, "-1 to 31"),
        ("earlier_residency_ns", -1, "0 to 9223372036854775807"),
    ):
        lines.write_text(json.dumps(row | {column: value}))
        assert main(["conform", str(lines), "--states", P9]) == 3
        assert f"expected {bounds} in column {column}" in capsys.readouterr().err
