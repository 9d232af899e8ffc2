"""A fleet's tables as Parquet, a row each. An optional extra: [parquet]."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ... import __version__
from ...base.extras import package
from ...base.files import replacing
from ...base.model.forms import keys
from .audit_document import Names, Row
from .audited import Audited
from .rows import row

_ROWS = 4096
"""Rows of a group, so that memory does not grow with the fleet."""


@contextmanager
def writer(path: Path) -> Iterator[Callable[[Sequence[Audited]], None]]:
    """Yields a function that writes the tables of an input; the file is there if all went well.

    Raises Unreadable (IS930) without the extra.
    """
    pyarrow = package("parquet", "pyarrow", path.as_posix())
    parquet = package("parquet", "pyarrow.parquet", path.as_posix())
    schema = pyarrow.schema(
        [(key.name, _type(pyarrow, key.kind)) for key in keys(Row)],
        metadata={"idle-states": __version__},
    )
    rows: list[dict[str, Any]] = []
    with replacing(path) as file, parquet.ParquetWriter(file, schema) as table:

        def flush() -> None:
            table.write_table(pyarrow.Table.from_pylist(rows, schema))
            rows.clear()

        def add(results: Sequence[Audited]) -> None:
            rows.extend(row(audited) for audited in results)
            if len(rows) >= _ROWS:
                flush()

        yield add
        flush()


def _type(pyarrow: Any, kind: Any) -> Any:
    if kind == Names:
        return pyarrow.list_(pyarrow.string())
    return pyarrow.int32() if kind is int else pyarrow.string()
