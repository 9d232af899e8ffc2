"""Files of benchmark results: what they hold, told by their content; samples read.

samples       a number a line, or one column of several; # begins a comment
summary rows  rows below a line N Min Max Median Avg Stddev: ministat output, or a mail with it
schbench      percentile blocks, in one column or side by side
mmtests       rows of means with percent in parentheses

A mail may hold several of them; samples want a file of their own.
"""

import hashlib
import re

from ...base.dataclass import dataclass
from ...base.model.findings import next_step, unreadable
from ...base.reading import limits, opening
from ...base.reading.mail.mail import has_headers, parse
from ...base.wording import plural
from .files import ResultsFile, ResultsKind
from .mmtests import cells
from .numbers import is_number, sample, shown
from .percentile_blocks import has_percentiles
from .summary import SMALLEST, Dataset
from .summary_rows import is_head
from .wrapped_rows import rejoined

_PERCENT = re.compile(r"[0-9]\s?%")
_HELD = "samples, summary rows, schbench or mmtests output"
_HEAD_BYTES = 4096
_SENTENCE = 5
"""Words in one line that are no numbers: a row of samples has a name or two."""
_QUOTING = re.compile(r"(?:> ?)+")


@dataclass(slots=True)
class Used:
    """The amounts counted against the limits, summed over all files of a run."""

    size: int = 0
    lines: int = 0
    words: int = 0

    def add(
        self, file: str, *, size: int = 0, lines: int = 0, words: int = 0, at: int | None = None
    ) -> None:
        """at: the line of the file. Raises Unreadable."""
        self.size += size
        self.lines += lines
        self.words += words
        if self.size > limits.STATISTICS_BYTES:
            raise unreadable(file, f"expected at most {limits.STATISTICS_BYTES} bytes in all files")
        if max(self.lines, self.words) > limits.STATISTICS_LINES:
            message = f"expected at most {limits.STATISTICS_LINES} lines or samples in all files"
            raise unreadable(file, message, at)


SAMPLES = "write one number on each line, or give ministat, schbench or mmtests output as it is"


@next_step(SAMPLES)
def open_file(name: str, used: Used | None = None) -> ResultsFile:
    """Opens a file; - is standard input. used: what the files before it used of the limits. Raises
    OSError, and Unreadable for what is no file, too large or empty."""
    used = used or Used()
    data = opening.read_operand(name, limits.STATISTICS_BYTES)
    used.add(name, size=len(data), lines=data.count(b"\n"))
    if b"\0" in data[:_HEAD_BYTES]:
        raise unreadable(name, f"expected {_HELD}, found binary data")
    lines, remarks = _lines(data, name)
    if not any(line.strip() for line in lines):
        raise unreadable(name, f"expected {_HELD}, found nothing")
    found = ResultsFile(name, lines, hashlib.sha256(data).hexdigest(), _kinds(lines), remarks)
    if ResultsKind.SAMPLES not in found.kinds:
        _refuse_samples(found)
    else:
        _refuse_prose(found)
    return found


def _lines(data: bytes, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lines as they were before they were mailed, and what had to be done for it."""
    remarks = []
    if has_headers(data):
        mail = parse(data, name)
        text, remarks = mail.text, [f"{name}: {remark}" for remark in mail.remarks]
    else:
        text = data.decode("utf-8", "backslashreplace")
    # of no break, and of no width
    text = text.replace("\u00a0", " ").replace("\u200b", "").replace("\r\n", "\n")
    lines, joined = rejoined([_unquoted(line) for line in text.split("\n")])
    for number in joined:
        remarks.append(f"{name}:{number}: a row that a mailer broke is joined again")
    return lines, tuple(remarks)


def _unquoted(line: str) -> str:
    return _QUOTING.sub("", line, count=1) if line.startswith(">") else line


def _kinds(lines: tuple[str, ...]) -> frozenset[ResultsKind]:
    found = set()
    for line in lines:
        if has_percentiles(line):
            found.add(ResultsKind.SCHBENCH)
        elif is_head(line):
            found.add(ResultsKind.ROWS)
        elif cells(line):
            found.add(ResultsKind.MMTESTS)
    return frozenset(found or {ResultsKind.SAMPLES})


def _refuse_prose(file: ResultsFile) -> None:
    """Raises Unreadable for text of sentences: its numbers are no samples."""
    start, first = next((n, line) for n, line in enumerate(file.lines, 1) if line.strip())
    words = first.split()
    texts = [word for word in words if not is_number(word)]
    percents = [number for number, line in enumerate(file.lines, 1) if _PERCENT.search(line)]
    if len(texts) >= _SENTENCE or (percents and len(texts) == len(words) > 1):
        found = f"text without a row of them: {shown(first.strip())}"
        if percents:
            quoted = shown(file.lines[percents[0] - 1].strip())
            found = (
                f"only percentages, on {plural(len(percents), 'line')}, the first: {quoted}; "
                "give the values that they were computed from"
            )
        raise unreadable(file.name, f"expected {_HELD}, found {found}", (percents or [start])[0])


def _refuse_samples(file: ResultsFile) -> None:
    """Raises Unreadable for numbers on two successive lines. A single one may be the rest of a
    sentence or a kernel's name."""
    before = False
    for number, line in enumerate(file.lines, 1):
        alone = is_number(line.partition("#")[0].strip())
        if alone and before:
            raise unreadable(
                file.name, f"expected {file.holds} alone, found samples: split the file", number - 1
            )
        before = alone


@next_step(SAMPLES)
def samples(
    file: ResultsFile, column: int = 1, delimiter: str = " \t", as_ministat: bool = False
) -> Dataset:
    """Reads one column, counted from 1. delimiter: the characters that separate columns.
    as_ministat: samples may be negative, and as small as they like: ministat squares them all."""
    values = []
    parting = re.compile(f"[{re.escape(delimiter)}]+")
    for number, line in enumerate(file.lines, 1):
        words = _words(line, parting)
        if not words:
            continue
        if len(words) < column:
            raise unreadable(file.name, f"expected {column} columns, found {len(words)}", number)
        smallest = 0.0 if as_ministat else SMALLEST
        values.append(_sample(file, number, words[column - 1], smallest, as_ministat))
    return Dataset(file.name, tuple(values), None, file.name)


def named_samples(
    file: ResultsFile, delimiter: str = " \t", used: Used | None = None
) -> dict[str, list[float]]:
    """Reads lines of a name and its samples; lines of the same name are joined. used: what the
    files before it used of the limits."""
    found: dict[str, list[float]] = {}
    used = used or Used()
    parting = re.compile(f"[{re.escape(delimiter)}]+")
    for number, line in enumerate(file.lines, 1):
        words = _words(line, parting)
        if not words:
            continue
        if len(words) < 2:
            raise unreadable(
                file.name, f"expected a name and its samples, found {shown(words[0])}", number
            )
        used.add(file.name, words=len(words), at=number)
        found.setdefault(words[0], []).extend(_sample(file, number, word) for word in words[1:])
    return found


def _words(line: str, parting: re.Pattern[str]) -> list[str]:
    """Returns the words of a line up to the first that begins with #."""
    words = []
    for word in filter(None, (part.strip() for part in parting.split(line.rstrip()))):
        if word.startswith("#"):
            break
        words.append(word)
    return words


def _sample(
    file: ResultsFile, number: int, word: str, smallest: float = 0.0, signed: bool = False
) -> float:
    try:
        return sample(word, smallest, signed)
    except ValueError as error:
        raise unreadable(file.name, str(error), number) from None
