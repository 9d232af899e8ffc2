"""Results as they are mailed: broken rows, no-break spaces, several blocks in one mail."""

import json
import quopri
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.model.findings import Unreadable
from idle_states.cli import main
from idle_states.lab.statistics.answer import StatsResult, stats
from idle_states.lab.statistics.reading import open_file
from idle_states.lab.statistics.request import StatsRequest
from idle_states.lab.statistics.wrapped_rows import rejoined

HEAD = "  N           Min           Max        Median           Avg        Stddev"
PIPE = """\
bench pipe
usec/ops : lesser is better
Without patch
  N           Min           Max        Median           Avg        Stddev
40      2.125      3.875      2.5      2.
6171875    0.
40322581
2.1 - 2.3 : ####     9% (4)
With patch
  N           Min           Max        Median           Avg        Stddev
40      2.25      4.5      2.625      2.7421875      0.
5170312
2.2 - 2.4 : ####     9% (4)
Observations: the patch takes longer.
bench ops:
transactions per second (higher is better)
without patch
  N           Min           Max        Median           Avg        Stddev
30
1200       1900       1500       1510.5       120.25
with patch
  N           Min           Max        Median           Avg        Stddev
30
1100       2000       1550
1560.25       130.5
"""


def written(tmp_path: Path, text: str | bytes) -> str:
    file = tmp_path / "mail.txt"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(file)


def compared(tmp_path: Path, text: str | bytes) -> StatsResult:
    return stats(StatsRequest((written(tmp_path, text),)))


def test_broken_rows_are_joined_and_compared_by_their_captions(tmp_path: Path) -> None:
    found = compared(tmp_path, PIPE.replace(" ", "\u00a0"))
    assert found.analysis is not None
    assert [(s.average, s.stddev) for s in found.analysis.summaries] == [
        (2.6171875, 0.40322581),
        (2.7421875, 0.5170312),
        (1510.5, 120.25),
        (1560.25, 130.5),
    ]
    assert [d.name for d in found.analysis.datasets] == [
        "bench pipe: Without patch",
        "bench pipe: With patch",
        "bench ops: without patch",
        "bench ops: with patch",
    ]
    assert [(p.reference, p.other) for p in found.analysis.pairs] == [(0, 1), (2, 3)]
    assert [p.comparison.difference for p in found.analysis.pairs] == [0.125, 49.75]
    assert len(found.remarks) == 4
    assert found.remarks[0].endswith(":5: a row that a mailer broke is joined again")


def test_each_block_is_compared_by_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    block = f"x old\n+ {{}}\n{HEAD}\nx 10 1 9 5 5 2\n+ 10 2 12 6 {{}} 3\n"
    file = written(tmp_path, block.format("first", 7) + block.format("second", 8))
    assert main(["stats", file, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["comparisons"]
    pairs = [(one["reference"], one["set"], one["difference"]) for one in found]
    assert pairs == [("old", "first", 2), ("old", "second", 3)]
    assert main(["stats", file, "--ministat"]) == 0
    assert capsys.readouterr().out.count("x old\n") == 2
    assert main(["stats", file, "--reference", "2", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["comparisons"]
    assert {one["reference"] for one in found} == {"first"}
    assert len(found) == 3


def test_encoded_mails_are_decoded(tmp_path: Path) -> None:
    head = b"Subject: x\nContent-Transfer-Encoding: quoted-printable\nMIME-Version: 1.0\n"
    head += b"Content-Type: text/plain; charset=utf-8\n\n"
    text = quopri.encodestring(PIPE.replace("  ", "\u00a0 ").encode())
    assert b"=C2=A0" in text
    found = compared(tmp_path, head + text)
    assert found.analysis is not None
    assert [p.comparison.difference for p in found.analysis.pairs] == [0.125, 49.75]


def test_percentages_alone_are_refused_with_their_place(tmp_path: Path) -> None:
    file = written(tmp_path, "We see these gains\n\ncopies time\n6 25.1% 25.2%\n")
    with pytest.raises(Unreadable, match="only percentages, on 1 line") as found:
        open_file(file)
    assert found.value.findings[0].location.line == 4


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (
            "arch: look at 32 bytes first\n\nOf these\n  - 76% differ before 16 bytes;\n  - 83% "
            "before 32\n",
            4,
            "percentages, on 2 lines, the first: '- 76% differ before 16 bytes;'",
        ),
        ("\nWe saw that it got much faster\n1\n2\n", 2, "text without a row of them: 'We saw"),
        ("\x7fELF\0\0\1\n12\n", None, "found binary data"),
    ],
)
def test_what_is_no_result_is_refused_for_what_it_is(
    text: str, line: int | None, said: str, tmp_path: Path
) -> None:
    with pytest.raises(Unreadable) as found:
        open_file(written(tmp_path, text))
    [finding] = found.value.findings
    assert finding.location.line == line
    assert said in finding.message
    assert finding.message.startswith("expected samples, summary rows, schbench or mmtests output")


def test_a_name_of_several_words_is_no_sentence(tmp_path: Path) -> None:
    assert open_file(written(tmp_path, "copy of a page 12 13 14\n")).kinds


@given(
    average=st.decimals(3, 8, places=5),
    stddev=st.decimals("0.5", 3, places=6),
    at=st.lists(st.integers(0, 45), max_size=3, unique=True),
)
def test_a_broken_row_is_itself_or_left_alone(
    average: object, stddev: object, at: list[int]
) -> None:
    """Broken anywhere: at spaces, whose break takes their place, or within a figure."""
    row = f"100 1.5 9.25 5.125 {average} {stddev}"
    parts = [
        row[a:b] for a, b in zip([0, *sorted(at)], [*sorted(at), len(row)], strict=True) if row[a:b]
    ]
    lines, repaired = rejoined([HEAD, *(part.strip() for part in parts if part.strip())])
    if repaired:
        assert lines[1].split() == row.split()
        assert not any(lines[2:])
