"""The row of a work that was measured, and the two tables of them: one of all, one of growth."""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Clock = Literal["cpu", "wall"]


@dataclass(frozen=True)
class Aim:
    """The ratio that a work has to reach.

    kind   ratio: at most, to the peer's time for as much; rate: at least, a second; seconds: at
           most
    clock  of which time
    """

    kind: Literal["ratio", "rate", "seconds"]
    limit: float
    clock: Clock = "cpu"

    def __str__(self) -> str:
        sign = ">=" if self.kind == "rate" else "<="
        unit = {"ratio": "", "rate": "/s", "seconds": " s"}[self.kind]
        limit = f"{self.limit:,.0f}" if self.limit >= 100 else f"{self.limit:g}"
        return f"{sign} {limit}{unit}" + (" wall" if self.clock == "wall" else "")


@dataclass(frozen=True)
class Row:
    """A work with its samples. peak_mb: resident memory of the largest process, None if all was
    done in this one."""

    name: str
    count: int
    wall: list[float]
    cpu: list[float]
    peers: Mapping[str, Aim | None]
    series: str = ""
    ours: bool = True
    peak_mb: float | None = None

    def median(self, clock: Clock) -> float:
        return statistics.median(self.wall if clock == "wall" else self.cpu)

    def ratio(self, peer: "Row", clock: Clock = "cpu") -> float:
        """To the time of the peer for as much."""
        theirs = peer.median(clock) / peer.count
        return self.median(clock) / self.count / theirs if theirs else math.nan

    def met(self, aim: Aim, peer: "Row | None") -> bool | None:
        """None where the peer is missing that tells."""
        taken = self.median(aim.clock)
        if aim.kind == "seconds":
            return taken <= aim.limit
        if aim.kind == "rate":
            return self.count >= aim.limit * taken
        return None if peer is None else self.ratio(peer, aim.clock) <= aim.limit


def exponent(points: Sequence[tuple[float, float]]) -> float:
    """The slope of a straight line through (log count, log time) by least squares."""
    xs, ys = zip(*((math.log(count), math.log(taken)) for count, taken in points), strict=True)
    return statistics.linear_regression(xs, ys).slope


def duration(seconds: float) -> str:
    """With three digits: 1.23 s, 45.6 ms."""
    units = (("s", 1.0), ("ms", 1e3), ("us", 1e6), ("ns", 1e9))
    unit, factor = next((unit for unit in units if seconds * unit[1] >= 1), units[-1])
    value = seconds * factor
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f} {unit}"


_HEAD = "work|count|wall|CPU|MB|peer|its wall|its CPU|ratio|aim|met".split("|")
_MET = {True: "yes", False: "no", None: ""}


def lines(rows: Sequence[Row]) -> list[list[str]]:
    """Cells of the table: a line for each work of ours and each of its peers."""
    name2row = {row.name: row for row in rows}
    made = [_HEAD]
    for row in rows:
        for name, aim in (row.peers or {"": None}).items() if row.ours else ():
            peer = name2row.get(name)
            clock: Clock = aim.clock if aim else "cpu"
            made.append(
                [
                    row.name,
                    f"{row.count:,}",
                    duration(row.median("wall")),
                    duration(row.median("cpu")),
                    "" if row.peak_mb is None else f"{row.peak_mb:.0f}",
                    name if peer or not name else f"{name}: missing",
                    duration(peer.median("wall")) if peer else "",
                    duration(peer.median("cpu")) if peer else "",
                    f"{row.ratio(peer, clock):.3g}" if peer else "",
                    str(aim or ""),
                    _MET[row.met(aim, peer)] if aim else "",
                ]
            )
    return made


def growth(rows: Sequence[Row]) -> list[list[str]]:
    """Cells of the second table: each series, ours and theirs, by CPU time."""
    made = [["growth", "count", "1x", "10x", "100x", "each further", "exponent"]]
    for name in dict.fromkeys(row.series for row in rows if row.series):
        points = [(row.count, row.median("cpu")) for row in rows if row.series == name]
        (first, least), (last, most) = points[0], points[-1]
        made.append(
            [
                name,
                f"{first:,}",
                *(duration(taken) for _, taken in points),
                duration((most - least) / (last - first)) if most > least else "",
                f"{exponent(points):.2f}",
            ]
        )
    return made


def columns(cells: Sequence[Sequence[str]]) -> str:
    """Cells as text; what names something stands left, figures right."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    left = {at for at, title in enumerate(cells[0]) if title in ("work", "growth", "peer", "met")}
    return "\n".join(
        "  ".join(
            f"{cell:{'<' if at in left else '>'}{width}}"
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    )


def document(rows: Sequence[Row], missing: Mapping[str, str]) -> dict[str, Any]:
    """The table as JSON has it; compare.py reads `works`. Times are seconds."""
    name2row = {row.name: row for row in rows}
    works = []
    for row in rows:
        beside = [
            {
                "peer": name or None,
                "missing": bool(name and not peer),
                "ratio_cpu": row.ratio(peer) if peer else None,
                "ratio_wall": row.ratio(peer, "wall") if peer else None,
                "aim": vars(aim) if aim else None,
                "met": row.met(aim, peer) if aim else None,
            }
            for name, aim in row.peers.items()
            for peer in (name2row.get(name),)
        ]
        works.append(
            {
                "name": row.name,
                "ours": row.ours,
                "count": row.count,
                "wall_s": row.wall,
                "cpu_s": row.cpu,
                "peak_mb": row.peak_mb,
                "series": row.series or None,
                "beside": beside,
            }
        )
    exponents = {
        name: exponent([(row.count, row.median("cpu")) for row in rows if row.series == name])
        for name in dict.fromkeys(row.series for row in rows if row.series)
    }
    return {"works": works, "exponents": exponents, "missing": dict(missing)}
