"""The pictures of audit: what is selected, and how many inputs of a fleet have a finding."""

from collections.abc import Iterator, Sequence
from functools import partial

from ...base.dataclass import replace
from ...base.report.html import pictures, svg
from ...base.report.html.pictures import Band, BandRow
from ...base.report.html.shares import legend
from ...base.report.sheet import Drawing, Marked, Picture, Rows
from ...base.wording import plural
from ..linux.kernel_ranges import kernel_ranges
from ..selection.drawn import band, map_of
from .audited import Audited, Selected
from .summary import FleetSummary


def kernels(audited: Audited, some: Sequence[str]) -> str:
    """Returns some of the kernels that an input was judged by, neighbours as ranges."""
    known = [kernel for group in audited.registered for kernel in group.kernels]
    return kernel_ranges(some, known)


def selected(audited: Audited) -> Picture:
    """Returns a row for kernels that select the same, a band for each range of idle lengths."""
    rows, named = [], []
    for group, name2number in _numbered(audited):
        label = f"Linux {kernels(audited, group.kernels)}"
        named.append((label, [(number, name) for name, number in name2number.items()]))
        bands = []
        for first, last, some in group.ranges:
            numbers = sorted((name2number[name], name) for name in some if name in name2number)
            bands.append(band(first, last, dict(numbers), " and ".join(some)))
        rows.append(BandRow(label, tuple(bands)))
    caption = "What is selected for steady idles that an interrupt ends"
    draw, table = map_of(caption, "idle length", "Kernels", rows)
    return Picture(lambda: Drawing(draw(), legend(named)), table)


def _numbered(audited: Audited) -> Iterator[tuple[Selected, dict[str, int]]]:
    """Yields kernels that select the same states, with name -> number of their states. Kernels with
    different numbers are listed separately."""
    kernel2numbers = {
        kernel: {state.name: state.index for state in reversed(group.states)}
        for group in audited.registered
        for kernel in group.kernels
    }
    for group in audited.selected:
        numbers2kernels: dict[tuple[tuple[str, int], ...], list[str]] = {}
        for kernel in group.kernels:
            numbers = tuple(kernel2numbers.get(kernel, {}).items())
            numbers2kernels.setdefault(numbers, []).append(kernel)
        for numbers, kernels in numbers2kernels.items():
            yield replace(group, kernels=tuple(kernels)), dict(numbers)


def rules(summary: FleetSummary) -> Picture:
    """Returns a bar for each rule: how many inputs have such a finding, the worst first."""
    found = summary.found_worst_first()
    bars = []
    for (rule, name, severity), count in found:
        words = f"{count} {severity} {rule} {name}"
        band = Band(0, count, (), "", "", words, kind=severity)
        bars.append(BandRow(words, (band,)))
    drawing = pictures.bands(
        "Inputs with a finding",
        "For each rule a bar along a logarithmic scale: how many inputs have such a finding.",
        bars,
        svg.counts(summary.inputs, f"of {plural(summary.inputs, 'input')}, each mark ten times"),
    )
    rows = tuple(
        (f"{rule} {name}", Marked(severity, severity), str(n))
        for (rule, name, severity), n in found
    )
    table = Rows(("Rule", "Severity", "Inputs"), rows, "Inputs by rule", frozenset({2}))
    return Picture(partial(Drawing, drawing), table)
