"""The line of the table: a work beside a peer, as it is measured, stored, printed and compared with
a stored run.

Stored lines are compared by their ratios, since times are of the machine at hand: by Student's t on
the ratios of the rounds, which each have their own drift.
"""

import json
import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

from idle_states.base.files import replacing
from idle_states.lab.statistics import student
from idle_states.lab.statistics.comparison import compare
from idle_states.lab.statistics.summary import summarise

Clock = Literal["cpu", "wall"]
CONFIDENCE = Decimal("99.9")
"""Percent; of a hundred lines that did not change, one in ten runs seems to have."""
LEAST = 3.0
"""The percent by which two runs of one program differ although the rounds of each agree."""


class Aim(NamedTuple):
    """The bound of a ratio to the peer's time (no unit), of seconds (s), or of work a second (/s).

    clock  of which time, CPU's or elapsed
    """

    limit: float
    unit: str
    clock: Clock

    @classmethod
    def read(cls, text: str) -> "Aim | None":
        """Returns the aim of `<= 0.25`, `<= 3 s`, `>= 10,000/s` or `<= 0.6 wall`; None of nothing.
        Raises ValueError for what is none of these."""
        if not text:
            return None
        parts = re.fullmatch(r"(?:<= ([\d.]+)( s)?|>= ([\d.,]+)(/s))( wall)?", text)
        if parts is None:
            raise ValueError(f"expected an aim such as <= 0.25 or >= 10,000/s, found {text!r}")
        limit = (parts[1] or parts[3]).replace(",", "")
        return cls(
            float(limit), (parts[2] or parts[4] or "").strip(), "wall" if parts[5] else "cpu"
        )


@dataclass(frozen=True)
class Line:
    """A work beside a peer that does as much.

    aim     as Aim reads it; "" for none
    count   of what the work does in one round: decisions, lines, trees
    ours    seconds of each round, of the aim's clock
    theirs  the peer's in the same rounds, for as much (Python's start: one); empty if missing
    mb      resident memory of the largest process; None of what this one did
    note    what is missing, or more about the peer
    """

    work: str
    peer: str
    aim: str = ""
    count: int = 1
    ours: Sequence[float] = ()
    theirs: Sequence[float] = ()
    mb: float | None = None
    note: str = ""

    @property
    def ratios(self) -> list[float]:
        return [ours / theirs for ours, theirs in zip(self.ours, self.theirs, strict=False)]

    def met(self) -> bool | None:
        """Tells whether the aim is met; None where there is none, or no figure."""
        aim, values = Aim.read(self.aim), self.ratios
        if aim is None or not self.ours or (not aim.unit and not values):
            return None
        if aim.unit == "/s":
            return self.count >= aim.limit * statistics.median(self.ours)
        return statistics.median(self.ours if aim.unit else values) <= aim.limit

    def cells(self) -> list[str]:
        ratios = self.ratios
        middle = statistics.median(ratios) if ratios else 0.0
        return [
            self.work,
            f"{self.count:,}" if self.ours else "",
            f"{len(self.ours)}" if self.ours else "",
            duration(statistics.median(self.ours)) if self.ours else "",
            "" if self.mb is None else f"{self.mb:.0f}",
            self.peer,
            duration(statistics.median(self.theirs)) if self.theirs else "",
            f"{middle:.3g}" if ratios else "",
            f"{50 * (max(ratios) - min(ratios)) / middle:.1f} %" if len(ratios) > 1 else "",
            self.aim,
            {True: "yes", False: "no", None: ""}[self.met()],
            self.note,
        ]


HEAD = "work|count|rounds|time|MB|peer|its time|ratio|+-|aim|met|".split("|")


def printed(lines: Sequence[Line]) -> str:
    """Returns the table, and the number of aims that are met below it."""
    known = [met for line in lines if (met := line.met()) is not None]
    counted = f"{known.count(True)} of {len(known)} aims are met"
    return f"{columns([HEAD, *(line.cells() for line in lines)])}\n\n{counted}"


def columns(cells: Sequence[Sequence[str]]) -> str:
    """Cells as text; what names something stands left, figures right."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    left = {at for at, title in enumerate(cells[0]) if title in ("work", "peer", "met", "")}
    return "\n".join(
        "  ".join(
            f"{cell:{'<' if at in left else '>'}{width}}"
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    )


def duration(seconds: float) -> str:
    """With three digits: 1.23 s, 45.6 ms."""
    units = (("s", 1.0), ("ms", 1e3), ("us", 1e6), ("ns", 1e9))
    unit, factor = next((unit for unit in units if seconds * unit[1] >= 1), units[-1])
    value = seconds * factor
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {unit}"


def store(file: Path, about: Mapping[str, object], lines: Sequence[Line]) -> None:
    """Writes a run as JSON: beside the file, then renamed."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with replacing(file) as out:
        document = {**about, "lines": [asdict(line) for line in lines]}
        out.write(json.dumps(document, indent=1).encode() + b"\n")


def stored(file: Path) -> tuple[dict[str, Any], list[Line]]:
    """Returns what a run is about, and its lines. Raises ValueError for a file that is no run."""
    try:
        about = dict(json.loads(file.read_bytes()))
        lines = [Line(**line) for line in about.pop("lines")]
        assert lines
        printed(lines)
    except (OSError, ValueError, KeyError, TypeError, AssertionError) as error:
        raise ValueError(
            f"{file}: not a stored run of make bench ({error!r}); make one with OUTPUT={file}"
        ) from error
    return about, lines


def changes(before: Sequence[Line], now: Sequence[Line]) -> tuple[list[str], list[str], list[str]]:
    """Returns what became slower, what became quicker, and what cannot be compared: a text each."""
    names2line = {(line.work, line.peer): line for line in before}
    slower: list[str] = []
    quicker: list[str] = []
    unknown: list[str] = []
    for line in now:
        old = names2line.pop((line.work, line.peer), None)
        name = f"{line.work}, beside {line.peer}"
        if old is None or not line.ratios or not old.ratios:
            why = "no stored run" if old is None else "one of the two is missing"
        elif old.count != line.count:
            why = f"of {old.count:,} before, of {line.count:,} now"
        elif min(len(old.ratios), len(line.ratios)) < 2:
            why = "one round has no spread"
        else:
            both = summarise(old.ratios), summarise(line.ratios)
            found = compare(*both, partial(student.quantile, CONFIDENCE))
            percent, error = found.percent or 0.0, found.percent_error or 0.0
            if abs(percent) > max(error, LEAST):
                text = f"{name}: {both[0].average:.3g} -> {both[1].average:.3g}"
                text += f" ({percent:+.1f} %, noise {error:.1f} %)"
                (slower if percent > 0 else quicker).append(text)
            continue
        unknown.append(f"{name}: {why}")
    unknown += [f"{work}, beside {peer}: not in this run" for work, peer in names2line]
    return slower, quicker, unknown
