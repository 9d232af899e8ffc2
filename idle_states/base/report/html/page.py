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
from ...dataclass import replace
from ...reading import opening
from ...resources import template
from ..digests import Digests
from ..escapes.text import printable, printable_source
from ..escapes.uri import uri
from ..findings_text import shown, source_line
from ..help_pages import page_of
from ..sheet import (
    Either,
    FindingsPart,
    Line,
    Lines,
    Marked,
    Part,
    Picture,
    Section,
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
    script = template("page.js").render()
    return template("page.html.j2").render(
        script=Markup(script),
        allowed=f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}",
        whole=whole,
        command=command,
        version=__version__,
        svg=svg,
        sections=_sections(whole),
        inputs=inputs if isinstance(inputs, Digests) else Digests(inputs),
        printable=printable,
        source=printable_source,
        source_line=source_line,
        page=_Written("" if file in (None, "-") else os.path.dirname(file) or "."),
    )


def _sections(whole: Sheet) -> list[tuple[Section, list[tuple[str, Part]]]]:
    """Returns the sections that have something to show, or a title alone, with their parts: the
    template's name of each, and the part. One without a title goes on with the one before."""
    found: list[tuple[Section, list[tuple[str, Part]]]] = []
    for section in (*whole.sections, *whole.further, whole.about):
        parts = [*_flat(section.parts)]
        if not section.title:
            (found[-1][1] if found else []).extend(parts)
        elif parts or not section.parts:
            found.append((section, parts))
    return found


def _flat(parts: Iterable[Part]) -> Iterator[tuple[str, Part]]:
    """Yields the parts that have something to show, findings by severity."""
    for part in parts:
        if isinstance(part, Either):
            yield from _flat(part.page)
        elif isinstance(part, FindingsPart):
            chosen = shown(part.findings, notes=part.notes)
            if part.placed:
                chosen.sort(key=lambda f: (f.location.file or "", f.location.line or 0))
            else:
                chosen.sort(key=lambda f: -f.severity)
            if chosen:
                yield "findings", replace(part, findings=chosen)
        elif isinstance(part, Lines):
            lines = tuple(line for line in part.lines if _plain(line).strip())
            if lines:
                yield "lines", replace(part, lines=lines)
        elif isinstance(part, Picture) or part.rows:
            yield ("picture" if isinstance(part, Picture) else "table"), part


class _Written:
    """A page as it is written, for the template.

    folder  the one that it is in; "": not known
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._ids = {"hawake", *(f"h{number}" for number in range(len(svg.HATCHES)))}

    def id(self, title: str) -> str:
        """Returns a name for an address to lead to, of a title's letters and digits; takes it."""
        first = re.sub("[^a-z0-9]+", "-", title.lower())[:_ID].strip("-") or "part"
        names = (f"{first}-{number}" for number in count(2))
        found = next(name for name in chain([first], names) if name not in self._ids)
        self._ids.add(found)
        return found

    def words(self, line: Line, linked: bool = True) -> str:
        """Returns a line as the page has it; a severity has its colour. linked: the codes of rules
        lead to their pages, if it is known where these are, and places to their files."""
        if isinstance(line, tuple):
            parts = [self.words(cell, linked) for cell in line]
            marked = any(isinstance(each, Markup) for each in parts)
            return Markup("").join(parts) if marked else "".join(parts)
        words = printable(_plain(line))
        if isinstance(line, Marked) and line.kind in svg.SEVERITIES:
            return Markup('<span class="{}">{}</span>').format(line.kind, words)
        if isinstance(line, Marked) and line.kind == "strong" and linked:
            return Markup("<strong>{}</strong>").format(words)
        if isinstance(line, SourcePlace) and linked:
            return self.link(line.where.file, str(line))
        pieces = _RULE.split(words) if linked else [words]
        if len(pieces) == 1 or page_of(pieces[1]) is None:
            return words
        link = Markup('<a href="{}">{}</a>').format
        return Markup("").join(link(page_of(p), p) if n % 2 else p for n, p in enumerate(pieces))

    def link(self, file: str | None, words: str, line: str | None = None) -> str:
        """Returns words with a link to a file, if that is there. line: the source's, to which a
        browser goes that shows the file."""
        words = printable(words)
        if not (self.folder and file and opening.is_file(file)):
            return words
        address = uri(os.path.relpath(file, self.folder))
        if line and line.strip():
            address += f"#:~:text={quote(line.strip(), safe='').replace('-', '%2D')}"
        return Markup('<a href="{}">{}</a>').format(address, words)


def _plain(line: Line) -> str:
    if isinstance(line, tuple):
        return "".join(map(_plain, line))
    if isinstance(line, Worded):
        return line.page
    return line.words if isinstance(line, Marked) else str(line)
