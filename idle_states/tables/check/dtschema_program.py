"""Runs dtschema, the package of dt-validate, in a Python that has it; never imports it here.

dt-validate itself says what it found as text alone before dtschema 2026.9, and takes longer to
start and to choose among its schemas.
"""

import hashlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ...base.dataclass import dataclass
from ...base.extras import remedy
from ...base.model.findings import Location, Unreadable, unreadable
from ...base.model.power_mgt import STOP_LEVELS
from ...base.reading import launching, limits, opening
from ...base.reading.cache import fault_of, own_cache
from ...base.resources import resource
from ..devicetree import fdt
from ..devicetree.tree import Node
from .dtschema_child import FRESH

BINDING = "powerpc/opal-power-mgt.yaml"
TIMEOUT_S = limits.DT_VALIDATE_S

Record = Mapping[str, Any]
"""One complaint: type, message; of type "validation" property_path and schema_path, too. "decode"
is a value that does not have its type's size, "crash" a tree that dtschema gave up on."""

_CHILD = Path(__file__).with_name("dtschema_child.py")
_CANARY = {STOP_LEVELS: b""}
"""A node that violates the binding: if nothing is reported for it, nothing was validated."""
_INTERPRETER = re.compile(
    rb"#!\s*(/\S*/python3?[0-9.]*)\s*\n|#!/bin/sh\n'{3}exec' (/\S+|\"/[^\"]+\") "
)
"""The first lines of a Python program as pip and Debian write them."""

_staying: dict[str, launching.Child] | None = None
"""The programs that stay loaded, by their Python; None where none is to stay."""


@contextmanager
def staying() -> Iterator[None]:
    """A context manager: within it, dtschema stays loaded from one validation to the next."""
    global _staying
    _staying = {}
    try:
        yield
    finally:
        for child in _staying.values():
            child.kill()
        _staying = None


@dataclass(frozen=True, slots=True)
class Validator:
    """dt-validate, and the Python that it is a program of."""

    validate: str
    python: str

    @classmethod
    def installed(cls) -> "Validator":
        """Finds the program in this interpreter's environment, else on PATH. Raises Unreadable
        (IS930) if it is missing."""
        if found := launching.find("dt-validate", os.path.dirname(sys.executable)):
            return cls(found, sys.executable)
        if found := launching.find("dt-validate"):
            with suppress(OSError, Unreadable):
                if match := _INTERPRETER.match(opening.read(found)):
                    return cls(found, (match[1] or match[2].strip(b'"')).decode())
        message = f"dtschema is not installed; to install it: {remedy('dtschema')}"
        raise unreadable(Location(), message)

    def records(self, nodes: Sequence[Mapping[str, bytes]]) -> list[list[Record]]:
        """Returns dt-validate's records on each power-mgt node, given by its properties.

        Raises Unreadable (IS930) if it does not work.
        """
        binding = resource("schemas", *BINDING.split("/"))
        kept = self._kept(binding)
        prepared = str(kept) if kept and _is_whole(kept) else ""
        trees = json.dumps([_blob(node).hex() for node in (_CANARY, *nodes)]) + "\n"
        with launching.private_directory({}) as work:
            done = self._call([str(_CHILD), str(binding), prepared], trees.encode(), work)
            fresh = work / FRESH
            if kept and opening.is_file(fresh):
                _keep(fresh, kept)
        complaint = done.complaints.strip().rpartition("\n")[2] or f"exit status {done.status}"
        canary: list[Record] = []
        found: list[list[Record]] = []
        try:
            canary, *found = json.loads(done.output)
            complaint = canary[0]["message"] if canary else "no complaint"
        except (ValueError, LookupError, TypeError):
            canary = []
        if len(found) != len(nodes) or not any(each["type"] == "validation" for each in canary):
            raise unreadable(
                Location(),
                f"expected the dtschema of {self.validate} to complain about a faulty tree by "
                f"{binding}, found: {complaint}",
            )
        return found

    def _kept(self, binding: Path) -> Path | None:
        """Returns the cache's path of the binding as this Python's dtschema prepares it, whether or
        not it exists. None where nothing can be kept."""
        of = hashlib.sha256(self.python.encode() + b"\0" + binding.read_bytes())
        with suppress(OSError):
            return own_cache() / f"{binding.stem}-{of.hexdigest()[:16]}.json"
        return None

    def _call(self, words: Sequence[str], given: bytes, work: Path) -> launching.Done:
        bounds = launching.Bounds(time_s=TIMEOUT_S, output_bytes=limits.DT_VALIDATE_OUTPUT_BYTES)
        # where the user keeps Python's modules
        names = ("PYTHONPATH", "HOME")
        shown = {name: os.environ[name] for name in names if name in os.environ}
        if answer := self._by_staying(words, given, work, shown):
            return launching.Done(0, answer, b"")
        try:
            return launching.run(
                self.python,
                words,
                bounds,
                self.python,
                given=given,
                directory=work,
                environment=shown,
            )
        except Unreadable as error:
            raise unreadable(Location(), error.findings[0].message) from None

    def _by_staying(
        self, words: Sequence[str], given: bytes, work: Path, environment: Mapping[str, str]
    ) -> bytes:
        """The answer of the program that stays, started if there is none; b"" if none is to stay,
        or it fails."""
        if _staying is None:
            return b""
        child = _staying.pop(self.python, None)
        with suppress(Unreadable):
            child = child or launching.Child(
                self.python,
                words,
                launching.Bounds(stall_s=TIMEOUT_S),
                self.python,
                talks=True,
                directory=work,
                environment=environment,
            )
            child.write(given)
            answer = child.readline(limits.DT_VALIDATE_OUTPUT_BYTES)
            if answer.endswith(b"\n"):
                _staying[self.python] = child
                return answer
        if child:
            child.kill()
        return b""


def _is_whole(kept: Path) -> bool:
    """Returns whether the cache has a usable schema; an unusable one is replaced."""
    try:
        return not fault_of(kept) and isinstance(json.loads(opening.read(kept)), list | dict)
    except (OSError, ValueError, Unreadable):
        return False


def _keep(fresh: Path, kept: Path) -> Path:
    """Copies a file into the cache (written beside the target, then renamed) and returns its path.
    If the cache cannot be written, returns the fresh file."""
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        handle, beside = tempfile.mkstemp(dir=kept.parent, prefix=f".{kept.name}.")
    except OSError:
        return fresh
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(opening.read(fresh))
        os.replace(beside, kept)
    except BaseException as reason:
        os.unlink(beside)
        if isinstance(reason, OSError):
            return fresh
        raise
    return kept


def _blob(properties: Mapping[str, bytes]) -> bytes:
    """The smallest tree with such a node."""
    return fdt.write(Node("", {}, (Node("ibm,opal", {}, (Node("power-mgt", properties),)),)))
