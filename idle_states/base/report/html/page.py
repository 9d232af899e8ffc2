"""The parts of a page, and their rendering as HTML. The layout is in templates/page.html.j2.
The script is templates/page.js; the page's policy names its digest, so that nothing else runs."""

import base64
import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from itertools import chain, count
from urllib.parse import quote

from markupsafe import Markup

from .... import __version__
from ...model.findings import Location
from ...reading import opening
from ...resources import template
from ..digests import Digests
from ..escapes.text import printable, printable_source
from ..escapes.uri import uri
from ..findings_text import shown, source_line
from ..help_pages import page_of
from ..sheet import (
    NO_NUMBERS,
    Cell,
    Drawing,
    Either,
    FindingsPart,
    Line,
    Lines,
    Marked,
    Part,
    Picture,
    Rows,
    Sheet,
    SourcePlace,
    Worded,
)
from . import svg

_ID = 48
"""Most characters of a name in an address, without its number."""
_RULE = re.compile(r"(?<![\w./-])(IS[0-9]{3})(?= [a-z])")
"""The code of a rule before its name."""


def render(
    command: str,
    whole: Sheet,
    inputs: Iterable[tuple[str, str]] | Digests,
    file: str | None = None,
) -> str:
    """Returns the page of a sheet. inputs: (file, SHA-256); file: the page's own, from which its
    links lead to files; None: they are not linked."""
    given = inputs if isinstance(inputs, Digests) else Digests(inputs)
    script = template("page.js").render()
    written = _Written("" if file in (None, "-") else os.path.dirname(file) or ".")
    return template("page.html.j2").render(
        script=Markup(script),
        allowed=f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}",
        title=printable(whole.title),
        command=command,
        version=__version__,
        headline=[written.words(words) for words in whole.headline],
        definitions=svg.markup(svg.definitions()),
        sections=written.sections(whole),
        inputs=[(written.words(_file(name)), digest or "-") for name, digest in given.first],
        more=given.count - len(given.first),
        digest=given.whole,
    )


def _file(name: str) -> SourcePlace:
    return SourcePlace(Location(file=name), name)


def _flat(parts: Iterable[Part]) -> Iterator[Rows | Lines | Picture]:
    for part in parts:
        if isinstance(part, Either):
            yield from _flat(part.page)
        else:
            yield _findings(part) if isinstance(part, FindingsPart) else part


def _findings(found: FindingsPart) -> Rows:
    chosen = shown(found.findings, notes=found.notes)
    if found.placed:
        chosen.sort(key=lambda f: (f.location.file or "", f.location.line or 0))
    else:
        chosen.sort(key=lambda f: -f.severity)
    rows = tuple(
        (
            (
                Marked(str(finding.severity), str(finding.severity)),
                f" {finding.rule} {finding.name}",
            ),
            (
                finding.message,
                *(part for each in finding.related for part in _related(*each)),
                SourcePlace(
                    finding.location, quoted=source_line(finding.location, found.texts) or ""
                ),
            ),
            ", ".join(finding.kernels),
        )
        for finding in chosen
    )
    caption = "By place" if found.placed else "By severity"
    columns = 3 if any(finding.kernels for finding in chosen) else 2
    head = ("Finding", "Message and place", "Kernels")[:columns]
    return Rows(head, tuple(row[:columns] for row in rows), caption, NO_NUMBERS)


def _related(where: Location, remark: str) -> tuple[Cell, ...]:
    return "; ", SourcePlace(where, "" if where.file else where.path), f": {remark}"


