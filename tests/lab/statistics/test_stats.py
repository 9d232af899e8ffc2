"""stats: what it reads, what it says, and what it refuses."""

import copy
import io
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.base.model.findings import Unreadable
from idle_states.lab.statistics import mmtests, percentile_blocks, reading, summary_rows
from tests.base.report.test_output_schema import OUTPUT, STRICT
from tests.support import commands
from tests.support.thorough import examples

Validator = jsonschema.Draft202012Validator
ROW_A = "100,222784,473466,294510,302295.26,45380.6"
ROW_B = "100,205316,609420,385198,396338.72,78135.648"
HEAD = "  N    Min    Max    Median    Avg    Stddev\n"
BLOCK = "Latency percentiles (usec)\n50.0th: 21\n"
TABLE = "Hmean x 5.00 ( 0.00%) 6.00 ( 20.00%)\n"
NEW_BLOCK = """\
Wakeup Latencies percentiles (usec) runtime {runtime} (s) ({n} total samples)
\t  50.0th: 9          (200 samples)
\t* 99.0th: {tail:<10} (90 samples)
\t  min=1, max=4000
Request Latencies percentiles (usec) runtime {runtime} (s) ({n} total samples)
\t  50.0th: 4520       (200 samples)
\t* 99.0th: 9136       (90 samples)
\t  min=2000, max=9900
"""


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    return commands.run(capsys, "stats", *words)


def body(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    status, out, err = run(capsys, *words, "--format", "json")
    assert status in (0, 1), err
    document: dict[str, Any] = json.loads(out)
    Validator(STRICT).validate(document)
    Validator(OUTPUT).validate(document)
    return document


@pytest.fixture
def file(tmp_path: Path) -> Any:
    def write(name: str, text: str) -> str:
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


# Reading


def test_samples(capsys: pytest.CaptureFixture[str], file: Any) -> None:
    first = file("a", "# runs\n1\n\n2.5e0\n.5 # low\r\n4.\n")
    found = body(capsys, first)
    (one,) = found["sets"]
    assert (one["n"], one["min"], one["max"], one["median"]) == (4, 0.5, 4.0, 1.75)
    assert one["average"] == 2.0
    assert found["comparisons"] == []
    assert found["method"] == "exact"
    assert found["inputs"][0]["file"] == first


def test_columns(capsys: pytest.CaptureFixture[str], file: Any) -> None:
    rows = file("a", "x,1;7\ny;2,8\nz,3,9\n")
    found = body(capsys, "-C", "3", "-d", ",;", rows)
    assert found["sets"][0]["average"] == 8.0


def test_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, file: Any
) -> None:
    text = io.TextIOWrapper(io.BytesIO(b"1\n2\n3\n"))
    monkeypatch.setattr("sys.stdin", text)
    status, out, _ = run(capsys, "--ministat", "-A", file("a", "5\n6\n7\n"), "-")
    assert status == 0
    assert out.splitlines()[1] == "+ <stdin>"


def test_rows_of_ministats_output(capsys: pytest.CaptureFixture[str], file: Any) -> None:
    if shutil.which("ministat") is None:
        pytest.skip("ministat is not installed (Debian package ministat)")
    names = [file("old", "1\n2\n3\n4\n5\n"), file("new", "11\n12\n13\n14\n17\n")]
    printed = subprocess.run(["ministat", *names], capture_output=True, text=True, check=True)
    mail = file("mail", f"Hello,\n\n{printed.stdout}\nRegards\n{printed.stdout}")
    found = body(capsys, mail)
    assert [one["name"] for one in found["sets"]] == names * 2
    direct = body(capsys, *names)
    for key in ("verdict", "difference", "t_needed", "degrees_of_freedom"):
        assert found["comparisons"][0][key] == direct["comparisons"][0][key]
    assert found["comparisons"][0]["error"] == pytest.approx(
        direct["comparisons"][0]["error"], rel=1e-7
    )


