"""Published figures, reproduced to their last digit (tests/data/measured.json)."""

import io
import json
import math
from contextlib import redirect_stdout
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from idle_states.base.model.table import CedeRecord
from idle_states.cli import main
from idle_states.lab.statistics import outliers, schbench
from idle_states.lab.statistics.analysis import analyse
from idle_states.lab.statistics.histogram import histogram
from idle_states.lab.statistics.mmtests import percent
from idle_states.lab.statistics.sheet import histogram_lines
from idle_states.lab.statistics.summary import Dataset, Summary
from idle_states.lab.statistics.summary_rows import summary_row
from idle_states.tables.linux.pseries import latency_us
from tests.support import DATA

MEASURED: dict[str, Any] = json.loads((DATA / "measured.json").read_text("utf-8"))
SWITCHES = MEASURED["context_switch"]
SMT = MEASURED["smt_mask"]
BENCHES = ("pipe", "pipe_cede_off", "ebizzy")


def row(figures: list[float]) -> Summary:
    return summary_row([repr(figure) for figure in figures])


def stats(*words: str, status: int = 0) -> str:
    out = io.StringIO()
    with redirect_stdout(out):
        assert main(["stats", *words]) == status
    return out.getvalue()


def option(name: str, figures: list[float]) -> str:
    return f"--summary={name}=" + ",".join(repr(figure) for figure in figures)


# ministat


@pytest.mark.parametrize("pair", SWITCHES["expected"])
def test_context_switches(pair: str) -> None:
    first, second = pair.split()
    rows, expected = SWITCHES["rows"], SWITCHES["expected"][pair]
    words = [option(name, rows[name]) for name in (first, second)]
    text = stats("--ministat", "-c", "99", *words)
    head = "    N           Min           Max        Median           Avg        Stddev\n"
    body = text[text.index(head) + len(head) :]
    assert body.splitlines()[2:] == [
        "Difference at 99.0% confidence",
        f"\t{expected['difference']:g} +/- {expected['error']:g}",
        f"\t{expected['percent']:g}% +/- {expected['percent_error']:g}%",
        f"\t(Student's t, pooled s = {expected['pooled']:g})",
    ]
    again = [Dataset(name, None, row(rows[name])) for name in (first, second)]
    (found,) = analyse(again, Decimal(99), True, False).pairs
    for key, value in expected.items():
        computed = {
            "difference": found.comparison.difference,
            "error": found.comparison.error,
            "percent": found.comparison.percent,
            "percent_error": found.comparison.percent_error,
            "pooled": found.comparison.pooled,
        }[key]
        assert f"{computed:.6g}" == f"{value:.6g}"


def test_rows_are_printed_as_given() -> None:
    text = stats("--ministat", *(option(name, SWITCHES["rows"][name]) for name in "ABC"))
    assert text.startswith("x A\n+ B\n* C\n    N ")
    for line in (
        "x 100        222784        473466        294510     302295.26       45380.6",
        "+ 100        205316        609420        385198     396338.72     78135.648",
        "* 100        281790        710784        514878     510224.62     85163.252",
    ):
        assert f"{line}\n" in text


def test_exact_t_is_wider_than_the_tables() -> None:
    words = [option(name, SWITCHES["rows"][name]) for name in "AB"]
    found = json.loads(stats("--format", "json", *words))["comparisons"][0]
    assert found["t_needed"] == pytest.approx(2.6008872779905, abs=5e-13)
    assert found["error"] == pytest.approx(23276.2 * 2.6008872779905 / 2.576, rel=2e-6)
    assert found["verdict"] == "higher"
    assert "2.60089 needed, 198 degrees of freedom, exact" in stats(*words)


# mmtests


@pytest.mark.parametrize(("old", "new", "printed"), MEASURED["recently_used_cpu"]["rows"])
def test_percent_of_means(old: float, new: float, printed: float) -> None:
    change = percent(old, new)
    assert change is not None
    assert f"{change:.2f}" == f"{printed:.2f}"


def test_table_of_means(tmp_path: Path) -> None:
    names = [tmp_path / "old", tmp_path / "new"]
    rows = MEASURED["recently_used_cpu"]["rows"]
    for column, name in enumerate(names):
        name.write_text("".join(f"c{i} {r[column]}\n" for i, r in enumerate(rows)))
    assert stats("--mmtests", "--mean", "Hmean", *map(str, names)).splitlines() == [
        "Hmean     c0       287.54 (   0.00%)       817.01 ( 184.14%)",
        "Hmean     c1      1268.12 (   0.00%)      1781.24 (  40.46%)",
        "Hmean     c2      1739.68 (   0.00%)      1594.47 (  -8.35%)",
        "Hmean     c3      2464.12 (   0.00%)      2479.56 (   0.63%)",
        "Hmean     c4      1455.57 (   0.00%)      1434.68 (  -1.44%)",
    ]


# schbench


def test_printed_percentiles_are_middles_of_buckets() -> None:
    figures = MEASURED["schbench"]
    printed = [
        value
        for machine in ("cede", "cede_off")
        for values in figures[machine].values()
        for value in values
    ]
    assert len(printed) == 28
    assert all(schbench.is_printed(value) for value in printed)
    assert schbench.bounds(schbench.bucket(3452)) == (3448, 3455)
    for near in (3448, 3451, 3453, 3455):
        assert schbench.middle(schbench.bucket(near)) == 3452
        assert not schbench.is_printed(near)
    assert schbench.middle(schbench.bucket(3447)) == 3444
    assert schbench.middle(schbench.bucket(3456)) == 3460


