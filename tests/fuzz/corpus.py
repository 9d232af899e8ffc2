"""The kept corpus, and what of new inputs is worth keeping: python -m tests.fuzz.corpus

Kept is, of the smallest inputs first, each that reaches a line of this package, coming from a line,
as none before it did.
"""

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from tests.support import ROOT
from tools.command_line import parsed

KEPT = Path(__file__).parent / "kept"
FOUND = ROOT / "build" / "fuzz"
_PACKAGE = str(ROOT / "idle_states")

Step = tuple[str, int, int]
"""File, line before, line."""


def kept(name: str) -> dict[str, bytes]:
    """File name -> bytes, of a reader's."""
    return read(KEPT / name)


def read(directory: Path) -> dict[str, bytes]:
    if not directory.is_dir():
        return {}
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}


def steps(run: Callable[[], object]) -> set[Step]:
    """The steps between lines of this package that a call makes."""
    found: set[Step] = set()

    def trace(frame: FrameType, event: str, _: object) -> Any:
        file = frame.f_code.co_filename
        if not file.startswith(_PACKAGE):
            return None
        before = 0

        def local(frame: FrameType, event: str, _: object) -> Any:
            nonlocal before
            found.add((file, before, frame.f_lineno))
            before = frame.f_lineno
            return local

        return local

    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(None)
    return found


def worth_keeping(name: str, inputs: dict[str, bytes]) -> dict[str, bytes]:
    """Name by content -> bytes."""
    from tests.fuzz.readers import check

    reached: set[Step] = set()
    chosen = {}
    for data in sorted(set(inputs.values()), key=lambda data: (len(data), data)):
        new = steps(lambda data=data: check(name, data)) - reached  # type: ignore[misc]
        if new:
            reached |= new
            chosen[hashlib.sha256(data).hexdigest()[:16]] = data
    return chosen


def main(words: list[str]) -> None:
    names = parsed(__doc__, "[READER...]", words=words).reader
    from tests.fuzz.readers import READERS

    for name in names or READERS:
        before = kept(name)
        after = worth_keeping(name, {**read(FOUND / name), **before})
        (KEPT / name).mkdir(parents=True, exist_ok=True)
        for gone in before.keys() - after.keys():
            (KEPT / name / gone).unlink()
        for file, data in after.items():
            (KEPT / name / file).write_bytes(data)
        size = sum(map(len, after.values()))
        print(f"{name}: {len(before)} -> {len(after)} inputs, {size} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
