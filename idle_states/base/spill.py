"""Temporary files without a name for what does not fit into memory: rows by key, and values in
their order. A file goes when the object does, however the program ends."""

import errno
import pickle
from collections.abc import Iterable, Iterator
from typing import Any, Generic, TypeVar

T = TypeVar("T")

_CACHE_KIB = 16 << 10
"""Memory for its pages. A smaller table never reaches the disk."""


def name_key(name: str) -> bytes:
    """Returns the key for the name of a file, whose bytes need not be UTF-8."""
    return name.encode("utf-8", "surrogatepass")


def name_of(key: bytes) -> str:
    return key.decode("utf-8", "surrogatepass")


class Spill:
    """A row of values for each key. Raises OSError where the disk is full."""

    def __init__(self, *columns: str) -> None:
        # slow to import, and few runs need it
        import sqlite3

        self._error, self._rows = sqlite3.Error, sqlite3.connect("", isolation_level=None)
        for pragma in ("journal_mode = OFF", "synchronous = OFF", f"cache_size = -{_CACHE_KIB}"):
            self.query(f"PRAGMA {pragma}")
        self.query(f"CREATE TABLE t (key PRIMARY KEY, {', '.join(columns)}) WITHOUT ROWID")
        self.query("BEGIN")
        self._put = f"REPLACE INTO t VALUES (?{', ?' * len(columns)})"

    def put(self, key: Any, *values: Any) -> None:
        self.query(self._put, (key, *values))

    def get(self, key: Any) -> Any:
        """Returns the values of a key's row, None if there is none."""
        row = next(self.query("SELECT * FROM t WHERE key = ?", (key,)), None)
        return row and row[1:]

    def query(self, sql: str, values: tuple[Any, ...] = ()) -> Any:
        """Returns an iterator of what an SQL query of the table t finds."""
        try:
            return self._rows.execute(sql, values)
        except self._error as error:
            raise OSError(errno.EIO, f"a temporary file cannot be written: {error}") from None


class Stored(Generic[T]):
    """Values that are gone through more than once. Raises OSError as Spill does."""

    def __init__(self, values: Iterable[T]) -> None:
        self._rows = Spill("value")
        for number, value in enumerate(values):
            self._rows.put(number, pickle.dumps(value))

    def __iter__(self) -> Iterator[T]:
        rows = self._rows.query("SELECT value FROM t ORDER BY key")
        return (pickle.loads(value) for (value,) in rows)
