"""A result as a sheet, said once: sections of tables, lines and pictures.

A command makes the sheet in its own room; `sheet_text` writes it for terminals and files,
`html/page` as a page. Escapes and colours are the writers' own: a sheet has the very names of its
input.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..dataclass import dataclass

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from ..model.findings import Finding, Location


@dataclass(frozen=True, slots=True)
class Marked:
    """Words that a terminal shows as one of Style's kinds: error, warning, strong, faint, good."""

    kind: str
    words: str


@dataclass(frozen=True, slots=True)
class Worded:
    """Words that differ: those of the text, and those of pages; "" where there are none."""

    text: str
    page: str


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """A place, which a page links to where its file is there. words: in its stead, or ""."""

    where: "Location"
    words: str = ""

    def __str__(self) -> str:
        return self.words or str(self.where)


Cell = str | Marked | Worded | SourcePlace
Line = Cell | tuple[Cell, ...]
"""Words, or several one after the other, without a blank between them."""


def as_is(name: str) -> Cell:
    """Returns a name that text does not put in capitals, even as the head of a column."""
    return Worded(name, name)


NO_NUMBERS = frozenset[int]()
"""All columns of a table are aligned to the left."""


@dataclass(frozen=True, slots=True)
class Rows:
    """A table.

    head      in text in capitals up to a comma, behind which a unit stands; Worded as it is. Text
              has none where all cells are empty, and all in one style where the first is Marked
    caption   for pages; "": the section's title
    numbers   columns that are aligned to the right; None: all but the first. In text that is so
              with any; without one all are aligned to the left, and the last is folded
    unbroken  whether pages keep its cells on one line
    right     columns that text aligns to the right; None: by numbers
    first     what each line begins with in text; None: two blanks, nothing if folded
    keys      columns that text repeats below with what does not fit the width; 0: all fits
    between   what text has between blocks of rows, each below its first cell: one begins where
              that is not empty; None: it makes no such blocks
    """

    head: tuple[Cell, ...]
    rows: tuple[tuple[Line, ...], ...]
    caption: str = ""
    numbers: frozenset[int] | None = None
    unbroken: bool = False
    right: frozenset[int] | None = None
    first: str | None = None
    keys: int = 0
    between: str | None = None


@dataclass(frozen=True, slots=True)
class Lines:
    """Statements, one below the other.

    first    what each begins with in text
    further  what the rest of one begins with that is folded; None: none is
    """

    lines: tuple[Line, ...]
    first: str = ""
    further: str | None = None


@dataclass(frozen=True, slots=True)
class Drawing:
    """A drawing with its legend: (sample, words)."""

    drawn: "Element"
    legend: tuple[tuple["Element", str], ...] = ()


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing, made when a page is.

    table  the same content as a table, for readers who cannot see it
    text   what text has in its place; None: nothing
    """

    draw: Callable[[], Drawing]
    table: Rows
    text: Rows | Lines | None = None


@dataclass(frozen=True, slots=True)
class FindingsPart:
    """Findings: in text each with its source line, on pages as a table.

    texts  of the sources, by file
    notes  whether notes are shown, too
    placed whether pages have them in the order of their places, not by severity
    """

    findings: "Sequence[Finding]"
    texts: Mapping[str, str]
    notes: bool
    placed: bool = False


@dataclass(frozen=True, slots=True)
class Either:
    """Parts that are for text alone, and those that pages have in their place."""

    text: "tuple[Part, ...]"
    page: "tuple[Part, ...]" = ()


Part = Rows | Lines | Picture | FindingsPart | Either


@dataclass(frozen=True, slots=True)
class Section:
    """Parts below a title. Where no part has anything to show, its title is not shown either; ""
    goes on with the section before.

    title   of several cells each has its own style in text; of Worded, each line is one
    folded  whether pages show its parts only when they are asked for
    """

    title: Line
    parts: tuple[Part, ...]
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """A command's whole result.

    title     of the page
    headline  the result in a few sentences, for the page, the most important first
    about     what was looked at: begins a text, without its title, and ends a page
    further   sections of pages alone, behind the others
    """

    title: str
    headline: tuple[Line, ...]
    sections: tuple[Section, ...]
    about: Section = Section("", ())
    further: tuple[Section, ...] = ()


def bullets(lines: Sequence[str]) -> Lines:
    """Returns the lines as a list whose items are not folded."""
    return Lines(tuple(f"- {line}" for line in lines), first="  ")


def indented(title: Line, lines: Iterable[str]) -> Section:
    """Returns lines below a title, in text indented, and further where they are folded."""
    return Section(title, (Lines((*lines,), first="  ", further="      "),))
