"""stats for programs. What is no number is null."""

import math
from collections.abc import Sequence
from typing import Any

from ..statistics import schbench
from ..statistics.analysis import Analysis, Pair
from ..statistics.comparison import Comparison
from ..statistics.histogram import Histogram
from ..statistics.mmtests import Row, change, follows
from ..statistics.percentile_blocks import Group


def body(
    analysis: Analysis | None,
    histograms: Sequence[tuple[str, Histogram | None]],
    groups: Sequence[Group],
    rows: Sequence[Row],
) -> dict[str, Any]:
    return {
        "method": None if analysis is None else analysis.method,
        "confidence": None if analysis is None else float(analysis.confidence),
        "sets": [] if analysis is None else _sets(analysis),
        "comparisons": []
        if analysis is None
        else [_pair(analysis, pair) for pair in analysis.pairs],
        "histograms": [_histogram(name, found) for name, found in histograms],
        "schbench": [_group(group) for group in groups],
        "mmtests": [_row(row) for row in rows],
    }


def _sets(analysis: Analysis) -> list[dict[str, Any]]:
    return [
        {
            "name": dataset.name,
            "n": row.n,
            "min": row.minimum,
            "max": row.maximum,
            "median": row.median,
            "average": row.average,
            "stddev": _plain(row.stddev),
            "without_maximum": None
            if reduced is None
            else {
                "n": reduced.n,
                "average": reduced.average,
                "stddev": _plain(reduced.stddev),
                "share_of_squares": reduced.share,
            },
        }
        for dataset, row, reduced in zip(
            analysis.datasets, analysis.summaries, analysis.reduced, strict=True
        )
    ]


def _pair(analysis: Analysis, pair: Pair) -> dict[str, Any]:
    names = (analysis.datasets[0].name, analysis.datasets[pair.other].name)
    return {
        "reference": names[0],
        "set": names[1],
        **_comparison(pair.comparison),
        "p": pair.probability,
        "without_maxima": [
            {
                "of": [names[which] for which in again.without],
                "survives": again.survives,
                **_comparison(again.comparison),
                **({"verdict": None} if again.survives is None else {}),
            }
            for again in pair.again
        ],
    }


def _comparison(found: Comparison) -> dict[str, Any]:
    return {
        "verdict": str(found.verdict),
        "difference": found.difference,
        "error": _plain(found.error),
        "percent": _plain(found.percent),
        "percent_error": _plain(found.percent_error),
        "pooled_stddev": _plain(found.pooled),
        "degrees_of_freedom": found.degrees,
        "t": found.t,
        "t_needed": found.needed,
    }


def _histogram(name: str, found: Histogram | None) -> dict[str, Any]:
    return {
        "name": name,
        "at_maximum": None if found is None else found.uncounted,
        "bins": []
        if found is None
        else [
            {"from": one.low, "to": one.high, "count": one.count, "percent": one.percent}
            for one in found.bins
        ],
    }


def _group(group: Group) -> dict[str, Any]:
    return {
        "label": group.blocks[0].label,
        "unit": group.blocks[0].unit,
        "left_out": group.left_out,
        "blocks": [
            {
                "name": block.name,
                "min": block.low,
                "max": block.high,
                "percentiles": [
                    _percentile(group, number, at, entry)
                    for at, entry in enumerate(block.percentiles)
                ],
            }
            for number, block in enumerate(group.blocks)
        ],
    }


def _percentile(group: Group, block: int, row: int, entry: schbench.Percentile) -> dict[str, Any]:
    first, last = schbench.bounds(schbench.bucket(entry.value))
    return {
        "percent": entry.percent,
        "value": entry.value,
        "bucket": [first, last],
        "is_middle": schbench.is_printed(entry.value),
        "samples": entry.samples,
        "change_percent": group.change(block, row) if block else None,
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "label": row.label,
        "name": row.name,
        "cells": [
            {
                "column": " ".join(head[number] for head in row.heads),
                "value": cell.value,
                "percent": change(row, number),
                "printed_percent": cell.printed,
                "significant": cell.significant,
                "follows": follows(row, number),
            }
            for number, cell in enumerate(row.cells)
        ],
    }


def _plain(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
