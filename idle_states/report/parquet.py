"""A fleet's tables as Parquet, a row each. An optional extra: [parquet]."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .. import __version__
from ..audit.audited import Audited
from ..files import replacing
from ..findings import Finding, Location, Severity, Unreadable
from .audit_json import columns

_ROWS = 4096
"""Rows of a group, so that memory does not grow with the fleet."""
_LISTS = ("states", "missing", "differences", "rules", "failed_by")
_COUNTS = ("errors", "warnings", "notes")


@contextmanager
def writer(path: Path) -> Iterator[Callable[[Sequence[Audited]], None]]:
    """What takes the tables of one input after the other; the file is there when all went well.

    Raises Unreadable (IS930) without the extra.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        message = "expected the package pyarrow (pip install 'idle-states[parquet]'), found none"
        where = Location(file=path.as_posix())
        finding = Finding("IS930", "unreadable-input", Severity.ERROR, message, where)
        raise Unreadable([finding]) from None
    schema = pyarrow.schema(
        [(name, _type(pyarrow, name)) for name in columns(Audited("", "", "", ""))],
        metadata={"idle-states": __version__},
    )
    rows: list[dict[str, Any]] = []
    with replacing(path) as file, pyarrow.parquet.ParquetWriter(file, schema) as table:

        def flush() -> None:
            table.write_table(pyarrow.Table.from_pylist(rows, schema))
            rows.clear()

        def add(results: Sequence[Audited]) -> None:
            rows.extend(dict(columns(audited)) for audited in results)
            if len(rows) >= _ROWS:
                flush()

        yield add
        flush()


def _type(pyarrow: Any, name: str) -> Any:
    if name in _LISTS:
        return pyarrow.list_(pyarrow.string())
    return pyarrow.int32() if name in _COUNTS else pyarrow.string()
