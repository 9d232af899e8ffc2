"""ministat's plot of samples in a box of characters.

Cells hold the sum, bit by bit, of the numbers of the sets in them, so that the third set's symbol
also stands where the first two meet; a set lower than those before it cuts the plot to its own
height, a higher one then begins with empty rows there.
"""

import math
from collections.abc import Callable, Sequence

from .ministat import SYMBOLS
from .summary import Dataset, Summary


def plot(datasets: Sequence[Dataset], rows: Sequence[Summary], width: int, separate: bool) -> str:
    """datasets: with samples; width: characters within the box, at least 2; separate: a line of
    bars for each set."""
    low, high = 999e99, -999e99
    for row in rows:
        for value in (row.minimum, row.maximum, row.average - row.stddev, row.average + row.stddev):
            # false for what is not a number
            if value < low:
                low = value
            if value > high:
                high = value
    step = (high - low) / (width - 1.0)
    # a span of a few denormal numbers has no step either
    if step == 0:
        return "[no plot, span is zero width]\n"
    origin = low - 0.5 * step

    def place(value: float) -> int:
        return int((value - origin) / step)

    cells: list[list[int]] = []
    height = 0
    bars = [[" "] * width for _ in range(len(rows) if separate else 1)]
    for number, (dataset, row) in enumerate(zip(datasets, rows, strict=True)):
        assert dataset.values is not None
        places = [place(value) for value in sorted(dataset.values)]
        levels = _levels(places)
        tall = max(levels) + 1
        if tall > height:
            cells[height:] = [[0] * width for _ in range(tall - height)]
        height = tall
        for x, level in zip(places, levels, strict=True):
            cells[level][x] |= number + 1
        _bar(bars[number if separate else 0], row, place)
    edge = "+" + "-" * width + "+"
    lines = ["".join(SYMBOLS[cell] for cell in level) for level in cells[height - 1 : 0 : -1]]
    lines += ["".join(bar) for bar in bars]
    return "\n".join([edge, *(f"|{line}|" for line in lines), edge]) + "\n"


def _levels(places: Sequence[int]) -> list[int]:
    """1 for the first sample of a column, 2 for the next one."""
    levels: list[int] = []
    for number, x in enumerate(places):
        levels.append(levels[-1] + 1 if number and places[number - 1] == x else 1)
    return levels


def _bar(bar: list[str], row: Summary, place: Callable[[float], int]) -> None:
    if not math.isnan(row.stddev):
        first, last = place(row.average - row.stddev), place(row.average + row.stddev)
        bar[last] = "|"
        bar[first] = "|"
        for x in range(first + 1, last):
            if bar[x] == " ":
                bar[x] = "_"
    bar[place(row.median)] = "M"
    bar[place(row.average)] = "A"