def test_rows_without_symbols(capsys: pytest.CaptureFixture[str], file: Any) -> None:
    head = "  N           Min           Max        Median           Avg        Stddev"
    text = (
        f"Without patch\n{head}\n101      5.095113      5.595269      5.204842     5.2298776"
        f"    0.10762713\n\n5.1 - 5.5 : ###   94% (95)\n\nWith patch\n{head}\n"
        "101      5.134675      8.524719      5.207658     5.2780985    0.34911969\n"
    )
    name = file("mail", text)
    found = body(capsys, name)
    assert [one["name"] for one in found["sets"]] == ["Without patch", "With patch"]
    assert found["comparisons"][0]["verdict"] == "none"


def test_rows_beside_files(capsys: pytest.CaptureFixture[str], file: Any) -> None:
    found = body(capsys, file("a", "1\n2\n3\n"), "--summary", "b=c=3,11,13,12,12,1")
    assert [one["name"] for one in found["sets"]][1] == "b=c"
    assert found["comparisons"][0]["difference"] == 10.0


def test_schbench_runs_print_blocks_each_interval(
    capsys: pytest.CaptureFixture[str], file: Any
) -> None:
    names = [
        file("old", NEW_BLOCK.format(runtime=10, n=290, tail=50)
                    + NEW_BLOCK.format(runtime=20, n=580, tail=60)),
        file("new", NEW_BLOCK.format(runtime=20, n=580, tail=90)),
    ]  # fmt: skip
    wakeup, request = body(capsys, *names)["schbench"]
    assert (wakeup["label"], request["label"]) == ("Wakeup Latencies", "Request Latencies")
    assert wakeup["left_out"] == 1
    assert [b["percentiles"][1]["value"] for b in wakeup["blocks"]] == [60, 90]
    assert wakeup["blocks"][1]["percentiles"][1]["change_percent"] == 50.0
    assert wakeup["blocks"][0]["percentiles"][0]["samples"] == 200
    assert request["blocks"][0]["percentiles"][0]["bucket"] == [4512, 4527]
    _, out, _ = run(capsys, *names)
    assert "1 earlier block left out" in out
    assert "4520 [4512..4527]" in out


def test_values_schbench_does_not_print(capsys: pytest.CaptureFixture[str], file: Any) -> None:
    _, out, _ = run(capsys, file("a", "Latency percentiles (usec)\n50.0th: 7\n99.0th: 3450\n"))
    assert "not the middle of a bucket, so not printed by schbench itself: 3450" in out


def test_schbench_of_samples(capsys: pytest.CaptureFixture[str], file: Any) -> None:
    # 99.9 / 100.0 * 1000 is a little more than 999 in schbench's doubles
    values = [*range(1, 1000), 5000]
    _, out, _ = run(capsys, "--schbench", file("a", "\n".join(map(str, values))))
    assert out == (
        "Latency percentiles (usec)\n\t50.0th: 500\n\t75.0th: 751\n\t90.0th: 901\n"
        "\t95.0th: 951\n\t*99.0th: 991\n\t99.5th: 995\n\t99.9th: 5000\n\tmin=1, max=5000\n"
    )
    two = body(capsys, "--schbench", file("b", "1\n2\n"), file("c", "3\n4\n"))
    assert len(two["schbench"][0]["blocks"]) == 2


def test_histogram(capsys: pytest.CaptureFixture[str], file: Any) -> None:
    names = [file("a", "0\n1\n1\n5\n10\n10\n"), file("b", "3\n3\n")]
    found = body(capsys, "--histogram", *names)["histograms"]
    assert [one["count"] for one in found[0]["bins"]] == [1, 2, 0, 0, 0, 1, 0, 0, 0, 0]
    assert found[0]["at_maximum"] == 2
    assert found[1] == {"name": names[1], "at_maximum": None, "bins": []}
    _, out, _ = run(capsys, "--histogram", *names)
    assert "not in a bin: 2 samples at the maximum" in out
    assert "all samples are equal" in out
    assert f" 1 - 2  : {'#' * 50}   33% (2)\n" in out


