"""URIs of files, as SARIF names them: the name's own bytes, percent-encoded."""

from pathlib import PurePosixPath
from urllib.parse import quote


def uri(file: str) -> str:
    """An absolute file: URI, or a relative reference."""
    path = quote(PurePosixPath(file).as_posix().encode("utf-8", "surrogateescape"))
    return f"file://{path}" if path.startswith("/") else path
