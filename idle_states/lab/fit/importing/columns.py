"""The columns of a tool's table, as rows of data, and the rows of a file that has them.

Columns are found by name, for tools differ in their order and add more.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from ....base.dataclass import dataclass
from .output import ToolOutput, Unit


@dataclass(frozen=True, slots=True)
class Column:
    """A column that a format has.

    kind      "text", "count" for a whole number, "number", or the unit of a time
    optional  whether a file without it is of the format, too
    shown     what messages call a cell of it; "": its name
    """

    name: str
    kind: Literal["text", "count", "number"] | Unit
    optional: bool = False
    shown: str = ""


@dataclass(frozen=True, slots=True)
class ColumnLayout:
    """The places of one file's columns.

    known   name -> column, of those that the format knows
    places  name -> place, of all that the head names
    """

    output: ToolOutput
    known: Mapping[str, Column]
    places: Mapping[str, int]
    width: int

    @classmethod
    def of(
        cls, output: ToolOutput, columns: Iterable[Column], names: Sequence[str], line: int
    ) -> "ColumnLayout":
        """Raises Unreadable for a head that names a column twice or lacks a required one."""
        places = {name: at for at, name in enumerate(names)}
        if len(places) < len(names):
            twice = next(name for at, name in enumerate(names) if places[name] != at)
            raise output.unexpected("columns of different names", twice, line)
        known = {column.name: column for column in columns}
        for column in known.values():
            if column.name not in places and not column.optional:
                raise output.refused(f"expected a column {column.name}, found none", line)
        return cls(output, known, places, len(names))

    def __contains__(self, name: str) -> bool:
        return name in self.places

    def row(self, cells: Sequence[str], line: int) -> "Row":
        """Raises Unreadable for a row that is shorter or longer than the head."""
        self.output.expect_columns(cells, self.width, line)
        return Row(self, cells, line)


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of one line."""

    layout: ColumnLayout
    cells: Sequence[str]
    line: int

    def text(self, name: str) -> str:
        return self.cells[self.layout.places[name]].strip()

    def value(self, name: str) -> float:
        """Returns a number, or a time in ns. Raises Unreadable for anything else."""
        column = self.layout.known[name]
        output, text, shown = self.layout.output, self.text(name), column.shown or name
        if column.kind == "number":
            return output.number(text, self.line, shown)
        if column.kind == "count" or column.kind == "text":
            return output.count(text, self.line, shown)
        return output.time_ns(text, self.line, shown, column.kind)


def csv_rows(output: ToolOutput, columns: Sequence[Column], expected: str) -> Iterator[Row]:
    """Returns the rows below the head in the first line, parted by commas. Raises Unreadable for a
    head that lacks one of the columns, which a message calls `expected`."""
    layout: ColumnLayout | None = None
    for number, line in output.numbered():
        cells = [cell.strip() for cell in line.split(",")]
        if layout is None:
            if any(column.name not in cells for column in columns):
                raise output.unexpected(expected, line, number)
            layout = ColumnLayout.of(output, columns, cells, number)
        elif line.strip():
            yield layout.row(cells, number)
