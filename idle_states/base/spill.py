"""Rows by key in a temporary file that has no name: what does not fit into memory. The file goes
when the object does, however the program ends."""

from collections.abc import Iterable, Iterator
from typing import Any

_CACHE_KIB = 16 << 10
"""Memory for its pages. A smaller table never reaches the disk."""


class Spill:
    """A row of values for each key.

    count  number of rows that were put in
    asked  number of rows that were found again
    """

    def __init__(self, *columns: str) -> None:
        """columns: names of the values; "value" alone if none is given."""
        # slow to import, and few runs need it
        import sqlite3

        names = columns or ("value",)
        self.count = self.asked = 0
        self._rows = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        for pragma in ("journal_mode = OFF", "synchronous = OFF", f"cache_size = -{_CACHE_KIB}"):
            self.query(f"PRAGMA {pragma}")
        self.query(f"CREATE TABLE t (key PRIMARY KEY, {', '.join(names)}) WITHOUT ROWID")
        self.query("BEGIN")
        self._put = f"REPLACE INTO t VALUES (?{', ?' * len(names)})"

    def put(self, key: Any, *values: Any) -> None:
        self.count += 1
        self._rows.execute(self._put, (key, *values))

    def get(self, key: Any) -> Any:
        """Returns the last value of a key's row, None if there is none."""
        row = self._rows.execute("SELECT * FROM t WHERE key = ?", (key,)).fetchone()
        self.asked += row is not None
        return None if row is None else row[-1]

    def query(self, sql: str, values: Iterable[Any] = ()) -> Iterator[Any]:
        """Yields what an SQL query of the table t returns."""
        return self._rows.execute(sql, tuple(values))
