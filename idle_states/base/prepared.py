"""Products worked out when idle-states was built, so that commands need not do it again.

tools/prepare.py writes it, for setup.py. A product is used only while the digests of all files of
the package that had a part in it are the same. Digests are what Python itself knows a source's
bytecode by: hashlib would load OpenSSL, which takes longer than the rest. Modules are products,
too: to look for each in several folders and to read a file of its own took a fifth of a start.
"""

import marshal
import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader
from _imp import _fix_co_filename, source_hash  # type: ignore[attr-defined]
from functools import cache
from io import BytesIO

from .located import PACKAGE, located, specs_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import CodeType, ModuleType
    from typing import Any

NAME = "prepared.marshal"
"""The file's name, in the package's folder."""
LENGTH = 4
"""Bytes of the number, after the file's digest, that says how long its index is."""
_SUFFIXES = (".py", ".yaml")


def product(name: str) -> bytes | None:
    """Returns what was prepared under a name; None if nothing was, or if a file changed that it
    was made of."""
    try:
        opened, start, index, times = opened_file()
        if (entry := index.get(name)) is None:
            return None
        files, then, place, size, own = entry
        known = times and all(time_and_size(file) == times[file] for file in files)
        if not known and digest(files) != then:
            return None
        found = os.pread(opened, size, start + place)
        # Python does not look for damage in bytecode either, for which `own` is empty
        return found if len(found) == size and own in (b"", hashed(found)) else None
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


class BundleFinder(SourceFileLoader):
    """Finds modules that are products, and runs one of them."""

    code: "CodeType"

    @classmethod
    def find_spec(cls, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Returns the spec of a module that was compiled as its source is now."""
        if (data := product(name)) is None:
            return None
        code: CodeType = marshal.loads(data)
        file = f"{PACKAGE}/{code.co_filename}"
        _fix_co_filename(code, file)
        loader = cls(name, file)
        loader.code = code
        spec = ModuleSpec(name, loader, origin=file, is_package=file.endswith("/__init__.py"))
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(os.path.dirname(file))
        return spec

    def exec_module(self, module: "ModuleType") -> None:
        """Runs the module."""
        module.__file__ = self.path
        exec(self.code, module.__dict__)


def digest(files: "Iterable[str]") -> bytes:
    """Returns the digest of files with their names."""
    contents = ((name, content(name)) for name in files)
    return hashed(b"".join(f"{name} {len(data)}\n".encode() + data for name, data in contents))


def hashed(data: bytes) -> bytes:
    """Returns a digest that differs between versions of Python, and with -O, as bytecode does."""
    found: bytes = source_hash(int.from_bytes(MAGIC_NUMBER, "little") + sys.flags.optimize, data)
    return found


def content(name: str) -> bytes:
    """Returns the content of a file of the package, or of a folder of templates, schemas or
    patches, such as "tables/specs/power9.yaml"; of a folder, "tables/specs/", the names of the
    modules and YAML files in it."""
    path = _path(name)
    if name.endswith("/"):
        return "\n".join(sorted(n for n in os.listdir(path) if n.endswith(_SUFFIXES))).encode()
    opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(opened, os.fstat(opened).st_size)
    finally:
        os.close(opened)


def time_and_size(name: str) -> tuple[int, int]:
    """Returns what Python knows a changed source by."""
    return (found := os.stat(_path(name))).st_mtime_ns, found.st_size


def _path(name: str) -> str:
    first, slash, rest = name.partition("/")
    return f"{located(first)}{slash}{rest}"


@cache
def opened_file() -> "tuple[int, int, dict[str, Any], dict[str, tuple[int, int]]]":
    """Returns the file, where its products begin, its index, and the times and sizes of the files
    that they were made of; no times where those were copied elsewhere. The index: name of a product
    -> the files, their digest, its place and size, and its own digest."""
    opened = os.open(os.path.join(PACKAGE, NAME), os.O_RDONLY | os.O_CLOEXEC)
    head = os.pread(opened, 8 + LENGTH, 0)
    data = os.pread(opened, int.from_bytes(head[8:], "little"), len(head))
    if opened <= 2 or hashed(data) != head[:8]:
        # it is damaged, or in the place of a standard stream that is closed
        os.close(opened)
        return -1, 0, {}, {}
    return opened, len(head) + len(data), *marshal.loads(data)
