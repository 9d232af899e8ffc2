"""Several governors in one simulation."""

from pathlib import Path

from idle_states.lab.simulation.said import NO_ORACLE
from tests.support.commands import Capture, document, run

WORDS = ("simulate", "server", "--table", "power9", "--table", "power9-dd1", "--kernel", "6.12")
SHORT = ("--duration", "20ms", "--runs", "3")


def test_each_governor_as_alone(capsys: Capture) -> None:
    both = ("--governor", "menu", "--governor", "teo")
    tables = document(capsys, *WORDS, *SHORT, *both)["tables"]
    assert [each["table"] for each in tables] == [
        f"{table}, {governor}" for table in ("power9", "power9-dd1") for governor in ("menu", "teo")
    ]
    for number, governor in enumerate(("menu", "teo")):
        alone = document(capsys, *WORDS, *SHORT, "--governor", governor)["tables"]
        for one, own in zip(tables[number::2], alone, strict=True):
            assert {**one, "table": own["table"]} == own
            assert own["governor"] == governor


def test_intervals_over_the_seeds(capsys: Capture) -> None:
    (table,) = document(capsys, "simulate", "server", "--table", "power9", *SHORT)["tables"]
    for counter, key in (("above", "too_deep"), ("below", "too_shallow")):
        counted = [
            sum(state[counter] for cpu in one["cpus"].values() for state in cpu["states"])
            for one in table["runs"]
        ]
        assert table[key]["min"] == min(counted)
        assert table[key]["max"] == max(counted)
        assert table[key]["mean"] == round(sum(counted) / len(counted), 6)
    assert table["too_shallow"]["min"] < table["too_shallow"]["max"]


def test_as_text(capsys: Capture, tmp_path: Path) -> None:
    words = ("simulate", "ping-pong", "--table", "power9", "--duration", "5ms")
    _, alone, _ = run(capsys, *words, "--governor", "menu")
    assert run(capsys, *words)[1] == alone == run(capsys, *words, *["--governor", "menu"] * 2)[1]
    assert NO_ORACLE not in alone
    page = tmp_path / "page.html"
    _, both, _ = run(
        capsys, *words, *("--governor", "menu", "--governor", "teo", "--html", str(page))
    )
    assert NO_ORACLE in both
    assert "Governors compared" in page.read_text()
