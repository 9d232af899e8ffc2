"""Evaluated candidates on disk: an append-only file of JSON lines.

The first line holds a digest of all inputs that the results depend on. Each further line is one
candidate with a checksum. Every line is given to the kernel before the evaluation continues, so a
killed run loses none; the disk is waited for once a second. An incomplete last line is dropped.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from time import monotonic
from typing import Any, Self

from ...base.files import appended, naming
from ...base.model.findings import unreadable
from ...base.reading import limits, opening
from .evaluate import Candidate, Outcomes

_KEY = "idle-states tune"
_CHECK = "check"
_VERSION = 2
_SYNC_S = 1
"""Seconds between two times that the disk is waited for."""


class Results:
    """Evaluated candidates.

    digest  of all inputs of the evaluation
    path    None: in memory only
    own     whether the file lies in the user's cache: a link there is not followed

    Raises Unreadable for a file of other inputs or with a damaged line; OSError.
    """

    def __init__(self, digest: str, path: Path | None = None, *, own: bool = False) -> None:
        self.path = path
        self._own = own
        self.kept = 0
        """Number of results found in the file."""
        self._digest = digest
        self._found: dict[Candidate, Outcomes] = {}
        self._sampled: dict[Candidate, Outcomes] = {}
        self._file: Any = None
        self._synced = monotonic()
        if path is None:
            return
        try:
            text = opening.read(path, limits.RESULTS_BYTES)
        except FileNotFoundError:
            text = b""
        whole = text.rfind(b"\n") + 1
        self._read(text[:whole].splitlines(), path)
        if not whole and not self._head().startswith(text):
            raise unreadable(str(path), "expected results of tune, found something else", 1)
        if whole < len(text):
            os.truncate(path, whole)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        if self._file is not None and self.path is not None:
            # what could not be written is tried again
            with naming(self.path):
                self._file.close()

    @property
    def found(self) -> Mapping[Candidate, Outcomes]:
        """The outcomes over all idle periods."""
        return self._found

    @property
    def sampled(self) -> Mapping[Candidate, Outcomes]:
        """The outcomes over a sample of the idle periods."""
        return self._sampled

    @property
    def count(self) -> int:
        return len(self._found) + len(self._sampled)

    def add(self, outcomes: Iterable[Outcomes]) -> None:
        new = [each for each in outcomes if each.candidate not in self._alike(each)]
        for each in new:
            self._alike(each)[each.candidate] = each
        if self.path is not None and new:
            self._write(self.path, b"".join(self._line(each) for each in new))

    def _alike(self, outcomes: Outcomes) -> dict[Candidate, Outcomes]:
        return self._sampled if outcomes.sampled else self._found

    def _write(self, path: Path, lines: bytes) -> None:
        if self._file is None:
            # append, so that two concurrent runs do not overwrite each other's lines
            self._file = appended(path, own=self._own)
            if not self._file.tell():
                lines = self._head() + lines
        with naming(path):
            self._file.write(lines)
            self._file.flush()
            if (now := monotonic()) >= self._synced + _SYNC_S:
                self._synced = now
                os.fsync(self._file.fileno())

    def _head(self) -> bytes:
        return json.dumps({_KEY: _VERSION, "digest": self._digest}).encode() + b"\n"

    def _line(self, outcomes: Outcomes) -> bytes:
        document = _document(outcomes)
        return json.dumps({**document, _CHECK: self._check(document)}).encode() + b"\n"

    def _check(self, document: dict[str, Any]) -> str:
        text = self._digest + json.dumps(document)
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    def _read(self, lines: list[bytes], path: Path) -> None:
        for number, line in enumerate(lines, 1):
            try:
                document = json.loads(line)
                is_head = number == 1 or _KEY in document
                if is_head:
                    version, of = document[_KEY], document["digest"]
                else:
                    outcomes = _outcomes(document)
                    if document[_CHECK] != self._check(_document(outcomes)):
                        raise ValueError("them altered")
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                message = f"expected results of tune, found {str(error)[:80] or 'something else'}"
                raise unreadable(str(path), message, number) from None
            if not is_head:
                self._alike(outcomes)[outcomes.candidate] = outcomes
            elif (version, of) != (_VERSION, self._digest):
                message = (
                    "expected results of these inputs, found others' (another trace, table, "
                    "governor, kernel, --search-over or version of the tool); name another file to "
                    "begin anew"
                )
                raise unreadable(str(path), message, number)
        self.kept = self.count


def _document(outcomes: Outcomes) -> dict[str, Any]:
    document = {
        "residencies_us": outcomes.candidate,
        "usage": outcomes.usage,
        "time_us": outcomes.time_us,
        "busy_us": outcomes.busy_us,
        "work": outcomes.work,
    }
    return {**document, "sampled": True} if outcomes.sampled else document


def _outcomes(document: dict[str, Any]) -> Outcomes:
    """Reads one candidate's result. Raises ValueError, KeyError, TypeError for a malformed one."""
    lists = [document[key] for key in ("residencies_us", "usage", "time_us")]
    busy_us, work = numbers = [document[key] for key in ("busy_us", "work")]
    for values in (*lists, numbers):
        if not all(isinstance(value, int) and value >= 0 for value in values):
            raise ValueError(f"{values!r} among its numbers")
    sampled = document.get("sampled", False)
    if not isinstance(sampled, bool):
        raise ValueError(f"{sampled!r} for true or false")
    candidate, usage, time_us = map(tuple, lists)
    if not len(usage) == len(time_us) == len(candidate) + 1:
        raise ValueError("lists of unequal length")
    return Outcomes(candidate, usage, time_us, busy_us, work, sampled)
