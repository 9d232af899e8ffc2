"""The rows of audits, for tables that other programs read: Parquet and SQLite have the same."""

import re
from typing import Any

from ...base.report.encoder import as_json
from ...base.report.escapes.text import printable
from .audit_document import Row
from .audited import Audited

_UNENCODABLE = re.compile(r"[\ud800-\udfff]")


def row(audited: Audited) -> dict[str, Any]:
    """The row of an audit: column -> value."""
    made: dict[str, Any] = carried(as_json(Row, audited))
    return made


def carried(value: Any) -> Any:
    """Strings are UTF-8: a name that is not is shown as in text, others as they are."""
    if isinstance(value, dict):
        return {name: carried(item) for name, item in value.items()}
    if isinstance(value, list):
        return [carried(item) for item in value]
    return printable(value) if isinstance(value, str) and _UNENCODABLE.search(value) else value
