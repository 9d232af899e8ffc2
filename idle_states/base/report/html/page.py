"""The parts of a page, and their rendering as HTML. The layout is in templates/page.html.j2.
The script is templates/page.js; the page's policy names its digest, so that nothing else runs."""

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator
from itertools import chain, count

from markupsafe import Markup

from .... import __version__
from ...resources import template
from ..digests import Digests
from ..escapes.text import printable
from ..findings_text import shown
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
    Worded,
)
from . import svg

_ID = 48
"""Most characters of a name in an address, without its number."""
_RULE = re.compile(r"(?<![\w./-])(IS[0-9]{3})(?= [a-z])")
"""The code of a rule before its name."""


def render(command: str, whole: Sheet, inputs: Iterable[tuple[str, str]] | Digests) -> str:
    """Returns the page of a sheet. inputs: (file, SHA-256)."""
    given = inputs if isinstance(inputs, Digests) else Digests(inputs)
    script = template("page.js").render()
    return template("page.html.j2").render(
        script=Markup(script),
        allowed=f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}",
        title=printable(whole.title),
        command=command,
        version=__version__,
        headline=[_words(words) for words in whole.headline],
        definitions=svg.markup(svg.definitions()),
        sections=_sections(whole),
        inputs=[(printable(file), digest or "-") for file, digest in given.first],
        more=given.count - len(given.first),
        digest=given.whole,
    )


def _sections(whole: Sheet) -> list[dict[str, object]]:
    """The sections that have a part to show, or a title alone."""
    found: list[dict[str, object]] = []
    shown: list[dict[str, object]] = []
    ids = {each.get("id") for each in svg.definitions()}
    for section in (*whole.sections, *whole.further, whole.about):
        title = _words(section.title, linked=False)
        parts = [made for part in _flat(section.parts) if (made := _part(part, title, ids))]
        if not title:
            shown += parts
        elif parts or not section.parts:
            shown = parts
            found.append({"title": title, "id": _id(title, ids), "parts": shown})
    return found


def _id(title: str, taken: set[str | None]) -> str:
    """Returns a name for an address to lead to, of a title's letters and digits, and takes it."""
    first = re.sub("[^a-z0-9]+", "-", title.lower())[:_ID].strip("-") or "part"
    names = (f"{first}-{number}" for number in count(2))
    found = next(name for name in chain([first], names) if name not in taken)
    taken.add(found)
    return found


def _flat(parts: Iterable[Part]) -> Iterator[Rows | Lines | Picture]:
    for part in parts:
        if isinstance(part, Either):
            yield from _flat(part.page)
        else:
            yield _findings(part) if isinstance(part, FindingsPart) else part


def _findings(found: FindingsPart) -> Rows:
    chosen = shown(found.findings, notes=found.notes)
    rows = tuple(
        (
            f"{finding.rule} {finding.name}",
            Marked(str(finding.severity), str(finding.severity)),
            finding.message,
            str(finding.location),
            ", ".join(finding.kernels),
        )
        for finding in sorted(chosen, key=lambda finding: -finding.severity)
    )
    head = ("Rule", "Severity", "Message", "Place", "Kernels")
    return Rows(head, rows, "By severity", NO_NUMBERS)


def _part(part: Rows | Lines | Picture, title: str, ids: set[str | None]) -> dict[str, object]:
    if isinstance(part, Lines):
        lines = [words for line in part.lines if (words := _words(line).strip())]
        return {"kind": "lines", "lines": lines} if lines else {}
    if isinstance(part, Rows):
        return _rows(part, title, ids) if part.rows else {}
    found: Drawing = part.draw()
    caption = found.drawn.findtext("title") or ""
    return {
        "kind": "picture",
        "title": caption,
        "id": _id(caption, ids),
        "drawing": svg.markup(found.drawn),
        "legend": [(svg.markup(sample), printable(words)) for sample, words in found.legend],
        "table": _rows(part.table, title, ids),
    }


def _rows(table: Rows, title: str, ids: set[str | None]) -> dict[str, object]:
    numbers = table.numbers
    caption = printable(table.caption or title)
    return {
        "kind": "table",
        "id": _id(caption, ids),
        "caption": caption,
        "head": [_words(cell) for cell in table.head],
        "rows": [[_words(cell) for cell in row] for row in table.rows],
        "numbers": range(1, len(table.head)) if numbers is None else numbers,
        "unbroken": table.unbroken,
    }


def _words(line: Line, linked: bool = True) -> str:
    """Returns a line as a page has it; a severity has its colour. linked: the codes of rules lead
    to their pages, if it is known where these are."""
    if isinstance(line, tuple):
        parts = [_words(cell, linked) for cell in line]
        marked = any(isinstance(each, Markup) for each in parts)
        return Markup("").join(parts) if marked else "".join(parts)
    words = printable(_of_cell(line))
    if isinstance(line, Marked) and line.kind in svg.SEVERITIES:
        return Markup('<span class="{}">{}</span>').format(line.kind, words)
    pieces = _RULE.split(words) if linked else [words]
    if len(pieces) == 1 or page_of(pieces[1]) is None:
        return words
    link = Markup('<a href="{}">{}</a>').format
    return Markup("").join(link(page_of(p), p) if n % 2 else p for n, p in enumerate(pieces))


def _of_cell(cell: Cell) -> str:
    if isinstance(cell, Worded):
        return cell.page
    return cell.words if isinstance(cell, Marked) else cell
