"""A fleet's tables as Parquet, a row each. An optional extra: [parquet]."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .. import __version__
from ..audit.audited import Audited
from ..extras import package
from ..files import replacing
from ..forms import keys
from .documents.audit import Names, Row
from .encoder import as_json
from .escapes.text import printable

_UNENCODABLE = re.compile(r"[\ud800-\udfff]")
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
    rows: list[dict[str, Any]] = []
    with replacing(path) as file, parquet.ParquetWriter(file, schema) as table:

        def flush() -> None:
            table.write_table(pyarrow.Table.from_pylist(rows, schema))
            rows.clear()

        def add(results: Sequence[Audited]) -> None:
            rows.extend(_carried(as_json(Row, audited)) for audited in results)
            if len(rows) >= _ROWS:
                flush()

        yield add
        flush()


def _type(pyarrow: Any, kind: Any) -> Any:
    if kind == Names:
        return pyarrow.list_(pyarrow.string())
    return pyarrow.int32() if kind is int else pyarrow.string()


def _carried(value: Any) -> Any:
    """Parquet's strings are UTF-8: a name that is not is shown as in text, others as they are."""
    if isinstance(value, dict):
        return {name: _carried(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_carried(item) for item in value]
    return printable(value) if isinstance(value, str) and _UNENCODABLE.search(value) else value


def passed(results: Iterable[list[Audited]], path: Path) -> Iterator[list[Audited]]:
    """Writes results as they pass."""
    with writer(path) as add:
        for found in results:
            add(found)
            yield found