def test_table_that_contradicts_its_means(capsys: pytest.CaptureFixture[str], file: Any) -> None:
    good = "Hmean     mb/sec-1      287.54 (   0.00%)      817.01 ( 184.14%)\n"
    time = "Amean     2              10.00 (   0.00%)        8.00 *  20.00%*\n"
    status, out, _ = run(capsys, file("good", f"                 old   new\n{good}{time}"))
    assert status == 0
    assert "287.54 (   0.00%)       817.01 ( 184.14%)" in out
    assert "10.00 (   0.00%)         8.00 *  20.00%*" in out
    name = file("bad", f"{good}{good.replace('184.14', '148.14')}")
    status, out, _ = run(capsys, name)
    assert status == 1
    assert "line 2: Hmean mb/sec-1: 148.14% is printed, the means give 184.14%" in out
    cells = body(capsys, name)["mmtests"][1]["cells"]
    assert [cell["follows"] for cell in cells] == [True, False]


def test_means_of_named_samples(capsys: pytest.CaptureFixture[str], file: Any) -> None:
    names = [file("a", "x 2 4\ny 10\nx 6\n"), file("b", "y 5\nx 8 8\n")]
    rows = body(capsys, "--mmtests", "--lower-is-better", *names)["mmtests"]
    assert [(row["label"], row["name"]) for row in rows] == [("Amean", "x"), ("Amean", "y")]
    assert [cell["value"] for cell in rows[0]["cells"]] == [4.0, 8.0]
    assert [row["cells"][1]["percent"] for row in rows] == [-100.0, 50.0]
    harmonic = body(capsys, "--mmtests", "--mean", "Hmean", *names)["mmtests"]
    assert harmonic[0]["cells"][0]["value"] == pytest.approx(3 / (1 / 2 + 1 / 4 + 1 / 6))


def test_mean_of_what_is_better_when_lower(capsys: pytest.CaptureFixture[str], file: Any) -> None:
    names = [file("a", "x 2 4\n"), file("b", "x 6\n"), file("c", "x 3\n")]
    words = ["--mmtests", "--lower-is-better", *names]
    _, out, _ = run(capsys, *words)
    assert "3.00 (   0.00%)         6.00 (-100.00%)         3.00 (   0.00%)" in out
    cells = body(capsys, *words)["mmtests"][0]["cells"]
    assert [str(cell["percent"]) for cell in cells] == ["0.0", "-100.0", "0.0"]
    assert [cell["significant"] for cell in cells] == [None] * 3


def test_missing_means_keep_their_place(capsys: pytest.CaptureFixture[str], file: Any) -> None:
    name = file(
        "a",
        "Hmean x 5.00 ( 0.00%) nan ( nan%) 6.00 ( 20.00%)\n"
        "Hmean y 5.00 ( 0.00%) 0.00 ( 0.00%) 6.00 ( 20.00%)\n"
        "Stddev z 5.00 ( 0.00%) 0.00 ( 100.00%) 6.00 ( -20.00%)\n"
        "Hmean w nan ( nan%) 7.00 ( nan%) 6.00 ( 0.00%)\n",
    )
    status, out, _ = run(capsys, name)
    assert status == 0
    assert out.splitlines()[0] == (
        "Hmean     x         5.00 (   0.00%)          nan (      -%)         6.00 (  20.00%)"
    )
    rows = body(capsys, name)["mmtests"]
    assert [[cell["value"] for cell in row["cells"]] for row in rows] == [
        [5.0, None, 6.0], [5.0, 0.0, 6.0], [5.0, 0.0, 6.0], [None, 7.0, 6.0]
    ]  # fmt: skip
    assert [[cell["percent"] for cell in row["cells"]] for row in rows] == [
        [0.0, None, 20.0], [0.0, None, 20.0], [0.0, 100.0, -20.0], [None, None, None]
    ]  # fmt: skip


def test_one_sense_of_better_a_row(capsys: pytest.CaptureFixture[str], file: Any) -> None:
    name = file("a", "Amean x 10.00 ( 0.00%) 8.00 ( 20.00%) 8.00 ( -20.00%)\n")
    status, out, _ = run(capsys, name)
    assert status == 1
    assert "line 1: Amean x: -20.00% is printed, the means give 20.00%" in out
    cells = body(capsys, name)["mmtests"][0]["cells"]
    assert [cell["follows"] for cell in cells] == [True, True, False]
    assert [cell["percent"] for cell in cells] == [0.0, 20.0, 20.0]


