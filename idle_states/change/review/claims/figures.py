"""The figures that a message quotes, compared again: ministat's rows, and tables of means.

What the message prints beside them is held against what follows from them, within the rounding of
both, in ministat's form and in the exact one.
"""

from collections.abc import Iterator, Sequence

from ....base.dataclass import dataclass
from ....base.model.findings import Unreadable
from ....base.patterns import pattern
from ....base.wording import plural
from ....lab.statistics import mmtests
from ....lab.statistics.files import ResultsFile, ResultsKind
from ....lab.statistics.numbers import is_number
from ....lab.statistics.summary import Dataset, Summary, inconsistency
from ....lab.statistics.summary_rows import FIGURES, SYMBOLS, is_caption, is_head, rows
from ....lab.statistics.wrapped_rows import rejoined
from .claim import MessageClaim, judged
from .printed import ComparisonForm, forms, printed_beside
from .prose import MAX_CHARACTERS

_MOST_ROWS = 64
"""Rows of one message that are compared; more are no summary."""
_LEGEND = pattern(r"\s*[x+*%#@O] \S.*|\s*[|+][-|+xA_M* ]*[|+]\s*")

Ranges = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class QuotedComparison:
    """Two or more sets of figures that a message quotes, compared.

    shown        for messages: "+68.78 % +/- 8.30 % at 99 % confidence (message line 50)"
    first, last  lines of the message that its figures stand on
    rises        whether the second set is greater; None of several comparisons in one
    of_first     changes in percent of the first set, without sign: least and greatest
    of_second    likewise, of the second set
    unlike       what else changes, and by how many percent, which a summary does not mean
    is_test      whether the figures are of runs that were repeated, so that uncertainty is known
    """

    shown: str
    first: int
    last: int
    rises: bool | None
    of_first: Ranges
    of_second: Ranges
    unlike: tuple[tuple[str, float], ...] = ()
    is_test: bool = True


@dataclass(frozen=True, slots=True)
class QuotedFigures:
    """claims       of what is printed beside figures
    comparisons  in the order of the message
    lines        those that figures stand on, which are no prose
    """

    claims: tuple[MessageClaim, ...]
    comparisons: tuple[QuotedComparison, ...]
    lines: frozenset[int]


def figures(message: str) -> QuotedFigures:
    """Reads all figures of a message. Such as cannot be read are claims that are not checked."""
    raw = message[:MAX_CHARACTERS].splitlines()
    lines = rejoined(raw)[0] if any(map(is_head, raw)) else tuple(raw)
    claims: list[MessageClaim] = []
    comparisons: list[QuotedComparison] = []
    read: set[int] = set()
    for found in (_tests(lines), _means(lines)):
        claims += found.claims
        comparisons += found.comparisons
        read |= found.lines
    # of a row that is joined again, all lines
    read |= {n for n in range(1, len(raw) + 1) if raw[n - 1].strip() and not lines[n - 1].strip()}
    comparisons.sort(key=lambda one: one.first)
    return QuotedFigures(tuple(claims), tuple(comparisons), frozenset(read))


def _tests(lines: Sequence[str]) -> QuotedFigures:
    """Returns the figures of ministat's rows."""
    heads = [number for number, line in enumerate(lines, 1) if is_head(line)]
    if not heads:
        return QuotedFigures((), (), frozenset())
    kept = _blocks(lines, heads)
    # prose between figures is no damaged row
    bare = tuple(line if n in kept or is_caption(line) else "" for n, line in enumerate(lines, 1))
    file = ResultsFile("message", bare, "", frozenset({ResultsKind.ROWS}))
    try:
        sets = rows(file)
    except Unreadable as problem:
        return QuotedFigures(tuple(_unread(problem, bare)), (), kept)
    claims: list[MessageClaim] = []
    comparisons: list[QuotedComparison] = []
    firsts: dict[int, Dataset] = {}
    for number, dataset in enumerate(sets[:_MOST_ROWS]):
        assert dataset.row is not None
        assert dataset.line is not None
        reference = firsts.setdefault(dataset.group, dataset)
        after = sets[number + 1].line if number + 1 < len(sets) else None
        beside = printed_beside(lines, dataset.line, after)
        kept |= beside.lines
        if reference is dataset:
            why = "the row above is the first of its group, and compared with none"
            claims += [judged(p.text, p.line, None, why, "IS512") for p in beside.printed]
            continue
        assert reference.row is not None
        made = forms(reference.row, dataset.row, beside.confidence)
        claims += beside.claims(made)
        first = min((reference.line or 1), dataset.line)
        comparisons.append(
            _compared(reference.row, dataset.row, made, _start(kept, first), dataset.line)
        )
    return QuotedFigures(tuple(claims), tuple(comparisons), kept)


def _start(kept: frozenset[int], line: int) -> int:
    """The first line of the block that a line is in."""
    while line - 1 in kept:
        line -= 1
    return line


