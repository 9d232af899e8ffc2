"""Products worked out when idle-states was built, so that commands need not do it again.

tools/prepare.py writes it, for setup.py. A product is used only while the digests of all files of
the package that had a part in it are the same. Digests are what Python itself knows a source's
bytecode by: hashlib would load OpenSSL, which takes longer than the rest.
"""

import marshal
import os
from collections.abc import Iterable
from functools import cache
from importlib.util import source_hash
from io import BytesIO

from .located import PACKAGE, located, specs_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAME = "prepared.marshal"
"""The file's name, in the package's folder."""
_SUFFIXES = (".py", ".yaml")


def product(name: str) -> bytes | None:
    """Returns what was prepared under a name; None if nothing was, or if a file changed that it
    was made of."""
    try:
        files, then, found = _all()[name]
        return found if digest(files) == then else None
    except Exception:
        # of what another release or Python wrote anything may be raised, and all can be worked out
        return None


def unpickled(data: bytes) -> "Any":
    """Returns a pickled product, with the paths of packaged specs below the folder that they are in
    now."""
    return _unpickler()(BytesIO(data)).load()


@cache
def _unpickler() -> "Any":
    try:
        from _pickle import Unpickler  # pickle itself imports much that only writing needs
    except ImportError:
        from pickle import Unpickler

    class Placed(Unpickler):
        def persistent_load(self, inside: str) -> str:
            return f"{specs_folder()}{inside}"

    return Placed


def digest(files: Iterable[str]) -> bytes:
    """Returns the digest of files with their names."""
    contents = ((name, content(name)) for name in files)
    return source_hash(b"".join(f"{name} {len(data)}\n".encode() + data for name, data in contents))


def content(name: str) -> bytes:
    """Returns the content of a file of the package, or of a folder of templates, schemas or
    patches, such as "tables/specs/power9.yaml"; of a folder, "tables/specs/", the names of the
    modules and YAML files in it."""
    first, slash, rest = name.partition("/")
    path = f"{located(first)}{slash}{rest}"
    if name.endswith("/"):
        return "\n".join(sorted(n for n in os.listdir(path) if n.endswith(_SUFFIXES))).encode()
    return _read(path)


def _read(path: str) -> bytes:
    opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(opened, os.fstat(opened).st_size)
    finally:
        os.close(opened)


@cache
def _all() -> dict[str, tuple[tuple[str, ...], bytes, bytes]]:
    """Raises anything where the file is missing or damaged."""
    data = _read(os.path.join(PACKAGE, NAME))
    if source_hash(data[8:]) != data[:8]:
        raise ValueError(f"{NAME} is damaged")
    found: dict[str, tuple[tuple[str, ...], bytes, bytes]] = marshal.loads(data[8:])
    return found