def test_marks_and_names_of_a_table_are_kept(capsys: pytest.CaptureFixture[str], file: Any) -> None:
    text = (
        "Results:\n"
        "                   5.3.0-rc1              5.3.0-rc1\n"
        "                     vanilla                recent1\n"
        "Hmean     1        287.54 (   0.00%)      817.01 * 184.14%*\n"
        "Hmean     2       1268.12 (   0.00%)     1270.00 (   0.15%)\n"
    )
    for name in (file("a", text), file("b", "".join(f"> > {x}\n" for x in text.splitlines()))):
        _, out, _ = run(capsys, name)
        assert out.splitlines() == [
            "                          5.3.0-rc1               5.3.0-rc1",
            "                            vanilla                 recent1",
            "Hmean     1       287.54 (   0.00%)       817.01 * 184.14%*",
            "Hmean     2      1268.12 (   0.00%)      1270.00 (   0.15%)",
        ]
        cells = [row["cells"] for row in body(capsys, name)["mmtests"]]
        assert [cell["significant"] for cell in cells[0]] == [False, True]
        assert cells[1][1]["significant"] is False
        assert [cell["column"] for cell in cells[0]] == ["5.3.0-rc1 vanilla", "5.3.0-rc1 recent1"]
    for option in (["--lower-is-better"], ["--mean", "Hmean"]):
        status, _, err = run(capsys, "--mmtests", *option, name)
        assert status == 2
        assert "expected samples for --mean and --lower-is-better, found an mmtests table" in err


def test_quoted_and_indented_rows(capsys: pytest.CaptureFixture[str], file: Any) -> None:
    printed = f"x old\n+ new one\n+--+\n|x+|\n{HEAD}x 3 1 3 2 2 1\n+ 3 2 4 3 3 1\n"
    for prefix in ("> ", ">> ", "> > ", "    ", ">     "):
        name = file("a", "".join(f"{prefix}{line}\n" for line in printed.splitlines()))
        assert [one["name"] for one in body(capsys, name)["sets"]] == ["old", "new one"]
    assert body(capsys, file("b", "> 5\n> > 6\n>7\n"))["sets"][0]["max"] == 7.0


def test_labelled_rows(capsys: pytest.CaptureFixture[str], file: Any) -> None:
    rows = "without 3 1 3 2 2 1\nwith patch: 3 2 4 3 3 1\nx new 3 2 4 3 3 1\n"
    names = [one["name"] for one in body(capsys, file("a", HEAD + rows))["sets"]]
    assert names == ["without", "with patch", "new"]


def test_what_is_no_row(capsys: pytest.CaptureFixture[str], file: Any) -> None:
    around = (
        "* 5 runs of 100 loops each\nDifference at 99.0% confidence\n\t94043.5 +/- 23276.2\n"
        "\t31.1098% +/- 7.69983%\n 5.10 - 5.15 : ####  23% (24)\n7.2 - 7.5 :\n"
    )
    text = f"{around}{HEAD}3 1 3 2 2 1\n{around}3 2 4 3 3 1\n{around}-- \n2.39.2\n"
    assert len(body(capsys, file("a", text))["sets"]) == 2


def test_every_form_in_a_mail(capsys: pytest.CaptureFixture[str], file: Any) -> None:
    sides = "Latency percentiles (usec)\tLatency percentiles (usec)\n50.0th: 5\t50.0th: 7\n"
    name = file("mail", f"Hello,\n\n{sides}\n{HEAD}3 1 3 2 2 1\n3 2 4 3 3 1\n\n{TABLE}")
    found = body(capsys, name, "-c", "95", "--audit-outliers")
    assert len(found["schbench"][0]["blocks"]) == 2
    assert len(found["comparisons"][0]["without_maxima"]) == 3
    assert found["mmtests"][0]["name"] == "x"
    _, out, _ = run(capsys, name)
    parts = ("7 (+40.00 %)", "Hmean     x", "no difference proven at 99 % confidence")
    assert sorted(parts, key=out.index) == list(parts)
    for option in ("--ministat", "--histogram", "--schbench", "--mmtests"):
        status, _, err = run(capsys, option, name)
        assert status == 2
        assert "found summary rows and schbench percentiles and an mmtests table" in err


