"""Finds the package's data: specs, templates, schemas, patch descriptions; templates and schemas
lie inside the package in a wheel, beside it in a checkout or an editable install.

Paths are text: importing pathlib takes as long as all else that --completion imports."""

import os
from functools import cache

PACKAGE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


@cache
def located(*parts: str) -> str:
    """Returns the path of a data file or directory, e.g. located("templates", "c_table.c.j2").

    Raises FileNotFoundError naming the places looked in.
    """
    # in the package the directory is skiboot_patches: package names cannot have a dash
    inside = os.path.join(PACKAGE, parts[0].replace("-", "_"), *parts[1:])
    candidates = (inside, os.path.join(os.path.dirname(PACKAGE), *parts))
    for candidate in candidates:
        if os.path.exists(candidate):
            return candidate
    raise FileNotFoundError(f"expected {'/'.join(parts)} at {' or '.join(candidates)}")


def specs_folder() -> str:
    """Returns what the paths of packaged specs begin with."""
    return f"{located('tables', 'specs')}/"


def source_folder() -> str:
    """Returns the directory of the source that the package runs from; "" if it was installed."""
    found = os.path.dirname(PACKAGE)
    is_source = os.path.isfile(f"{found}/setup.py") and os.path.isdir(f"{found}/templates")
    return found if is_source else ""
