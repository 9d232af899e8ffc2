"""Runs dt-validate, the program of the optional dtschema package; the package is never imported.

dt-validate exits with 0 whatever it finds, with an empty list also where its -l matches nothing,
and with a traceback and no list where it cannot decode a tree.
"""

import hashlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
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

BINDING = "powerpc/opal-power-mgt.yaml"
TIMEOUT_S = limits.DT_VALIDATE_S

Record = Mapping[str, Any]
"""One complaint as in --json-output: type, message; mostly property_path and schema_path. Type
"crash" is ours: dt-validate gave up on the tree."""

_CANARY = "canary"
"""Name of a tree that violates the binding: if nothing is reported for it, dt-validate did not
validate."""


@dataclass(frozen=True, slots=True)
class Validator:
    """dt-validate and the dt-mk-schema beside it, which must be of one version."""

    validate: str
    make: str

    @classmethod
    def installed(cls) -> "Validator":
        """Finds the programs in this interpreter's environment, else on PATH. Raises Unreadable
        (IS930) if they are missing."""
        for directory in (os.path.dirname(sys.executable), None):
            validate = launching.find("dt-validate", directory)
            make = validate and launching.find("dt-mk-schema", os.path.dirname(validate))
            if validate and make:
                return cls(validate, make)
        message = (
            f"expected the program dt-validate, found none; to install it: {remedy('dtschema')}"
        )
        raise unreadable(Location(), message)

    def records(self, nodes: Sequence[Mapping[str, bytes]]) -> list[list[Record]]:
        """What dt-validate says of each power-mgt node, given by its properties.

        Raises Unreadable (IS930) if it does not work.
        """
        blobs = {_CANARY: _blob({STOP_LEVELS: b""})}
        blobs |= {str(number): _blob(node) for number, node in enumerate(nodes)}
        files = {f"{stem}.dtb": blob for stem, blob in blobs.items()}
        with launching.private_directory(files) as work:
            schema = self._schema(work)
            stem2records: dict[str, list[Record]] = {stem: [] for stem in blobs}
            for record in self._run(schema, list(blobs), work):
                stem2records[Path(record["file"]).stem].append(record)
        canary = stem2records.pop(_CANARY)
        if not any(record["type"] == "validation" for record in canary):
            said = canary[0]["message"] if canary else "no complaint"
            raise unreadable(
                Location(),
                f"expected {self.validate} to complain about a faulty tree by {schema}, "
                f"found: {said}",
            )
        return list(stem2records.values())

    def _run(self, schema: Path, stems: Sequence[str], work: Path) -> list[Record]:
        """Validates all trees in one call. If dt-validate cannot decode one of them, each half of
        the trees is validated by itself."""
        out = work / "records.json"
        out.unlink(missing_ok=True)
        options = ["-s", str(schema), "-l", Path(BINDING).stem, "--json-output", out.name]
        files = [f"{stem}.dtb" for stem in stems]
        done = _call([self.validate, *options, *files], work)
        try:
            found = json.loads(opening.read(out)) if done.status == 0 else None
        except (OSError, ValueError, Unreadable):
            found = None
        if isinstance(found, list):
            return found
        if len(stems) == 1:
            lines = done.complaints.strip().splitlines() or [f"exit status {done.status}"]
            return [{"type": "crash", "file": files[0], "message": lines[-1]}]
        half = len(stems) // 2
        return [*self._run(schema, stems[:half], work), *self._run(schema, stems[half:], work)]

    def _schema(self, work: Path) -> Path:
        """The binding as dt-mk-schema prepares it, made once per binding and dtschema version."""
        binding = resource("schemas", *BINDING.split("/"))
        said = _call([self.make, "--version"], work).output.decode("utf-8", "replace").strip()
        version = re.sub(r"[^0-9A-Za-z.]", "_", said)
        digest = hashlib.sha256(binding.read_bytes()).hexdigest()[:16]
        kept = None
        with suppress(OSError):
            kept = own_cache() / f"{binding.stem}-{version}-{digest}.json"
        if kept and _is_whole(kept):
            return kept
        fresh = work / "schema.json"
        done = _call([self.make, "-j", "-o", str(fresh), str(binding)], work)
        if done.status or not opening.is_file(fresh):
            raise unreadable(
                Location(),
                f"expected {self.make} to read {binding}, found: {done.complaints.strip()}",
            )
        return _keep(fresh, kept) if kept else fresh


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


def _call(words: Sequence[str], work: Path) -> launching.Done:
    """What a program did in its private directory."""
    program, *others = words
    bounds = launching.Bounds(time_s=TIMEOUT_S, output_bytes=limits.DT_VALIDATE_OUTPUT_BYTES)
    # where the user keeps Python's modules
    shown = {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
    try:
        return launching.run(program, others, bounds, program, directory=work, environment=shown)
    except Unreadable as error:
        raise unreadable(Location(), error.findings[0].message) from None


def _blob(properties: Mapping[str, bytes]) -> bytes:
    """The smallest tree with such a node."""
    return fdt.write(Node("", {}, (Node("ibm,opal", {}, (Node("power-mgt", properties),)),)))
