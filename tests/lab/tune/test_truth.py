"""tune with measured latencies: what they cost, and what a table gains that says so."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from idle_states.cli import main
from tests.support import DATA

TRACE = str(DATA / "traces/mt8196-teo.slice.txt.gz")
POWER = "snooze=1,stop0=0.6,stop2=0.1"
SHALLOW, DEEP = 2_000, 10_000
"""The latencies that power9 advertises of stop0 and stop2, in ns."""


def measured(path: Path, **latencies_ns: int) -> str:
    """Wake-ups that are all alike."""
    rows = "".join(f"{state},timer,0,{ns},1000000\n" * 400 for state, ns in latencies_ns.items())
    path.write_text(
        "# idle-states measured 1\n# tool: idle-states 1\n# cpu: 1\n# resolution_ns: 1\n"
        f"state,woken_by,busy,ns,idle_ns\n{rows}# end\n"
    )
    return str(path)


def tuned(capsys: pytest.CaptureFixture[str], table: str, *more: str) -> Any:
    words = ["tune", table, "--trace", TRACE, "--governor", "menu", "--kernel", "4.9"]
    assert main([*words, "--power", POWER, "--format", "json", *more]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def spec(tmp_path: Path) -> str:
    """POWER9's stop0 and stop2."""
    path = tmp_path / "mine.yaml"
    path.write_text(_spec(SHALLOW, DEEP))
    return str(path)


def _spec(shallow: int, deep: int) -> str:
    return (
        "name: mine\nextends: power9\n"
        "drop: [stop0_lite, stop1, stop4, stop5, stop8, stop11]\noverride:\n"
        f"  stop0: {{latency: {shallow}ns}}\n  stop2: {{latency: {deep}ns}}\n"
    )


def test_measured_as_advertised_changes_nothing(
    spec: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = measured(tmp_path / "m.txt", stop0=SHALLOW, stop2=DEEP)
    plain, same = tuned(capsys, spec), tuned(capsys, spec, "--measured", file)
    for key in ("present", "break_even", "best", "front", "states"):
        assert same[key] == plain[key]
    assert (plain["measured"], plain["honest"]) == (None, [])
    assert same["honest"][0]["gain"] == 0
    assert [one["honest_ns"] for one in same["measured"]] == [SHALLOW, DEEP]


def test_costs_are_those_of_measured_latencies_and_decisions_those_of_the_tables(
    spec: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = measured(tmp_path / "m.txt", stop2=10 * DEEP)
    plain, real = tuned(capsys, spec), tuned(capsys, spec, "--measured", file)
    before, now = plain["present"], real["present"]
    assert now["usage"] == before["usage"]
    deep = now["usage"][2]
    assert deep
    count = sum(now["usage"])
    more_ns = 9 * DEEP
    rise = now["mean_latency_ns"] - before["mean_latency_ns"]
    assert rise == pytest.approx(more_ns * deep / count, abs=0.01)
    # an awake CPU draws 1, stop2 0.1, and more of the time is spent on the way
    rise = now["energy"]["low"] - before["energy"]["low"]
    assert rise == pytest.approx(0.9 * deep * more_ns / 1e9, rel=1e-3)


def test_an_honest_table_costs_what_tune_says_of_it(
    spec: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = measured(tmp_path / "m.txt", stop2=10 * DEEP)
    promised = tuned(capsys, spec, "--measured", file)["honest"][0]
    assert promised["residencies"] == "present residencies"
    honest = tmp_path / "honest.yaml"
    honest.write_text(_spec(SHALLOW, 10 * DEEP))
    found = tuned(capsys, str(honest), "--measured", file)
    for key in ("usage", "energy", "mean_latency_ns", "residencies_us"):
        assert promised["table"][key] == found["present"][key]
    assert found["honest"][0]["gain"] == 0


def test_what_the_spec_records_is_the_truth_where_it_is_asked_for(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    words = ["tune", "power9", "--gaps", str(tmp_path / "gaps.csv"), "--power", "implied"]
    (tmp_path / "gaps.csv").write_text("5000,10\n300000,20\n9000000,3\n")
    assert main([*words, "--measured", "spec", "--html", str(page)]) == 0
    text = capsys.readouterr().out
    assert re.search(r"stop5 +200 +1056.15 +1057\n", text)
    assert "no table with honest latencies is tried" in text
    assert "1056.15" in page.read_text()
    assert main([*words[:1], "power10", *words[2:], "--measured", "spec"]) == 2
    assert "found none with --measured" in capsys.readouterr().err


def test_simulated_wake_ups_take_what_was_measured(
    spec: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["tune", spec, "--workload", "periodic", "--governor", "menu", "--kernel", "6.1"]
    words += ["--power", POWER, "--duration", "5ms", "--format", "json"]
    file = measured(tmp_path / "m.txt", stop0=50 * SHALLOW)

    def mean(*more: str) -> float:
        assert main([*words, *more]) == 0
        return float(json.loads(capsys.readouterr().out)["present"]["mean_latency_ns"])

    assert mean("--measured", file) > 5 * mean()
