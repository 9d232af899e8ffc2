"""The parts of a page, and their rendering as HTML. The layout is in templates/page.html.j2."""

import hashlib
from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element

from ... import __version__
from ...dataclass import dataclass
from ...resources import template
from ..escapes.text import printable
from . import svg

_LISTED = 200
"""Greatest number of inputs that are listed one by one."""


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table. numbers: heads of the columns with figures, aligned to the right; unbroken: whether
    its cells are kept on one line."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[int] = frozenset()
    unbroken: bool = False
    kind: str = "table"


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing. table: the same content as a table, for readers who cannot see it; legend:
    (sample, words)."""

    drawing: Element
    table: PageTable
    legend: tuple[tuple[Element, str], ...] = ()
    kind: str = "picture"


@dataclass(frozen=True, slots=True)
class Lines:
    """Statements, one below the other."""

    lines: tuple[str, ...]
    kind: str = "lines"


Part = PageTable | Picture | Lines


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    parts: tuple[Part, ...]


def render(
    command: str,
    title: str,
    sections: Iterable[Section],
    inputs: Iterable[tuple[str, str]],
    headline: Sequence[str] = (),
) -> str:
    """The whole page as HTML; equal results give equal pages. inputs: (file, SHA-256); headline:
    the result in a few sentences, the most important first."""
    unique = list(dict.fromkeys(inputs))
    return template("page.html.j2").render(
        title=printable(title),
        command=command,
        version=__version__,
        headline=_printable(headline),
        definitions=svg.markup(svg.definitions()),
        sections=[
            {"title": printable(section.title), "parts": [_part(part) for part in section.parts]}
            for section in sections
        ],
        inputs=[(printable(file), digest or "-") for file, digest in unique[:_LISTED]],
        more=max(0, len(unique) - _LISTED),
        digest=_whole(unique),
    )


def _part(part: Part) -> dict[str, object]:
    if isinstance(part, Lines):
        return {"kind": part.kind, "lines": _printable(part.lines)}
    if isinstance(part, PageTable):
        return _table(part)
    return {
        "kind": part.kind,
        "title": part.drawing.findtext("title"),
        "drawing": svg.markup(part.drawing),
        "legend": [(svg.markup(sample), printable(words)) for sample, words in part.legend],
        "table": _table(part.table),
    }


def _table(table: PageTable) -> dict[str, object]:
    return {
        "kind": table.kind,
        "caption": printable(table.caption),
        "head": _printable(table.head),
        "rows": [_printable(row) for row in table.rows],
        "numbers": table.numbers,
        "unbroken": table.unbroken,
    }


def _printable(words: Sequence[str]) -> list[str]:
    return [printable(word) for word in words]


def _whole(inputs: Sequence[tuple[str, str]]) -> str:
    """The SHA-256 of the lines that sha256sum prints for the inputs."""
    listing = "".join(f"{digest}  {file}\n" for file, digest in inputs)
    return hashlib.sha256(listing.encode("utf-8", "surrogateescape")).hexdigest()
