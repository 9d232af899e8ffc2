"""What was evaluated already: a file of JSON lines that only grows, so that nothing is lost.

The first line names what the results are of, by a digest of all that they depend on; each other
line is one candidate. Lines are on the disk before anything else goes on. A last line without its
end, of a run that was killed, is dropped.
"""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ..problems import unreadable
from .evaluate import Candidate, Outcomes

_KEY = "idle-states tune"
_VERSION = 1


class Results:
    """digest: of all that the results depend on. path: None keeps them in memory only.

    Raises Unreadable for a file that is not of these inputs, or has a broken line; OSError.
    """

    def __init__(self, digest: str, path: Path | None = None) -> None:
        self.path = path
        self.kept = 0
        """Results that were there already."""
        self._found: dict[Candidate, Outcomes] = {}
        self._file: Any = None
        if path is None:
            return
        text = path.read_bytes() if path.is_file() else b""
        whole = text.rfind(b"\n") + 1
        lines = text[:whole].splitlines()
        if lines:
            self._read(lines, digest, path)
        if whole < len(text):
            os.truncate(path, whole)
        # appended to, so that two runs at a time leave each other's lines alone
        self._file = path.open("ab")
        if not lines:
            self._write([{_KEY: _VERSION, "digest": digest}])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    @property
    def found(self) -> Mapping[Candidate, Outcomes]:
        return self._found

    def add(self, outcomes: Iterable[Outcomes]) -> None:
        new = [each for each in outcomes if each.candidate not in self._found]
        self._found.update({each.candidate: each for each in new})
        if self._file is not None and new:
            self._write([_line(each) for each in new])

    def _write(self, documents: list[dict[str, Any]]) -> None:
        text = "".join(json.dumps(document) + "\n" for document in documents)
        self._file.write(text.encode())
        self._file.flush()
        os.fsync(self._file.fileno())

    def _read(self, lines: list[bytes], digest: str, path: Path) -> None:
        for number, line in enumerate(lines, 1):
            try:
                document = json.loads(line)
                is_head = number == 1 or _KEY in document
                if is_head:
                    version, of = document[_KEY], document["digest"]
                else:
                    outcomes = _outcomes(document)
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                message = f"expected results of tune, found {str(error)[:80] or 'something else'}"
                raise unreadable(str(path), message, number) from None
            if not is_head:
                self._found[outcomes.candidate] = outcomes
            elif (version, of) != (_VERSION, digest):
                message = (
                    "expected results of these inputs, found others' (another trace, table, "
                    "governor, kernel or version of the tool); name another file to begin anew"
                )
                raise unreadable(str(path), message, number)
        self.kept = len(self._found)


def _line(outcomes: Outcomes) -> dict[str, Any]:
    return {
        "residencies_us": outcomes.candidate,
        "usage": outcomes.usage,
        "time_us": outcomes.time_us,
        "busy_us": outcomes.busy_us,
        "work": outcomes.work,
    }


def _outcomes(document: dict[str, Any]) -> Outcomes:
    """Raises ValueError, KeyError, TypeError."""
    lists = [document[key] for key in ("residencies_us", "usage", "time_us")]
    numbers = [document[key] for key in ("busy_us", "work")]
    for values in (*lists, numbers):
        if not all(isinstance(value, int) and value >= 0 for value in values):
            raise ValueError(f"{values!r} among its numbers")
    candidate, usage, time_us = map(tuple, lists)
    if not len(usage) == len(time_us) == len(candidate) + 1:
        raise ValueError("lists of unequal length")
    return Outcomes(candidate, usage, time_us, *numbers)
