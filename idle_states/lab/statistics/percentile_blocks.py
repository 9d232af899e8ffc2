"""Reads schbench blocks, and compares each with the first one, percentile by percentile."""

import re
from collections.abc import Sequence

from ...base.dataclass import dataclass, replace
from ...base.model.findings import unreadable
from .files import ResultsFile
from .numbers import shown
from .schbench import Block, Percentile, percentiles
from .summary import Dataset

LARGEST_VALUE = (1 << 32) - 1

_PERCENTILE = re.compile(
    r"([0-9]{1,3}(?:\.[0-9]+)?)th:\s+([0-9]{1,10})(?!\S)(?:\s+\(([0-9]{1,20}) samples\))?"
)
_BEGINS = re.compile(r"\s*+(?:\*\s*+)?[0-9][0-9.]*+th:")
_HEADING = re.compile(
    r"(?:^|(?<=\s))((?:[A-Z]\w* ){0,4}[A-Z]\w*) percentiles \((\w+)\)(?: runtime ([0-9]+))?"
)
_EXTREMES = re.compile(r"\bmin=([0-9]{1,10}), max=([0-9]{1,10})(?!\S)")


@dataclass(frozen=True, slots=True)
class BlockGroup:
    """Blocks with the same percentiles; the first is the baseline.

    left_out  number of earlier blocks with this heading: a run prints one at each interval
    """

    blocks: tuple[Block, ...]
    left_out: int = 0

    def change(self, block: int, row: int) -> float | None:
        """Returns the change from the first block's value in percent; None if that value is 0."""
        old = self.blocks[0].percentiles[row].value
        new = self.blocks[block].percentiles[row].value
        return 100 * (new - old) / old if old else None


def groups(files: Sequence[ResultsFile]) -> list[BlockGroup]:
    """Groups blocks for comparison.

    One file: blocks printed side by side, two successive blocks of one heading, or single blocks.
    Several files: the last block of each heading, by file. Raises Unreadable for blocks that cannot
    be compared.
    """
    read = [blocks(file) for file in files]
    if len(files) == 1:
        return [_group(list(beside), 0) for beside in _stacked(read[0])]
    last: list[dict[str, Block]] = []
    counts: dict[str, int] = {}
    for file, found in zip(files, read, strict=True):
        own: dict[str, Block] = {}
        for beside in found:
            if len(beside) > 1:
                raise unreadable(
                    file.name,
                    f"expected one column of percentiles beside other files, found {len(beside)}",
                    beside[0].line,
                )
            own[beside[0].label] = beside[0]
            counts[beside[0].label] = counts.get(beside[0].label, 0) + 1
        last.append(own)
    for file, own in zip(files[1:], last[1:], strict=True):
        if own.keys() != last[0].keys():
            raise unreadable(
                file.name,
                f"expected percentiles of {_named(last[0])} as in {files[0].name}, "
                f"found {_named(own)}",
            )
    return [_group([own[label] for own in last], counts[label] - len(files)) for label in last[0]]


def of_samples(datasets: Sequence[Dataset]) -> BlockGroup:
    """Returns what schbench would print for samples in us. Raises Unreadable for fractions."""
    made = []
    for dataset in datasets:
        assert dataset.values is not None
        for number, value in enumerate(dataset.values, 1):
            if not value.is_integer() or value > LARGEST_VALUE:
                raise unreadable(
                    dataset.file,
                    f"expected whole microseconds up to {LARGEST_VALUE} for schbench, "
                    f"found {value:g}, sample {number}",
                )
        whole = [int(value) for value in dataset.values]
        made.append(
            Block(dataset.name, "Latency", "usec", percentiles(whole), min(whole), max(whole), 0)
        )
    return BlockGroup(tuple(made))


def _group(found: list[Block], left_out: int) -> BlockGroup:
    wanted = [entry.percent for entry in found[0].percentiles]
    for block in found[1:]:
        own = [entry.percent for entry in block.percentiles]
        if own != wanted:
            raise unreadable(
                block.name,
                f"expected the percentiles {_listed(wanted)} as in {found[0].name}, "
                f"found {_listed(own)}",
                block.line,
            )
    return BlockGroup(tuple(found), left_out)


