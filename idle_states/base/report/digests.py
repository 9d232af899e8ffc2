"""The inputs of a report: the first of them, their number, and one digest of all."""

import hashlib
from collections.abc import Iterable

_LISTED = 200
"""Greatest number of inputs that are listed one by one."""


class Digests:
    """Inputs as they are added, each with its SHA-256. Of those beyond `first` nothing is kept:
    there may be millions.

    first  (file, SHA-256)
    count  of all
    """

    def __init__(self, inputs: Iterable[tuple[str, str]] = ()) -> None:
        self.first: list[tuple[str, str]] = []
        self.count = 0
        self._whole = hashlib.sha256()
        self._last: str | None = None
        for file, digest in dict.fromkeys(inputs):
            self.add(file, digest)

    def add(self, file: str, digest: str) -> None:
        """Adds an input, once for all tables of a file that come one after the other."""
        if file == self._last:
            return
        self._last = file
        self.count += 1
        if len(self.first) < _LISTED:
            self.first.append((file, digest))
        self._whole.update(f"{digest}  {file}\n".encode("utf-8", "surrogateescape"))

    @property
    def whole(self) -> str:
        """The SHA-256 of the lines that sha256sum prints for the inputs."""
        return self._whole.hexdigest()