def test_two_blocks_of_a_heading(capsys: pytest.CaptureFixture[str], file: Any) -> None:
    old, new = (f"{BLOCK}99.0th: {tail}\n min=1, max=99\n" for tail in (48, 60))
    stacked = file("a", f"w/o patch:\n{old}\nw/ patch:\n{new}")
    (group,) = body(capsys, stacked)["schbench"]
    assert [block["name"] for block in group["blocks"]] == [f"{stacked}:3", f"{stacked}:9"]
    assert group["blocks"][1]["percentiles"][1]["change_percent"] == 25.0
    assert len(body(capsys, file("b", old + new + old))["schbench"]) == 3
    # two intervals of one run are no comparison
    interval = [NEW_BLOCK.format(runtime=time, n=290, tail=50) for time in (10, 20)]
    assert len(body(capsys, file("c", "".join(interval)))["schbench"]) == 4
    assert len(body(capsys, file("d", interval[0] * 2))["schbench"]) == 2


def test_another_reference(capsys: pytest.CaptureFixture[str], file: Any) -> None:
    name = file("a", f"{HEAD}one 3 1 3 2 2 1\ntwo 3 2 4 3 3 1\nthree 3 3 5 4 4 1\n")
    found = body(capsys, name, "--reference", "2")["comparisons"]
    assert [(one["reference"], one["set"]) for one in found] == [("two", "one"), ("two", "three")]
    assert [one["difference"] for one in found] == [-1.0, 1.0]


# Verdicts


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--summary", f"A={ROW_A}", "--summary", f"B={ROW_B}"]
    status, out, _ = run(capsys, *words)
    assert status == 0
    assert out.splitlines()[4:] == [
        "B against A: higher at 99 % confidence",
        "  difference   94043.5 +/- 23501.1",
        "  percent      31.1098 % +/- 7.77422 % of the average of A",
        "  Student's t  10.4079; 2.60089 needed, 198 degrees of freedom, exact; p 1.63e-20",
        "  pooled s     63892.8",
    ]
    _, out, _ = run(capsys, *words[2:], *words[:2])
    assert "A against B: lower at 99 % confidence" in out


def test_nothing_varies(capsys: pytest.CaptureFixture[str], file: Any) -> None:
    names = [file("a", "0\n0\n"), file("b", "0\n0\n"), file("c", "4\n4\n")]
    same, other = body(capsys, *names)["comparisons"]
    assert (same["verdict"], same["t"], same["p"]) == ("none", None, None)
    assert (other["verdict"], other["t"], other["percent"]) == ("higher", None, None)
    assert "none, nothing varies" in run(capsys, *names)[1]


def test_one_outlier_decides(capsys: pytest.CaptureFixture[str], file: Any) -> None:
    base = "\n".join(str(100 + i % 7) for i in range(50))
    slow = "\n".join(str(104 + i % 7) for i in range(49))
    names = [file("a", base), file("b", f"{slow}\n900")]
    assert body(capsys, *names)["comparisons"][0]["verdict"] == "none"
    status, out, _ = run(capsys, "--audit-outliers", *names)
    assert status == 1
    assert "another conclusion" in out
    assert "depends on one sample" in out
    found = body(capsys, "--audit-outliers", *names)
    assert [one["survives"] for one in found["comparisons"][0]["without_maxima"]] == [
        True, False, False
    ]  # fmt: skip
    assert found["sets"][1]["without_maximum"]["share_of_squares"] > 0.99
    status, out, _ = run(capsys, "--audit-outliers", "--ministat", *names)
    assert status == 1
    assert out.index("No difference proven at 95.0%") < out.index("without the one maximum")