def _stacked(found: list[tuple[Block, ...]]) -> list[tuple[Block, ...]]:
    """Joins two blocks of the same heading and percentiles into one comparison. More than two are
    the intervals of one run, and so are two of different runtimes: they stay apart."""
    alike: dict[str, list[tuple[Block, ...]]] = {}
    for beside in found:
        alike.setdefault(beside[0].label, []).append(beside)
    comparable = {label for label, same in alike.items() if _comparable(same)}
    stacked = []
    for beside in found:
        same = alike[beside[0].label]
        if beside[0].label not in comparable:
            stacked.append(beside)
        elif beside is same[0]:
            pair = (block for (block,) in same)
            stacked.append(
                tuple(replace(block, name=f"{block.name}:{block.line}") for block in pair)
            )
    return stacked


def _comparable(same: list[tuple[Block, ...]]) -> bool:
    if [len(beside) for beside in same] != [1, 1]:
        return False
    (old,), (new,) = same
    wanted = [entry.percent for entry in old.percentiles]
    return old.runtime == new.runtime and [entry.percent for entry in new.percentiles] == wanted


def _named(own: dict[str, Block]) -> str:
    return ", ".join(label or "no heading" for label in own)


def _listed(percents: list[float]) -> str:
    return ", ".join(f"{percent:g}" for percent in percents)


def has_percentiles(line: str) -> bool:
    """Tells whether a line has percentiles, or begins like such a line."""
    return "th:" in line and bool(_BEGINS.match(line) or _PERCENTILE.search(line))


def blocks(file: ResultsFile) -> list[tuple[Block, ...]]:
    """Returns the file's blocks in order; blocks printed side by side are together."""
    found: list[tuple[Block, ...]] = []
    columns: list[list[Percentile]] = []
    headings: list[tuple[str, str, str]] = []
    first = 0

    def close(extremes: list[tuple[int, int]]) -> None:
        nonlocal columns, headings
        if columns:
            made = []
            for number, column in enumerate(columns):
                label, unit, runtime = headings[number] if number < len(headings) else [""] * 3
                low, high = extremes[number] if number < len(extremes) else (None, None)
                name = file.name if len(columns) == 1 else f"{file.name} column {number + 1}"
                made.append(Block(name, label, unit, tuple(column), low, high, first, runtime))
            found.append(tuple(made))
        columns, headings = [], []

    for number, line in enumerate(file.lines, 1):
        if headed := _HEADING.findall(line):
            close([])
            headings = headed
        elif has_percentiles(line):
            cells = list(_PERCENTILE.finditer(line))
            if not cells or (_BEGINS.match(line) and _PERCENTILE.sub("", line).strip("* \t\r|")):
                message = f"expected percentiles such as 50.0th: 21, found {shown(line.strip())}"
                raise unreadable(file.name, message, number)
            if columns and float(cells[0][1]) <= columns[0][-1].percent:
                close([])
            if not columns:
                first = number
                columns = [[] for _ in cells]
            if len(cells) != len(columns):
                raise unreadable(
                    file.name, f"expected {len(columns)} percentiles, found {len(cells)}", number
                )
            for column, cell in zip(columns, cells, strict=True):
                column.append(_percentile(file, number, cell, column))
        elif extremes := _EXTREMES.findall(line):
            close([(int(low), int(high)) for low, high in extremes])
        elif columns and line.lstrip().startswith("min="):
            message = f"expected extremes such as min=1, max=4000, found {shown(line.strip())}"
            raise unreadable(file.name, message, number)
    close([])
    return found


def _percentile(
    file: ResultsFile, line: int, cell: re.Match[str], before: list[Percentile]
) -> Percentile:
    percent, value = float(cell[1]), int(cell[2])
    if not 0 < percent <= 100:
        raise unreadable(file.name, f"expected a percentile up to 100, found {cell[1]}", line)
    if before and (percent <= before[-1].percent or value < before[-1].value):
        raise unreadable(
            file.name,
            f"expected percentiles and values to rise, found {cell[1]}th: {value} after "
            f"{before[-1].percent:g}th: {before[-1].value}",
            line,
        )
    return Percentile(percent, value, None if cell[3] is None else int(cell[3]))
