"""Waits until files are saved, by looking at them now and then: that needs no package, and works on
every file system.

An editor renames a new file over the old one, or empties the file and writes it anew. Either way a
save counts once the file is there and rests.
"""

import os
import time
from collections.abc import Iterable

_STEP_S = 0.03
_REST_S = 0.02
_PATIENCE_S = 0.15
"""Seconds to wait for a file that is missing or empty now and was not before."""
_MOST_S = 1.0
"""Seconds that a file may go on changing before it is read all the same."""

_State = tuple[int, int, int] | None


class SaveWatch:
    """The state of some files and directories. A directory changes with the names in it."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._known = {path: _state(path) for path in paths}

    def extend(self, paths: Iterable[str]) -> None:
        """Looks at these, too, from now on."""
        for path in paths:
            if path not in self._known:
                self._known[path] = _state(path)

    def saved(self) -> list[str]:
        """Waits until something is saved, also since the last call, and returns what."""
        while (now := self._states()) == self._known:
            time.sleep(_STEP_S)
        now, before = self._rested(now), self._known
        self._known = now
        return [path for path in now if now[path] != before[path]]

    def _states(self) -> dict[str, _State]:
        return {path: _state(path) for path in self._known}

    def _rested(self, now: dict[str, _State]) -> dict[str, _State]:
        start = time.monotonic()
        while True:
            time.sleep(_REST_S)
            later, waited_s = self._states(), time.monotonic() - start
            half = any(_is_half(self._known[path], state) for path, state in later.items())
            if waited_s > _MOST_S or (later == now and (waited_s > _PATIENCE_S or not half)):
                return later
            now = later


def _state(path: str) -> _State:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _is_half(before: _State, now: _State) -> bool:
    """Tells whether a save may have only begun: a file that was there is gone, or empty."""
    return before is not None and before[1] > 0 and (now is None or now[1] == 0)