def test_a_row_with_too_few_digits(capsys: pytest.CaptureFixture[str], file: Any) -> None:
    """One sample a thousand times the others leaves nothing of them in eight digits."""
    shape = [(7 * i) % 41 for i in range(99)]
    first = [4980 + x for x in shape] + [5_000_000]
    other = [4995 + x for x in shape] + [5010]
    names = [file("a", "\n".join(map(str, first))), file("b", "\n".join(map(str, other)))]
    found = body(capsys, "--audit-outliers", *names)
    assert [again["survives"] for again in found["comparisons"][0]["without_maxima"]] == [
        False, True, False
    ]  # fmt: skip
    rows = [
        "{n},{min:.8g},{max:.8g},{median:.8g},{average:.8g},{stddev:.8g}".format(**one)
        for one in found["sets"]
    ]
    words = ["--audit-outliers", "--summary", f"a={rows[0]}", "--summary", f"b={rows[1]}"]
    (pair,) = body(capsys, *words)["comparisons"]
    assert [(again["survives"], again["verdict"]) for again in pair["without_maxima"]] == [
        (None, None), (True, "none"), (None, None)
    ]  # fmt: skip
    status, out, _ = run(capsys, *words)
    assert status == 0
    assert out.count("the rows have too few digits to tell") == 2
    assert "  these rows cannot show whether the conclusion survives\n" in out


def test_percent_of_next_to_nothing(capsys: pytest.CaptureFixture[str], file: Any) -> None:
    """It is no double: null, as in JSON there is no infinity."""
    names = [file("a", "1e-300\n" * 3), file("b", "1e90\n2e90\n3e90\n")]
    words = ["--ministat", "--audit-outliers", *names]
    text = json.dumps(body(capsys, *words))
    assert "Infinity" not in text
    assert '"percent": null' in text
    _, out, _ = run(capsys, *words)
    assert "inf %" not in out
    values = [file("c", "x 1e-300\n"), file("d", "x 1e100\n")]
    assert body(capsys, "--mmtests", *values)["mmtests"][0]["cells"][1]["percent"] is None


