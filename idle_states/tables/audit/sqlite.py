"""A fleet as a database of SQLite: inputs, the states that kernels register, findings.

Inputs that are alike share an audit: states and findings are there once for all of them.
"""

import errno
import json
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from ...base.files import replacing
from ...base.model.forms import keys
from .alike import Alike, Common
from .audit_document import Row
from .audited import Audited
from .rows import carried, row

_COLUMNS = {
    "states": "audit INTEGER, kernel TEXT, number INTEGER, name TEXT, exit_latency_us INTEGER, "
    "target_residency_us INTEGER, polling INTEGER",
    "findings": "audit INTEGER, rule TEXT, name TEXT, severity TEXT, message TEXT, path TEXT, "
    "place_file TEXT, place_line INTEGER, suppressed TEXT",
}
"""place_file: NULL where a finding is of the input itself."""
_INDICES = ("inputs(audit)", "states(audit)", "findings(audit)", "findings(rule)")


@contextmanager
def writer(path: Path) -> Iterator[Callable[[Sequence[Audited]], None]]:
    """Yields a function that takes one input's tables; the file is there when all went well."""
    with tempfile.NamedTemporaryFile(prefix="idle-states-") as made, replacing(path) as file:
        try:
            with closing(sqlite3.connect(made.name, isolation_level=None)) as database:
                # nobody sees it before it is whole
                database.execute("PRAGMA journal_mode = OFF")
                database.execute("PRAGMA synchronous = OFF")
                database.execute("BEGIN")
                yield _Writer(database).add
                for index in _INDICES:
                    database.execute(f"CREATE INDEX {index.translate(_NAMED)} ON {index}")
                database.execute("COMMIT")
        except sqlite3.Error as error:
            raise OSError(errno.EIO, f"SQLite says: {error}", path.as_posix()) from None
        shutil.copyfileobj(made, file)


_NAMED = str.maketrans({"(": "_", ")": ""})


class _Writer:
    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._numbers = count(1)
        self._common2known: WeakKeyDictionary[Common, tuple[int, dict[str, Any]]] = (
            WeakKeyDictionary()
        )
        columns = [f'"{key.name}" {"INTEGER" if key.kind is int else "TEXT"}' for key in keys(Row)]
        database.execute(f"CREATE TABLE inputs (audit INTEGER, {', '.join(columns)})")
        for table, declared in _COLUMNS.items():
            database.execute(f"CREATE TABLE {table} ({declared})")

    def add(self, results: Sequence[Audited]) -> None:
        """Adds the audits of an input."""
        if not isinstance(results, Alike):
            for audited in results:
                self._input(*self._known(audited))
            return
        known = self._common2known.get(results.common)
        if known is None:
            known = self._common2known[results.common] = self._known(results.audited)
        own = {name: getattr(results, name) for name in ("file", "sha256", "serial")}
        self._input(known[0], known[1] | carried(own))

    def _input(self, number: int, made: dict[str, Any]) -> None:
        values = [json.dumps(v) if isinstance(v, list) else v for v in made.values()]
        self._insert("inputs", [(number, *values)])

    def _known(self, audited: Audited) -> tuple[int, dict[str, Any]]:
        """Writes what belongs to an audit. Returns its number and its row."""
        number = next(self._numbers)
        self._insert("states", [(number, *each) for each in _states(audited)])
        self._insert("findings", [(number, *each) for each in _findings(audited)])
        return number, row(audited)

    def _insert(self, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
        if rows:
            marks = ", ".join("?" * len(rows[0]))
            self._database.executemany(
                f"INSERT INTO {table} VALUES ({marks})", [tuple(map(carried, r)) for r in rows]
            )


def _states(audited: Audited) -> Iterator[tuple[Any, ...]]:
    for group in audited.registered:
        for kernel in group.kernels:
            for s in group.states:
                times = s.exit_latency_us, s.target_residency_us
                yield kernel, s.index, s.name, *times, s.polling


def _findings(audited: Audited) -> Iterator[tuple[Any, ...]]:
    for f in audited.findings:
        elsewhere = None if f.location.file == audited.file else f.location.file
        place = f.location.path, elsewhere, f.location.line
        yield f.rule, f.name, str(f.severity), f.message, *place, f.suppressed
