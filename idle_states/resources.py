"""Finds the package's data: specs, templates, schemas, patch descriptions.

Works from a wheel, an editable install and a bare checkout: in the first, templates and schemas
lie inside the package; in the others beside it.
"""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def resource(*parts: str) -> Path:
    """Path of a data file or directory, e.g. resource("templates", "c_table.c.j2").

    Raises FileNotFoundError naming the places looked in.
    """
    candidates = [_PACKAGE.joinpath(*parts), _PACKAGE.parent.joinpath(*parts)]
    for candidate in candidates:
        if candidate.exists():
            return candidate
    looked = " or ".join(str(candidate) for candidate in candidates)
    raise FileNotFoundError(f"expected {'/'.join(parts)} at {looked}")
