"""The check of ministat's lines below a row, as a message quotes them, by the rows.

A figure is right if it is what the rows give in one of two forms, with ministat's t or with the
exact quantile, each within the digits that the rows and the figure have. The error in percent has
two more: later versions of ministat add the reference's own uncertainty.
"""

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal

from ....base.dataclass import dataclass, replace
from ....base.patterns import pattern
from ....lab.statistics import ministat, student
from ....lab.statistics.comparison import Comparison, TVerdict, compare
from ....lab.statistics.numbers import half_unit
from ....lab.statistics.summary import Summary
from .claim import MessageClaim, judged

_NUMBER = r"[-+]?[0-9]{1,18}(?:\.[0-9]{1,18})?(?:[eE][-+]?[0-9]{1,3})?"
_MORE_OR_LESS = r"\s*(?:\+/-|\N{PLUS-MINUS SIGN})\s*"
_VERDICT = pattern(r"\s*(?P<no>No )?[Dd]ifference (?:proven )?at (?P<level>[0-9.]+)% confidence")
_KINDS = {
    "difference": re.compile(rf"\s*(?P<value>{_NUMBER}){_MORE_OR_LESS}(?P<error>{_NUMBER})"),
    "percent": re.compile(rf"\s*(?P<value>{_NUMBER})\s?%{_MORE_OR_LESS}(?P<error>{_NUMBER})\s?%"),
    "pooled": re.compile(rf"\s*\(Student's t, pooled s = (?P<value>{_NUMBER})\)"),
}
_USUAL = Decimal(95)
_FAR = 8
"""ministat prints four lines; a mailer may break each in two."""


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """kind: "verdict", or one of _KINDS. value, error: as printed, "" where there is none."""

    text: str
    line: int
    kind: str
    value: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class ComparisonForm:
    """A comparison of two rows with one t.

    name         "exact" or "ministat's"
    level        of confidence, in percent
    low, high    least and greatest of each figure that the rows' digits allow
    """

    name: str
    level: Decimal
    comparison: Comparison
    low: dict[str, float]
    high: dict[str, float]


@dataclass(frozen=True, slots=True)
class PrintedBeside:
    """confidence: what is said, or 95 %. lines: all lines that were read."""

    confidence: Decimal
    printed: tuple[PrintedLine, ...]

    @property
    def lines(self) -> frozenset[int]:
        return frozenset(one.line for one in self.printed)

    def claims(self, made: Sequence[ComparisonForm]) -> Iterator[MessageClaim]:
        for one in self.printed:
            is_right, follows = _judged(one, made)
            against = follows if is_right else f"from the rows above follows {follows}"
            yield judged(one.text, one.line, is_right, against, "IS512")


def printed_beside(lines: Sequence[str], row: int, following: int | None) -> PrintedBeside:
    """Returns ministat's lines below a row.

    row        its line, from 1
    following  line of the next row, None for none
    """
    end = min(len(lines), row + _FAR, (following or len(lines) + 1) - 1)
    confidence = _USUAL
    found: list[PrintedLine] = []
    for number in range(row + 1, end + 1):
        line = lines[number - 1]
        text = " ".join(line.split())
        match = _VERDICT.fullmatch(line.rstrip())
        if match and _is_level(match["level"]):
            confidence = Decimal(match["level"]).normalize()
            found.append(PrintedLine(text, number, "verdict", "no" if match["no"] else ""))
            continue
        for kind, form in _KINDS.items():
            if match := form.fullmatch(line.rstrip()):
                error = match.groupdict().get("error", "")
                found.append(PrintedLine(text, number, kind, match["value"], error))
    return PrintedBeside(confidence, tuple(found))


def _is_level(text: str) -> bool:
    return re.fullmatch(r"[0-9]{1,2}(?:\.[0-9]{1,6})?", text) is not None and 0 < float(text) < 100


def forms(reference: Summary, other: Summary, confidence: Decimal) -> tuple[ComparisonForm, ...]:
    """The exact comparison, then ministat's if it has the level."""
    degrees = reference.n + other.n - 2
    made = [_form("exact", confidence, student.quantile(confidence, degrees), reference, other)]
    if confidence in ministat.NORMAL:
        needed = ministat.needed_for(confidence)(degrees)
        made.append(_form("ministat's", confidence, needed, reference, other))
    return tuple(made)


def _form(
    name: str, level: Decimal, t: float, reference: Summary, other: Summary
) -> ComparisonForm:
    def needed(degrees: int) -> float:
        return t

    low: dict[str, float] = {}
    high: dict[str, float] = {}
    for a, b in itertools.product(_corners(reference), _corners(other)):
        for figure, value in _figures(a, b, needed).items():
            low[figure] = min(value, low.get(figure, value))
            high[figure] = max(value, high.get(figure, value))
    return ComparisonForm(name, level, compare(reference, other, needed), low, high)


def _corners(row: Summary) -> Iterator[Summary]:
    """The row with average and stddev at the ends of their rounding."""
    half_average, half_stddev, _ = row.halves
    for sign_a, sign_s in itertools.product((-1, 1), repeat=2):
        stddev = max(0.0, row.stddev + sign_s * half_stddev)
        average = row.average + sign_a * half_average
        yield replace(row, average=average, stddev=stddev, variance=stddev * stddev)


def _figures(a: Summary, b: Summary, needed: Callable[[int], float]) -> dict[str, float]:
    found = compare(a, b, needed)
    values = {
        "difference": found.difference,
        "difference error": found.error,
        "percent": found.percent,
        "percent error": found.percent_error,
        "percent error, the reference's included": ministat.later_percent_error(a, b, found.needed),
        "pooled": found.pooled,
    }
    return {name: value for name, value in values.items() if value is not None}


def _judged(one: PrintedLine, made: Sequence[ComparisonForm]) -> tuple[bool, str]:
    """Tells whether a printed line is right in one of the forms, and what follows in each."""
    if one.kind == "verdict":
        differs = [form.comparison.verdict is not TVerdict.NONE for form in made]
        words = [
            f"{'a' if differ else 'no'} difference ({form.name} t, {form.comparison.needed:.6g})"
            for differ, form in zip(differs, made, strict=True)
        ]
        return (one.value != "no") in differs, ", ".join(words)
    unit = "%" if one.kind == "percent" else ""
    exact = made[0].comparison
    value = {"difference": exact.difference, "percent": exact.percent, "pooled": exact.pooled}
    follows = f"{value[one.kind]:.6g}{unit}" if value[one.kind] is not None else "nothing"
    is_right = any(_within(one.value, form, one.kind) for form in made)
    if one.error:
        errors = [
            f"+/- {error:.6g}{unit} with {form.name} t"
            for form in made
            if (error := form.comparison.percent_error if unit else form.comparison.error)
            is not None
        ]
        follows = f"{follows} {', '.join(errors)}"
        names = (f"{one.kind} error", "percent error, the reference's included")[: 1 + bool(unit)]
        is_right = is_right and any(
            _within(one.error, form, name) for form in made for name in names
        )
    return is_right, follows


def _within(text: str, form: ComparisonForm, figure: str) -> bool:
    if figure not in form.low:
        return False
    value, half = float(text), half_unit(text)
    # %g leaves six digits
    half = max(half, abs(value) * 5e-6)
    return form.low[figure] - half <= value <= form.high[figure] + half