class _Written:
    """A page as it is written.

    folder  the one that it is in; "": not known
    ids     names that its address can lead to
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.ids = {each.get("id") for each in svg.definitions()}

    def sections(self, whole: Sheet) -> list[dict[str, object]]:
        """The sections that have a part to show, or a title alone."""
        found: list[dict[str, object]] = []
        shown: list[dict[str, object]] = []
        for section in (*whole.sections, *whole.further, whole.about):
            title = self.words(section.title, linked=False)
            parts = [made for part in _flat(section.parts) if (made := self._part(part, title))]
            if not title:
                shown += parts
            elif parts or not section.parts:
                shown = parts
                folded = section.folded
                found.append(
                    {"title": title, "id": self._id(title), "parts": shown, "folded": folded}
                )
        return found

    def _id(self, title: str) -> str:
        """Returns a name for an address to lead to, of a title's letters and digits; takes it."""
        first = re.sub("[^a-z0-9]+", "-", title.lower())[:_ID].strip("-") or "part"
        names = (f"{first}-{number}" for number in count(2))
        found = next(name for name in chain([first], names) if name not in self.ids)
        self.ids.add(found)
        return found

    def _part(self, part: Rows | Lines | Picture, title: str) -> dict[str, object]:
        if isinstance(part, Lines):
            lines = [words for line in part.lines if (words := self.words(line).strip())]
            return {"kind": "lines", "lines": lines} if lines else {}
        if isinstance(part, Rows):
            return self._rows(part, title) if part.rows else {}
        found: Drawing = part.draw()
        caption = found.drawn.findtext("title") or ""
        return {
            "kind": "picture",
            "title": caption,
            "id": self._id(caption),
            "drawing": svg.markup(found.drawn),
            "legend": [(svg.markup(sample), printable(words)) for sample, words in found.legend],
            "table": self._rows(part.table, title),
        }

    def _rows(self, table: Rows, title: str) -> dict[str, object]:
        numbers = table.numbers
        caption = printable(table.caption or title)
        return {
            "kind": "table",
            "id": self._id(caption),
            "caption": caption,
            "head": [self.words(cell) for cell in table.head],
            "rows": [[self.words(cell) for cell in row] for row in table.rows],
            "numbers": range(1, len(table.head)) if numbers is None else numbers,
            "unbroken": table.unbroken,
        }

    def words(self, line: Line, linked: bool = True) -> str:
        """Returns a line as the page has it; a severity has its colour. linked: the codes of rules
        lead to their pages, if it is known where these are, and places to their files."""
        if isinstance(line, tuple):
            parts = [self.words(cell, linked) for cell in line]
            marked = any(isinstance(each, Markup) for each in parts)
            return Markup("").join(parts) if marked else "".join(parts)
        words = printable(_of_cell(line))
        if isinstance(line, Marked) and line.kind in svg.SEVERITIES:
            return Markup('<span class="{}">{}</span>').format(line.kind, words)
        if isinstance(line, Marked) and line.kind == "strong" and linked:
            return Markup("<strong>{}</strong>").format(words)
        if isinstance(line, SourcePlace) and linked:
            return self._placed(line, words)
        pieces = _RULE.split(words) if linked else [words]
        if len(pieces) == 1 or page_of(pieces[1]) is None:
            return words
        link = Markup('<a href="{}">{}</a>').format
        return Markup("").join(link(page_of(p), p) if n % 2 else p for n, p in enumerate(pieces))

    def _placed(self, place: SourcePlace, words: str) -> str:
        """Returns a place with a link to its file, if that is there, and the line quoted."""
        where = place.where
        if self.folder and where.file and opening.is_file(where.file):
            address = uri(os.path.relpath(where.file, self.folder))
            if text := (place.quoted or "").strip():
                # a browser that shows the file goes to the line
                address += f"#:~:text={quote(text, safe='').replace('-', '%2D')}"
            words = Markup('<a href="{}">{}</a>').format(address, words)
        if place.quoted is None:
            return words
        at = (where.column or 1) - 1
        end = at + max(1, where.length)
        pieces = place.quoted[:at].lstrip(), place.quoted[at:end], place.quoted[end:].rstrip()
        marked = "<code>{}<mark>{}</mark>{}</code>" if place.quoted else ""
        block = Markup(f'<div class="quoted">{{}}{marked}</div>')
        return block.format(words, *map(printable_source, pieces))


def _of_cell(cell: Cell) -> str:
    if isinstance(cell, Worded):
        return cell.page
    return cell.words if isinstance(cell, Marked) else str(cell)
