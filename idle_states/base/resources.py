"""Gives the package's data, as they are `located`; and the user's cache."""

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from .located import located, specs_folder

if TYPE_CHECKING:
    import jinja2


@cache
def resource(*parts: str) -> Path:
    """Returns a located file or directory as a path, e.g. resource("tables", "specs")."""
    return Path(located(*parts))


def is_packaged(file: str) -> bool:
    """Tells whether a path, as messages name it, is that of a packaged spec."""
    return file.startswith(specs_folder())


def in_package(text: str) -> str:
    """A text for people elsewhere: packaged specs are named specs/..., as the package has them, and
    not by the folder that it is installed in."""
    return text.replace(specs_folder(), "specs/")


def cache_directory() -> Path | None:
    """$XDG_CACHE_HOME/idle-states, else ~/.cache/idle-states; None without a home. A relative path
    does not count, says the XDG Base Directory Specification."""
    for base in (os.environ.get("XDG_CACHE_HOME", ""), os.path.expanduser("~/.cache")):
        if os.path.isabs(base):
            return Path(base, "idle-states")
    return None


@cache
def template(name: str) -> "jinja2.Template":
    """A Jinja2 template, by its file name. Rendering it raises UndefinedError for a name that was
    not given."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(resource("templates")),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=name.endswith(".html.j2"),
    )
    return environment.get_template(name)
