"""Reports of audits, as text and HTML: a page for each of a few inputs, or a summary of many."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ... import __version__
from ...base.dataclass import dataclass, replace
from ...base.files import write_file
from ...base.report.digests import Digests
from ...base.report.html import page
from ...base.report.sheet import Section, Sheet
from ...base.report.sheet_text import text
from ...base.report.style import Style
from ..sources.walk import Walk
from .alike import Alike
from .audited import Audited
from .sheet import fleet, headline, sections, title
from .summary import FleetSummary

_PAGES = 8
"""Up to this many tables get a page each, unless the user asks otherwise."""


@dataclass(frozen=True, slots=True)
class View:
    """The parts to show. summary: only that, as for many inputs; pages: one for each, however many;
    notes: findings of that severity, too; against: name of the tree that each is compared with."""

    summary: bool
    pages: bool
    notes: bool
    against: str | None

    @property
    def everything(self) -> bool:
        return bool(self.pages or self.against)

    def sections(self, audited: Audited) -> Iterator[Section]:
        """Yields everything about one table of an input."""
        against = None
        if audited.against is not None and self.against is not None:
            against = self.against, audited.against
        return sections(audited, notes=self.notes, against=against)


class _Held:
    """Keeps the first results until it is known whether there are so few that each gets a page. Of
    the others nothing is kept but a digest: there may be millions."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._held: list[Audited] = []
        self.digests = Digests()

    def add(self, found: Sequence[Audited]) -> None:
        if isinstance(found, Alike):
            self.digests.add(found.file, found.sha256)
        else:
            for audited in found:
                self.digests.add(audited.file, audited.sha256)
        if not self._view.summary and len(self._held) <= _PAGES:
            self._held += found

    @property
    def few(self) -> list[Audited]:
        """The results that get a page each, because there are so few."""
        return self._held if len(self._held) <= _PAGES else []

    @property
    def summed_up(self) -> bool:
        return self.digests.count > 1 or self._view.summary

    def closing(self) -> str:
        """The tool's version, and a digest of all inputs; "" without inputs."""
        whole = f"sha256 of all inputs' digests {self.digests.whole}"
        return f"idle-states {__version__}; {whole}\n" if self.digests.count else ""


def text_parts(
    results: Iterable[Sequence[Audited]],
    view: View,
    walk: Walk,
    summary: FleetSummary,
    style: Style,
) -> Iterator[str]:
    """Whole lines, as they come."""

    def written(some: Iterable[Section]) -> str:
        return text(Sheet("", (), tuple(some)), style) + "\n"

    held = _Held(view)
    for found in results:
        held.add(found)
        if view.everything:
            yield from (written(view.sections(audited)) for audited in found)
    if not view.everything:
        yield from (written(view.sections(audited)) for audited in held.few)
    if held.summed_up:
        yield written(fleet(summary, walk.passed_over))
    if closing := held.closing():
        yield closing


def to_html(
    results: Iterable[Sequence[Audited]], view: View, walk: Walk, summary: FleetSummary, file: Path
) -> Iterator[Sequence[Audited]]:
    """Yields the results unchanged, and writes the HTML page to `file` after the last. Its
    headline counts notes, and so they are shown."""
    view = replace(view, notes=True)
    everything: list[Audited] = []
    held = _Held(view)
    for found in results:
        held.add(found)
        if view.everything:
            everything += found
        yield found
    shown: list[Section] = []
    if held.summed_up:
        shown += fleet(summary, walk.passed_over)
    for audited in everything if view.everything else held.few:
        shown += view.sections(audited)
    made = Sheet(title(summary), headline(summary), tuple(shown))
    write_file(file, page.render("audit", made, held.digests, str(file)))
