"""stats for people: rows, comparisons with the first set of a group, and what becomes of them
without the sets' maxima."""

import math
from collections.abc import Sequence

from ...base.report.escapes.text import printable
from ...base.report.style import Style
from ...base.wording import joined
from .analysis import Analysis, Pair
from .comparison import Comparison, TVerdict
from .said_ministat import name, number_text

HEAD = ("N", "Min", "Max", "Median", "Avg", "Stddev")


def text(analysis: Analysis, style: Style) -> str:
    names = [name(dataset) for dataset in analysis.datasets]
    wide = max(len(word) for word in names)
    lines = [style("strong", f"{'':<{wide}}  {_cells(HEAD)}".rstrip())]
    for label, row in zip(names, analysis.summaries, strict=True):
        values = (row.minimum, row.maximum, row.median, row.average, row.stddev)
        cells = _cells((str(row.n), *(number_text(value, ".8g") for value in values)))
        lines.append(f"{label:<{wide}}  {cells}")
    for pair in analysis.pairs:
        lines += ["", *_pair(analysis, pair, names, style)]
    return "\n".join(lines) + "\n"


def _cells(words: tuple[str, ...]) -> str:
    return f"{words[0]:>8} " + " ".join(f"{word:>13}" for word in words[1:])


def _pair(analysis: Analysis, pair: Pair, names: list[str], style: Style) -> list[str]:
    found = pair.comparison
    reference = names[pair.reference]
    kind = "note" if found.verdict is TVerdict.NONE else "strong"
    verdict = style(kind, _verdict(found, analysis))
    lines = [
        f"{names[pair.other]} against {reference}: {verdict}",
        f"  difference   {_g(found.difference)} +/- {_g(found.error)}",
    ]
    percent = _percent(found)
    if percent:
        lines.append(f"  percent      {percent} of the average of {reference}")
    t = "none, nothing varies" if found.t is None else _g(found.t)
    chance = "" if pair.probability is None else f"; p {pair.probability:.3g}"
    lines += [
        f"  Student's t  {t}; {found.needed:.6g} needed, {found.degrees} degrees of freedom, "
        f"exact{chance}",
        f"  pooled s     {_g(found.pooled)}",
    ]
    return lines + audit_lines(analysis, pair, names, style)


def _verdict(found: Comparison, analysis: Analysis) -> str:
    level = f"at {analysis.confidence} % confidence"
    if found.verdict is TVerdict.NONE:
        return f"no difference proven {level}"
    return f"{found.verdict} {level}"


def audits(analysis: Analysis, style: Style) -> str:
    """Returns what is printed after ministat's text where an audit (--audit) was asked for."""
    names = [name(dataset) for dataset in analysis.datasets]
    lines: list[str] = []
    for pair in analysis.pairs:
        found = audit_lines(analysis, pair, names, style)
        if found:
            lines += [f"{names[pair.other]} against {names[pair.reference]}", *found]
    return "".join(f"{line}\n" for line in lines)


def audit_lines(analysis: Analysis, pair: Pair, names: list[str], style: Style) -> list[str]:
    """Returns the lines on one pair of sets without their maxima; none where none were
    asked for."""
    if not pair.again:
        return []
    lines = ["  without the one maximum of"]
    whose = (pair.reference, pair.other)
    for again in pair.again:
        sets = [whose[which] for which in again.without]
        shares = []
        for number in sets:
            reduced = analysis.reduced[number]
            assert reduced is not None
            shares.append(f"{names[number]} ({100 * reduced.share:.1f} % of its squares)")
        found = again.comparison
        if again.survives is None:
            lines.append(f"    {joined(shares)}: the rows have too few digits to tell")
            continue
        percent = f": {_percent(found)}" if _percent(found) else ""
        verdict = "no difference proven" if found.verdict is TVerdict.NONE else str(found.verdict)
        shown = verdict if again.survives else style("error", f"{verdict}, another conclusion")
        lines.append(f"    {joined(shares)}: {shown}{percent}")
    if pair.survives is None:
        lines.append("  whether the conclusion survives cannot be told from these rows")
    elif pair.survives:
        lines.append("  the conclusion survives")
    else:
        lines.append(style("error", "  the conclusion hangs on one sample"))
    return lines


def remarks(said: Sequence[str]) -> str:
    """Returns what was repaired to read the files, below everything else."""
    return "".join(["\n", *(f"{printable(one)}\n" for one in said)]) if said else ""


def _percent(found: Comparison) -> str:
    """Returns a difference and its error in percent of the reference; "" if the reference's average
    is 0 or so small that they are no finite numbers."""
    both = (found.percent, found.percent_error)
    if any(value is None or math.isinf(value) for value in both):
        return ""
    return " +/- ".join(f"{_g(value)} %" for value in both if value is not None)


def _g(value: float) -> str:
    return number_text(value)