def test_every_key_is_required(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--summary", ROW_A, "--summary", ROW_B, "--audit-outliers"]
    document = body(capsys, *words)
    for path in (
        ("sets", 0, "average"),
        ("sets", 0, "without_maximum", "share_of_squares"),
        ("comparisons", 0, "p"),
        ("comparisons", 0, "without_maxima", 0, "survives"),
        ("schbench",),
        ("method",),
    ):
        changed = copy.deepcopy(document)
        node: Any = changed
        for key in path[:-1]:
            node = node[key]
        del node[path[-1]]
        assert not Validator(OUTPUT).is_valid(changed), path


# What is refused


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1\nnan\n3\n", ":2:1: error: expected a number, found 'nan'"),
        ("1\n\n-inf\n", ":3:1: error: expected a number, found '-inf'"),
        ("1\n-3\n", ":2:1: error: expected a sample of 0 or more, found '-3'"),
        ("1\n1e101\n", ":2:1: error: expected a sample of at most 1e+100"),
        ("1\n1e999\n", ":2:1: error: expected a sample of at most 1e+100"),
        ("1\n0x10\n", "expected a number, found '0x10'"),
        ("1\n1_0\n", "expected a number, found '1_0'"),
        ("1\n\u0663\n", r"expected a number, found '\u0663'"),
        ("1\n", "error: expected at least 2 samples, found 1"),
        ("# nothing\n", "error: expected at least 2 samples, found 0"),
        ("\n \n", "found nothing"),
        ("  N Min Max Median Avg Stddev\n", "expected rows below N Min Max Median Avg Stddev"),
        ("N Min Max Median Avg Stddev\n5 1 2 9 1 0\n", ":2:1: error: expected Median from Min"),
        ("N Min Max Median Avg Stddev\nx 5 1 2 1 1 -nan\n", "Stddev to be a number, found '-nan'"),
        ("50.0th: 5\n75.0th: 3\n", ":2:1: error: expected percentiles and values to rise"),
        ("50.0th: 5  50.0th: 6\n75.0th: 7\n", ":2:1: error: expected 2 percentiles, found 1"),
        ("500.0th: 5\n", "expected a percentile up to 100, found 500.0"),
        (f"{BLOCK}99.0th: 1,266\n", ":3:1: error: expected percentiles such as 50.0th: 21, found"),
        (f"{BLOCK}99.0th: 12.5\n", ":3:1: error: expected percentiles such as 50.0th: 21, found"),
        (f"{BLOCK}  *99.0th: -5\n", ":3:1: error: expected percentiles such as 50.0th: 21"),
        ("50.0th: 5  50.0th: 5,1\n75.0th: 7  75.0th: 9\n", ":1:1: error: expected percentiles"),
        ("99.0th: 12.5\n", ":1:1: error: expected percentiles such as"),
        ("50.0th: 5 (5,282 samples)\n", ":1:1: error: expected percentiles such as"),
        (f"{BLOCK}min=1, max=6,341\n", ":3:1: error: expected extremes such as min=1, max=4000"),
        (f"{BLOCK}\n5\n6\n7\n", ":4:1: error: expected schbench percentiles alone, found samples"),
        (f"{HEAD}x 3 1 3 2 2 1\n+ 5, 1 2 1 1 0\n", ":3:1: error: expected N to be a whole"),
        (f"{HEAD}x 3 1 3 2 2 1\n@ 5 1 2 1 1\n0.5\n", ":3:1: error: expected N,Min,Max,Median"),
        (f"{HEAD}3 1 3 2 2 1\n5 1 2 1 1\n0.5\n", ":3:1: error: expected N,Min,Max,Median"),
        (f"{HEAD}3 1 3 2 2 1\n5 1 two 1 1 0.5\n", ":3:1: error: expected Max to be a number"),
        (f"{HEAD}with 5 1 2 1 1 0.5 7\n", ":2:1: error: expected N,Min,Max,Median,Avg,Stddev"),
        (f"{HEAD}with 5 1 2 1 1\n", ":2:1: error: expected N,Min,Max,Median,Avg,Stddev"),
        (f"{HEAD}nothing\n", ":1:1: error: expected rows below N Min Max Median Avg Stddev"),
        (f"x 5 1 2 1 1 0.5\n{HEAD}x 3 1 3 2 2 1\n", ":1:1: error: expected N Min Max Median"),
        (f"{HEAD}3 1 3 2 2 1\n50\n60\n", ":3:1: error: expected summary rows alone, found"),
        (f"{HEAD}3 1 3 2 2 1\n50 # ms\n60\n", ":3:1: error: expected summary rows alone, found"),
        (f"{HEAD}3 1 3 2 2 1\n50\n", ":3:1: error: expected a row, found '50' alone"),
        (f"{HEAD}5 1e-101 2 1 1 0.5\n", ":2:1: error: expected Min to be 0 or at least 1e-100"),
        ("1e-200\n2e-200\n3e-200\n", ":1:1: error: expected a sample of 0 or at least 1e-100"),
        (f"{TABLE}Hmean y 5.00 ( 0.00%)\n", ":2:1: error: expected 2 means as in the row above"),
        (f"{TABLE}Hmean y 5.00 ( 0.00%) -3.00 ( 20.00%)\n", ":2:1: error: expected a mean of 0"),
        (f"{TABLE}Hmean y 5.00 ( 0.00%) 1,266.00 ( 20.00%)\n", ":2:1: error: expected a mean or"),
        (f"{TABLE}Hmean y 5.00 ( 0.00%) 6.00 ( inf%)\n", ":2:1: error: expected a mean or percent"),
        (f"{TABLE}Hmean y 5.00 ( 0.00%) and 6.00 ( 20.00%)\n", ":2:1: error: expected means with"),
        (f"{TABLE}Hmean y 5.00 ( 0.00%)\n 6.00 ( 20.00%)\n", ":2:1: error: expected 2 means"),
        ("Hmean y 5.00 ( 0.00%)\n 6.00 ( 20.00%)\n", ":2:1: error: expected a label before"),
        (f"{TABLE}\n5\n6\n", ":3:1: error: expected an mmtests table alone, found samples"),
    ],
)
def test_bad_files(capsys: pytest.CaptureFixture[str], file: Any, text: str, said: str) -> None:
    status, out, err = run(capsys, file("bad", text))
    assert status == 3
    assert said in err
    assert out == ""
    assert "Traceback" not in err


