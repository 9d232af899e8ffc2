"""A fleet's tables as Parquet, a row each. An optional extra: [parquet]."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ... import __version__
from ...base.extras import package
from ...base.files import replacing
from ...base.model.forms import keys
from .alike import Alike, Common
from .audit_document import Names, Row
from .audited import Audited
from .rows import carried, row

_ROWS = 4096
"""Rows of a group, so that memory does not grow with the fleet."""


@contextmanager
def writer(path: Path) -> Iterator[Callable[[Sequence[Audited]], None]]:
    """What takes the tables of one input after the other; the file is there when all went well.

    Raises Unreadable (IS930) without the extra.
    """
    pyarrow = package("parquet", "pyarrow", path.as_posix())
    parquet = package("parquet", "pyarrow.parquet", path.as_posix())
    schema = pyarrow.schema(
        [(key.name, _type(pyarrow, key.kind)) for key in keys(Row)],
        metadata={"idle-states": __version__},
    )
    batch = _Batch()
    with replacing(path) as file, parquet.ParquetWriter(file, schema) as table:

        def flush() -> None:
            nonlocal batch
            rows = pyarrow.Table.from_pylist(batch.rows, schema).take(batch.taken)
            for name, values in batch.own.items():
                at = schema.get_field_index(name)
                rows = rows.set_column(
                    at, schema.field(at), [pyarrow.array(values, schema.field(at).type)]
                )
            table.write_table(rows)
            batch = _Batch()

        def add(results: Sequence[Audited]) -> None:
            batch.add(results)
            if len(batch.taken) >= _ROWS:
                flush()

        yield add
        flush()


class _Batch:
    """Rows that are written at once.

    rows   different ones; of inputs that are alike, the first's
    taken  for each table, which of these is its row
    own    column -> values, one a table, of what alike inputs differ in
    """

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.taken: list[int] = []
        self.own: dict[str, list[str]] = {"file": [], "sha256": [], "serial": []}
        self._common2row: dict[Common, int] = {}

    def add(self, results: Sequence[Audited]) -> None:
        if isinstance(results, Alike):
            number = self._common2row.get(results.common)
            if number is None:
                number = self._common2row[results.common] = len(self.rows)
                self.rows.append(row(results.audited))
            self._take(number, {name: carried(getattr(results, name)) for name in self.own})
            return
        for audited in results:
            self.rows.append(row(audited))
            self._take(len(self.rows) - 1, self.rows[-1])

    def _take(self, number: int, own: dict[str, str]) -> None:
        self.taken.append(number)
        for name, values in self.own.items():
            values.append(own[name])


def _type(pyarrow: Any, kind: Any) -> Any:
    if kind == Names:
        return pyarrow.list_(pyarrow.string())
    return pyarrow.int32() if kind is int else pyarrow.string()
