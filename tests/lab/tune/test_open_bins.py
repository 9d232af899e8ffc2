"""Lists of gaps whose last bin is open, such as 1025+; shares of gaps by length."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from idle_states.base.model.findings import Unreadable
from idle_states.base.reading.inputs import Input
from idle_states.cli import main
from idle_states.lab.tune.source import GapSource, read_list

WORDS = ["--states", "10000/400000,20000/800000", "--power", "snooze=1,state1=0.5,state2=0.1"]


def listed(text: str) -> GapSource:
    return read_list(Input("list.csv", held=text.encode()))


def test_an_open_bin_counts_as_its_least_length_and_is_said() -> None:
    found = listed("first_difference,count\n0,5\n7,15\n40,60\n1025+,20\n")
    assert found.open_bin == (1025, 20)
    assert found.gaps.count == 100
    assert found.gaps.total == 7 * 15 + 40 * 60 + 1025 * 20
    (said,) = [one for one in found.assumptions if "longer" in one]
    assert "20 gaps (20.00 %) are 1025 ns or longer" in said
    # nothing is said of lengths within the open bin
    assert dict(found.shorter) == {
        1: 5, 2: 5, 4: 5, 8: 20, 16: 20, 32: 20, 64: 80, 128: 80, 256: 80, 512: 80, 1024: 80,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5+,1\n7+,1\n", "one open bin"),
        ("5+,1\n7,1\n", "gaps below the open bin of 5"),
        ("5++,1\n", "expected GAP_NS,COUNT"),
    ],
)
def test_open_bins_that_contradict_are_refused(text: str, message: str) -> None:
    with pytest.raises(Unreadable, match=message):
        listed(text)


@given(st.lists(st.tuples(st.integers(0, 1 << 40), st.integers(1, 100)), min_size=1, max_size=30))
def test_shares_are_counts(pairs: list[tuple[int, int]]) -> None:
    found = listed("".join(f"{gap},{count}\n" for gap, count in pairs))
    for length, count in found.shorter:
        assert count == sum(n for gap, n in pairs if gap < length)
    assert not found.open_bin


def test_both_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text("3000,75\n500000,15\n900000+,10\n")
    assert main(["tune", "--gaps", str(path), *WORDS]) == 0
    out = capsys.readouterr().out
    assert "4096 ns 75.00 %" in out
    assert "and 900000 ns or longer 10.00 %" in out
    assert main(["tune", "--gaps", str(path), *WORDS, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["open_bin"] == {"from_ns": 900000, "count": 10}
    assert {"than_ns": 4096, "count": 75} in found["shorter"]