def test_ministat_wants_three(capsys: pytest.CaptureFixture[str], file: Any) -> None:
    status, _, err = run(capsys, "--ministat", file("a", "1\n2\n"))
    assert status == 3
    assert "expected at least 3 samples, found 2" in err


def test_short_line(capsys: pytest.CaptureFixture[str], file: Any) -> None:
    status, _, err = run(capsys, "-C", "2", file("a", "1 2\n3\n"))
    assert status == 3
    assert ":2:1: error: expected 2 columns, found 1" in err


def test_unequal_files(capsys: pytest.CaptureFixture[str], file: Any) -> None:
    blocks = [file("a", "50.0th: 5\n99.0th: 9\n"), file("b", "50.0th: 5\n99.9th: 9\n")]
    status, _, err = run(capsys, *blocks)
    assert status == 3
    assert f"expected the percentiles 50, 99 as in {blocks[0]}, found 50, 99.9" in err
    other = file("c", "Latency percentiles (usec)\n50.0th: 5\n99.0th: 9\n")
    status, _, err = run(capsys, blocks[0], other)
    assert status == 3
    assert "expected percentiles of no heading" in err
    sides = file("d", "50.0th: 5 50.0th: 6\n")
    assert "expected one column of percentiles" in run(capsys, blocks[0], sides)[2]
    named = [file("e", "x 1\ny 2\n"), file("f", "x 1\n")]
    status, _, err = run(capsys, "--mmtests", *named)
    assert status == 3
    assert f"expected samples of 'y' as in {named[0]}" in err
    status, _, err = run(capsys, blocks[0], file("g", "1\n2\n"))
    assert status == 2
    assert "expected files of one kind" in err


def test_fractions_have_no_bucket(capsys: pytest.CaptureFixture[str], file: Any) -> None:
    for value in ("1.5", "4294967296"):
        status, _, err = run(capsys, "--schbench", file("a", f"1\n{value}\n"))
        assert status == 3
        assert "expected whole microseconds up to 4294967295" in err
        assert "sample 2" in err


def test_means_and_percentiles_are_not_compared(
    capsys: pytest.CaptureFixture[str], file: Any
) -> None:
    for form, text in (("--schbench", "1\n2\n"), ("--mmtests", "x 1\n")):
        status, _, err = run(capsys, form, "-c", "95", file("a", text))
        assert status == 2
        assert f"expected samples or summary rows for --confidence, found {form}" in err


def test_forms_want_their_files(capsys: pytest.CaptureFixture[str], file: Any) -> None:
    blocks = file("a", "50.0th: 5\n99.0th: 9\n")
    table = file("b", "Hmean x 1.00 ( 0.00%) 2.00 ( 100.00%)\n")
    for name in (blocks, table):
        for option in (
            ["--ministat"], ["--histogram"], ["--audit-outliers"], ["-c", "95"],
            ["--reference", "1"],
        ):  # fmt: skip
            status, _, err = run(capsys, *option, name)
            assert status == 2
            assert "expected samples or summary rows" in err
            assert "found schbench percentiles" in err or "found an mmtests table" in err


def test_missing_file_and_directory(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name in (str(tmp_path), str(tmp_path / "none")):
        status, _, err = run(capsys, name)
        assert status == 3
        assert name in err


@settings(max_examples=examples(50, 200), deadline=None)
@given(
    st.text(st.sampled_from("0123456789.eE+-th: ()%*#NMinaxvgStdeMedian\n\tx\0"), max_size=80)
    | st.binary(max_size=60).map(lambda data: data.decode("latin-1"))
)
def test_any_text_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(text.encode("latin-1", "replace"))
    readers = (
        reading.samples,
        reading.named_samples,
        summary_rows.rows,
        percentile_blocks.blocks,
        mmtests.table,
    )
    for read in readers:
        refused = []
        try:
            read(reading.open_file(str(path)))
        except Unreadable as error:
            refused.append(str(error))
        assert all(str(path) in message for message in refused)