def test_percentiles_from_samples() -> None:
    """10000 samples with these percentiles print them again."""
    figures = MEASURED["schbench"]
    for machine in ("cede", "cede_off"):
        for values in figures[machine].values():
            made: list[int] = []
            for share, value in zip(figures["percentiles"], values, strict=True):
                made += [value - (value > 512)] * (math.ceil(share / 100.0 * 10000) - len(made))
            made += [made[-1] + 5000] * (10000 - len(made))
            found = schbench.percentiles(made)
            assert [entry.value for entry in found] == values
            assert [entry.percent for entry in found] == figures["percentiles"]


def test_side_by_side_blocks(tmp_path: Path) -> None:
    figures = MEASURED["schbench"]
    lines = []
    for machine in ("cede", "cede_off"):
        lines.append("Latency percentiles (usec)\tLatency percentiles (usec)")
        for i, share in enumerate(figures["percentiles"]):
            star = "*" if share == 99 else ""
            without, with_ = figures[machine]["without"][i], figures[machine]["with"][i]
            lines.append(f"\t{star}{share:.4f}th: {without}   \t{star}{share:.4f}th: {with_}")
        lines.append("\tmin=0, max=9205         \tmin=0, max=9344")
    file = tmp_path / "mail"
    file.write_text("\n".join(lines))
    groups = json.loads(stats("--format", "json", str(file)))["schbench"]
    for group, machine in zip(groups, ("cede", "cede_off"), strict=True):
        for block, name in zip(group["blocks"], ("without", "with"), strict=True):
            assert [entry["value"] for entry in block["percentiles"]] == figures[machine][name]
        assert [block["max"] for block in group["blocks"]] == [9205, 9344]
    tail = groups[0]["blocks"][1]["percentiles"][-1]
    assert tail["bucket"] == [3448, 3455]
    assert tail["change_percent"] == pytest.approx(100 * (3452 - 76) / 76)
    text = stats(str(file))
    assert "99.9th    76  3452 [3448..3455] (+4442.11 %)" in text
    assert "not the middle" not in text


# The histogram


def samples_of(figures: list[float], counts: list[int]) -> list[float]:
    """Samples in the middle of their bins, and the one maximum."""
    low, high = figures[1], figures[2]
    width = (high - low) / 10
    made = [low + (i + 0.5) * width for i, count in enumerate(counts) for _ in range(count)]
    return [low, *made[1:], high]


@pytest.mark.parametrize("bench", BENCHES)
@pytest.mark.parametrize("which", ["without", "with"])
def test_histograms(bench: str, which: str) -> None:
    expected = SMT["histograms"][f"{bench} {which}"]
    figures = SMT[bench][which]
    found = histogram(samples_of(figures, expected["bins"]))
    assert found is not None
    assert found.n == figures[0]
    assert found.uncounted == 1
    rows = zip(
        expected["labels"], expected["bars"], expected["percent"], expected["bins"], strict=True
    )
    assert histogram_lines(found) == [
        f"{label} : {'#' * bar:<50}  {percent:3d}% ({count})" if count else f"{label} :"
        for label, bar, percent, count in rows
    ]


# Rows, and what depends on one sample


def test_rows_without_a_symbol() -> None:
    for bench in BENCHES:
        for figures in SMT[bench].values():
            found = row(figures)
            printed = [f"{value:.8g}" for value in (found.average, found.stddev)]
            assert printed == [f"{value:.8g}" for value in figures[4:]]


def test_one_maximum_hides_the_loss() -> None:
    rows = [row(SMT["pipe_cede_off"][name]) for name in ("without", "with")]
    reduced = outliers.without_maximum(rows[0])
    assert reduced is not None
    assert f"{100 * reduced.share:.1f}" == "98.5"
    words = [option(name, SMT["pipe_cede_off"][name]) for name in ("without", "with")]
    for method, t, error in ((["--ministat"], 2.576, "0.241"), ([], None, "0.244")):
        text = stats("--format", "json", "--audit-outliers", "-c", "99", *method, *words, status=1)
        (pair,) = json.loads(text)["comparisons"]
        assert pair["verdict"] == "none"
        again = {tuple(one["of"]): one for one in pair["without_maxima"]}
        hidden = again["without",]
        assert f"{hidden['percent']:.3f}" == "0.714"
        assert f"{hidden['percent_error']:.3f}" == error
        assert hidden["verdict"] == "higher"
        assert not hidden["survives"]
        assert again["with",]["survives"]
        if t is not None:
            assert hidden["t_needed"] == t
    assert "depends on one sample" in stats("--audit-outliers", *words, status=1)


def test_ebizzy_and_pipe_survive() -> None:
    for bench in ("pipe", "ebizzy"):
        words = [option(name, SMT[bench][name]) for name in ("without", "with")]
        assert "the conclusion survives" in stats("--audit-outliers", *words)
        assert "no difference proven at 99 % confidence" in stats(*words)


# Extended CEDE


@pytest.mark.parametrize("record", MEASURED["extended_cede"]["records"])
def test_extended_cede(record: dict[str, Any]) -> None:
    ticks = int(record["ticks"], 16)
    cede = CedeRecord(record["hint"], ticks, bool(record["wake_on_irq"]))
    assert latency_us(cede, 512_000_000) == record["us"] == math.ceil(ticks / 512)
