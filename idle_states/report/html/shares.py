"""Shares of a whole: bars divided by state, and distributions."""

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from . import pictures, svg
from .pictures import Band, Curve, Row

Legend = tuple[tuple[Element, str], ...]


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a bar. value: a share of 1. amount: the part in its own unit, in words."""

    name: str
    value: float
    amount: str


def bar(label: str, some: Sequence[Share], names: Sequence[str]) -> Row:
    """A state's place in names is its number and its hatching."""
    bands, first = [], 0.0
    for share in some:
        last, number, written = first + share.value, names.index(share.name), f"{share.value:.2%}"
        if share.value > 0:
            bands.append(
                Band(
                    first,
                    last,
                    (number,),
                    str(number),
                    f"{number} {share.name} {written[:-1]} %",
                    f"{share.name}: {share.amount}, {written[:-1]} %",
                )
            )
        first = last
    return Row(label, tuple(bands))


def legend(names: Sequence[str], shown: Sequence[str]) -> Legend:
    """Of the names shown; their numbers are those of the whole page."""
    return tuple(
        (svg.swatch_band(number), f"{number} {name}")
        for number, name in enumerate(names)
        if name in shown
    )


def distribution(
    title: str, caption: str, some: Sequence[tuple[str, Sequence[tuple[int, int]]]]
) -> tuple[Element, Legend]:
    """A curve for each label: of (value in ns, how often), ascending."""
    values = [value for _, pairs in some for value, _ in pairs]
    drawing = pictures.curves(
        title,
        "For each table a curve that rises from 0 to 100 %: the share of wake-ups that paid at "
        "most so much.",
        [Curve(label, _cumulative(pairs)) for label, pairs in some],
        svg.times(values, caption),
    )
    return drawing, tuple((svg.swatch_line(i), label) for i, (label, _) in enumerate(some))


def _cumulative(pairs: Sequence[tuple[int, int]]) -> tuple[tuple[float, float], ...]:
    whole = sum(count for _, count in pairs)
    found, so_far = [], 0
    for value, count in pairs:
        so_far += count
        found.append((float(value), so_far / whole))
    return tuple(found)
