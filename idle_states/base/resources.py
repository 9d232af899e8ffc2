"""Finds the package's data: specs, templates, schemas, patch descriptions; and the user's cache.

Works from a wheel, where templates and schemas lie inside the package, and from an editable install
or a checkout, where they lie beside it.
"""

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import jinja2

_PACKAGE = Path(__file__).resolve().parents[1]
CORE = _PACKAGE / "tables/linux/governors/core"
"""The folder of the compiled core."""


@cache
def resource(*parts: str) -> Path:
    """Path of a data file or directory, e.g. resource("templates", "c_table.c.j2").

    Raises FileNotFoundError naming the places looked in.
    """
    # inside the package the directory is skiboot_patches: package names cannot have a dash
    inside = _PACKAGE.joinpath(parts[0].replace("-", "_"), *parts[1:])
    candidates = [inside, _PACKAGE.parent.joinpath(*parts)]
    for candidate in candidates:
        if candidate.exists():
            return candidate
    looked = " or ".join(str(candidate) for candidate in candidates)
    raise FileNotFoundError(f"expected {'/'.join(parts)} at {looked}")


@cache
def specs_folder() -> str:
    """Returns what the paths of packaged specs begin with."""
    return f"{resource('tables', 'specs')}/"


def is_packaged(file: str) -> bool:
    """Tells whether a path, as messages name it, is that of a packaged spec."""
    return file.startswith(specs_folder())


def in_package(text: str) -> str:
    """A text for people elsewhere: packaged specs are named specs/..., as the package has them, and
    not by the folder that it is installed in."""
    return text.replace(specs_folder(), "specs/")


def source_tree() -> Path | None:
    """The directory of the source that the package runs from; None if it was installed."""
    found = _PACKAGE.parent
    return found if (found / "setup.py").is_file() and (found / "templates").is_dir() else None


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


def digest_of_core() -> int:
    """A number for what the core is compiled from, which setup.py compiles into it; 0 where
    the C is not there, as where idle-states was installed without a source tree."""
    from zlib import crc32

    digest = 0
    files = sorted(CORE.glob("*.[ch]"))
    for path in [*files, CORE / "structs.py"] if files else []:
        digest = crc32(path.name.encode() + b"\0" + path.read_bytes(), digest)
    return digest & 0x7FFF_FFFF  # a long of 32 bits holds it
