"""Tests of which format a file is of; compression, encodings, directories and limits."""

import bz2
import gzip
import importlib
import io
import lzma
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.base.model.findings import Unreadable
from idle_states.base.model.measured import Samples
from idle_states.base.reading import limits
from idle_states.lab.fit.importing import formats
from idle_states.lab.fit.importing.formats import format_names, read_measured
from idle_states.lab.fit.importing.output import Facts, output_of
from tests.lab.fit.importing import test_histograms, test_own, test_wult
from tests.support.measurements import csv, directory, read, refused
from tests.support.thorough import examples

WULT = csv(test_wult.COLUMNS, [test_wult.row()])
SAMPLES: dict[str, tuple[str, ...]] = {
    name: texts
    for file in sorted(Path(__file__).parent.glob("test_*.py"))
    if file != Path(__file__)
    for name, texts in getattr(
        importlib.import_module(f"{__package__}.{file.stem}"), "SAMPLES", {}
    ).items()
}
"""A sample of each format, in the file of its tests."""


@pytest.mark.parametrize("name", format_names())
def test_a_file_is_of_one_format(name: str) -> None:
    """Whatever the order in which they are asked."""
    for text in SAMPLES[name]:
        output = output_of("x", text.encode())
        asked = [
            known for known in format_names() if formats.format_module(known).recognises(output)
        ]
        assert asked == [name]


def test_a_file_may_be_packed(tmp_path: Path) -> None:
    plain = read(WULT)
    for at, packed in enumerate((gzip.compress, bz2.compress, lzma.compress)):
        (tmp_path / str(at)).write_bytes(packed(WULT.encode()))
        (found,) = read_measured(tmp_path / str(at))
        assert [one.values for one in found.latencies] == [one.values for one in plain.latencies]
        assert found.sha256 != plain.sha256
    (tmp_path / "cut").write_bytes(gzip.compress(WULT.encode())[:-30])
    with pytest.raises(Unreadable, match="a whole archive"):
        read_measured(tmp_path / "cut")


def test_lines_may_end_as_on_windows_behind_a_mark(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"\xef\xbb\xbf" + WULT.replace("\n", "\r\n").encode())
    assert read_measured(tmp_path / "x")[0].latencies[0].values == Samples((70_500.0,))


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    class Given:
        buffer = io.BytesIO(WULT.encode())

    monkeypatch.setattr("sys.stdin", Given)
    (found,) = read_measured("-")
    assert found.file == "-"
    assert len(found.latencies) == 1


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"hello\n", "found none of them"),
        (b"", "found none of them"),
        (b"\x00\x01" * 40, "binary data"),
        ("x".encode("utf-16"), "UTF-16"),
    ],
)
def test_what_is_no_measurement(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(Unreadable, match=message) as caught:
        read_measured(tmp_path / "x")
    assert caught.value.findings[0].location.file == str(tmp_path / "x")


def test_the_callers_word_stands_beside_the_files() -> None:
    """It names what the file does not; what the file says, it does not change."""
    told = Facts(state="C1")
    assert read(WULT, told).latencies[0].state == "C6"
    assert read(test_own.HEAD + test_own.ROWS, told).latencies[0].busy
    assert read(test_histograms.TRACE, told).latencies[0].state == "C1"


def test_directories_of_results(tmp_path: Path) -> None:
    """One level down, each tool's own."""
    files = {
        "c1/datapoints.csv": WULT,
        "c1/info.yml": test_wult.NIC,
        "deeper/still/datapoints.csv": WULT,
        "log.txt": test_histograms.WAKEUP,
    }
    found = directory(tmp_path, files)
    assert [one.tool for one in found] == [
        "wult 1.12.40",
        "avocado cpuidle_wakeup_test",
    ]


def test_info_that_is_no_yaml(tmp_path: Path) -> None:
    with pytest.raises(Unreadable) as caught:
        directory(tmp_path, {"datapoints.csv": WULT, "info.yml": "a: [\n"})
    assert str(caught.value.findings[0].location.file).endswith("info.yml")


def test_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MEASURED_VALUES", 2)
    text = csv(test_wult.COLUMNS, [test_wult.row()] * 3)
    assert refused(text) == ("expected at most 2 values", 4)
    monkeypatch.setattr(limits, "LINE_BYTES", 300)
    assert refused(WULT + "9" * 301) == ("expected lines of at most 300 bytes", 3)
    monkeypatch.setattr(limits, "MEASURED_BYTES", 100)
    (tmp_path / "a").write_text(WULT)
    with pytest.raises(Unreadable, match="at most 100 bytes"):
        read_measured(tmp_path / "a")
    (tmp_path / "a").write_bytes(gzip.compress(b"9" * 1000))
    with pytest.raises(Unreadable, match="at most 100 bytes unpacked"):
        read_measured(tmp_path / "a")
    monkeypatch.setattr(limits, "MEASURED_FILES", 1)
    (tmp_path / "b").write_text("")
    with pytest.raises(Unreadable, match="at most 1 files"):
        read_measured(tmp_path)


@settings(max_examples=examples(40, 400), deadline=None)
@given(st.sampled_from(sorted(SAMPLES)), st.integers(0), st.integers(0), st.text(max_size=4))
def test_replaced_text_is_read_or_refused(name: str, start: int, length: int, new: str) -> None:
    for text in SAMPLES[name]:
        at = start % len(text)
        broken = text[:at] + new + text[at + length % 8 :]
        try:
            read(broken, Facts(state="C1", period_ns=1e6))
        except Unreadable as error:
            refusal = error
        else:
            continue
        assert all(finding.message and finding.location.file for finding in refusal.findings)