def _blocks(lines: Sequence[str], heads: Sequence[int]) -> frozenset[int]:
    """The lines that figures stand on: legends above a head, and rows below it."""
    kept: set[int] = set()
    for head in heads:
        kept.add(head)
        above = head - 1
        while above >= 1 and _LEGEND.fullmatch(lines[above - 1]):
            kept.add(above)
            above -= 1
        below = head + 1
        while below <= len(lines) and _is_row(lines[below - 1]):
            kept.add(below)
            below += 1
            while below <= len(lines) and below - head < _MOST_ROWS and _beside(lines, below):
                kept.add(below)
                below += 1
    return frozenset(kept)


def _beside(lines: Sequence[str], number: int) -> bool:
    """Tells whether a line below a row is part of the figures: empty where a row was joined, or
    what ministat prints of the difference."""
    return bool(printed_beside(lines, number - 1, number + 1).lines) or not lines[number - 1]


def _is_row(line: str) -> bool:
    words = line.split()
    return len(_figures_of(words)) >= len(FIGURES) or (len(words) > 1 and words[0] in SYMBOLS)


def _figures_of(words: Sequence[str]) -> list[str]:
    return [word for word in words if is_number(word)]


def _unread(problem: Unreadable, lines: Sequence[str]) -> Iterator[MessageClaim]:
    """A row that no samples have is a contradiction; one that cannot be read is not checked."""
    for finding in problem.findings:
        number = finding.location.line or 1
        line = lines[number - 1]
        words = _figures_of(line.split())[-len(FIGURES) :]
        wrong = None
        if len(words) == len(FIGURES) and words[0].isdigit() and not line.rstrip().endswith("."):
            low, high, median, average, stddev = map(float, words[1:])
            row = Summary(int(words[0]), low, high, median, average, stddev, stddev**2)
            wrong = inconsistency(row)
        text = " ".join(line.split())
        if wrong:
            against = f"no samples have such a summary: {wrong}"
            yield judged(text, number, False, against, "IS512")
        else:
            yield judged(text, number, None, finding.message, "IS512")


def _compared(
    reference: Summary, other: Summary, made: Sequence[ComparisonForm], first: int, last: int
) -> QuotedComparison:
    exact = made[0].comparison
    difference, error = abs(exact.difference), exact.error

    def ranges(average: float, median: float) -> Ranges:
        of_medians = abs(other.median - reference.median)
        return (
            *(
                [((difference - error) * 100 / average, (difference + error) * 100 / average)]
                if average
                else []
            ),
            *([(100 * of_medians / median,) * 2] if median else []),
        )

    columns = (
        ("minima", reference.minimum, other.minimum),
        ("maxima", reference.maximum, other.maximum),
    )
    percent = "no percentage"
    if exact.percent is not None and exact.percent_error is not None:
        percent = f"{exact.percent:+.4g} % +/- {exact.percent_error:.3g} %"
    return QuotedComparison(
        f"{percent} at {made[0].level:f} % confidence (message line {last})",
        first,
        last,
        exact.difference > 0,
        ranges(reference.average, reference.median),
        ranges(other.average, other.median),
        tuple((name, 100 * (b - a) / a) for name, a, b in columns if a > 0),
    )


def _means(lines: Sequence[str]) -> QuotedFigures:
    """Returns the figures of tables of means with percent."""
    if not any(mmtests.cells(line) for line in lines):
        return QuotedFigures((), (), frozenset())
    kept = {n for n, line in enumerate(lines, 1) if mmtests.cells(line)}
    bare = tuple(line if n in kept else "" for n, line in enumerate(lines, 1))
    try:
        table = mmtests.table(ResultsFile("message", bare, "", frozenset({ResultsKind.MMTESTS})))
    except Unreadable as problem:
        return QuotedFigures(tuple(_unread(problem, bare)), (), frozenset(kept))
    claims = []
    for row in table:
        checked = [(n, mmtests.follows(row, n)) for n in range(1, len(row.cells))]
        text = " ".join(lines[row.line - 1].split())
        wrong = [n for n, follows in checked if follows is False]
        holds, against = None, "a mean or a percentage is missing"
        if wrong:
            cell, change = row.cells[wrong[0]], mmtests.change(row, wrong[0])
            against = f"from its means follows {change:.2f} % instead of {cell.printed:.2f} %"
            holds = False
        elif any(follows for _, follows in checked):
            holds, against = True, "each percentage follows from its means"
        claims.append(judged(text, row.line, holds, against, "IS512"))
    return QuotedFigures(tuple(claims), tuple(_tables(table)), frozenset(kept))


def _tables(table: Sequence[mmtests.MeansRow]) -> Iterator[QuotedComparison]:
    """Each table of means as one comparison, from the least to the greatest of its changes."""
    runs: list[list[mmtests.MeansRow]] = []
    for row in table:
        if runs and row.line == runs[-1][-1].line + 1:
            runs[-1].append(row)
        else:
            runs.append([row])
    for run in runs:
        found = [
            change
            for row in run
            for n in range(1, len(row.cells))
            if (change := mmtests.change(row, n)) is not None
        ]
        if found:
            sizes = [abs(change) for change in found]
            shown = f"{min(found):+.4g} % to {max(found):+.4g} % in {plural(len(run), 'row')}"
            yield QuotedComparison(
                f"{shown} of means (message line {run[0].line})",
                run[0].line,
                run[-1].line,
                None,
                ((min(sizes), max(sizes)),),
                (),
                is_test=False,
            )
