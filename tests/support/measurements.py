"""Files as tools that measure idle states write them: invented values in the described forms."""

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import strategies as st

from idle_states.base.model.findings import Unreadable
from idle_states.base.model.measured import Measured, Samples
from idle_states.lab.fit.importing.formats import read_measured, read_output
from idle_states.lab.fit.importing.output import MOST, Facts, output_of


def read(text: str, told: Facts | None = None, name: str = "x.txt") -> Measured:
    return read_output(output_of(name, text.encode("utf-8", "surrogatepass")), told or Facts())


def refused(text: str, told: Facts | None = None) -> tuple[str, int | None]:
    """Returns why a text cannot be read, and the line."""
    with pytest.raises(Unreadable) as caught:
        read(text, told)
    (finding,) = caught.value.findings
    assert finding.location.file == "x.txt"
    return finding.message, finding.location.line


def directory(path: Path, files: dict[str, str]) -> list[Measured]:
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    return read_measured(path)


def whole_ns(most: int = 10**10) -> st.SearchStrategy[int]:
    return st.integers(0, most)


def us(value_ns: int) -> str:
    """In microseconds, exactly, as a tool that prints floats."""
    return f"{Decimal(value_ns).scaleb(-3):f}"


def csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    return "".join(f"{','.join(map(str, row))}\n" for row in [columns, *rows])


def damaged(text: str) -> Iterator[str]:
    """A file cut in ten places, and with each of its last numbers made one that no reader may
    take as it is."""
    for tenth in range(10):
        yield text[: len(text) * tenth // 10]
    for number in list(re.finditer(r"[0-9]+", text))[-12:]:
        for bad in ("-1", "nan", "inf", "1e99", "9" * 40, "", "x", "1,5", "\u0663"):
            yield text[: number.start()] + bad + text[number.end() :]


def read_or_refused(text: str, told: Facts | None = None) -> None:
    """Reads a text, or has it refused with its place; what is read has no number that no clock or
    counter shows."""
    try:
        found = read(text, told)
    except Unreadable as error:
        refusal = error.findings
    else:
        _expect_possible(found)
        return
    assert all(finding.location.file == "x.txt" and finding.message for finding in refusal)


def _expect_possible(found: Measured) -> None:
    for latency in found.latencies:
        if isinstance(latency.values, Samples):
            assert all(0 <= value <= MOST for value in latency.values.values_ns)
