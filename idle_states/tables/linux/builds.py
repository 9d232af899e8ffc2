"""Distributions' kernels of one number, told apart by their builds: those whose sources were at
hand, and the ones next to any other."""

from collections.abc import Iterable, Iterator
from functools import cache

from ...base.model.history import Key, Place

BUILDS = {
    "rhel-4.18.0": (
        "80 80.1.2 80.4.2 80.7.1 80.7.2 80.11.1 80.11.2 147 147.0.3 147.3.1 147.5.1 147.8.1 193 "
        "193.1.2 193.6.3 193.14.2 193.19.1 193.28.1 240 240.1.1 240.10.1 240.15.1 240.22.1 305 "
        "305.3.1 305.7.1 305.10.2 305.12.1 305.17.1 305.19.1 305.25.1 348 348.2.1 348.7.1 "
        "348.12.2 348.20.1 348.23.1 372.9.1 372.13.1 372.16.1 372.19.1 372.26.1 372.32.1 "
        "425.3.1 425.10.1 425.13.1 425.19.2 477.10.1 477.13.1 477.15.1 477.21.1 477.27.1 477.27.2 "
        "513.5.1 513.9.1 513.11.1 513.18.1 513.18.2 513.24.1 553 553.5.1 553.8.1 553.16.1 "
        "553.22.1 553.27.1 553.30.1 553.32.1 553.33.1 553.34.1 553.36.1 553.37.1 553.40.1 "
        "553.42.1 553.44.1 553.45.1 553.46.1 553.47.1 553.50.1 553.51.1 553.52.1 553.53.1 "
        "553.54.1 553.56.1 553.58.1 553.60.1 553.62.1 553.63.1 553.64.1 553.66.1"
    ),
    "rhel-5.14.0": (
        "70.13.1 70.17.1 70.22.1 70.26.1 70.30.1 162.6.1 162.12.1 162.18.1 162.22.2 162.23.1 "
        "284.11.1 284.18.1 284.25.1 284.30.1 362.8.1 362.13.1 362.18.1 362.24.1 362.24.2 427.13.1 "
        "427.16.1 427.18.1 427.20.1 427.22.1 427.24.1 427.26.1 427.28.1 427.31.1 427.33.1 "
        "427.35.1 427.37.1 427.40.1 427.42.1 503.11.1 503.14.1 503.15.1 503.16.1 503.19.1 "
        "503.21.1 503.22.1 503.23.1 503.23.2 503.26.1 503.29.1 503.31.1 503.33.1 503.34.1 "
        "503.35.1 503.38.1 503.40.1 570.12.1 570.16.1 570.17.1 570.18.1 570.19.1 570.21.1 "
        "570.22.1 570.23.1 570.24.1 570.25.1 570.26.1 570.28.1 570.30.1 570.32.1"
    ),
    "rhel-6.12.0": "55.9.1 55.19.1 55.20.1 55.21.1 55.22.1 55.24.1",
}
"""Builds whose sources were at hand, oldest first."""


@cache
def at_hand(line: str) -> tuple[Key, ...]:
    """Returns the keys of a line's builds whose sources were at hand, oldest first; of
    rhel-4.18 such as (4, 18, 0, 553, 22, 1)."""
    builds = BUILDS.get(f"{line}.0", "").split()
    return tuple((*_key(line), 0, *map(int, build.split("."))) for build in builds)


def name_of(at: Place) -> str:
    """Returns the name of a build's place: rhel-4.18.0-553.22.1."""
    line, key = at
    return f"{line}.{key[2]}-{'.'.join(map(str, key[3:]))}"


def beside(at: Place, known: Iterable[Key]) -> tuple[str | None, str | None]:
    """Returns the names of the known builds next below and next above a place of their line, None
    where there is none."""
    line, key = at
    ordered = sorted(known)
    below = [name_of((line, each)) for each in ordered if each < key]
    above = [name_of((line, each)) for each in ordered if each > key]
    return below[-1] if below else None, above[0] if above else None


def within(words: str, line: str) -> Iterator[Key]:
    """Yields the builds at hand of a line that words such as "rhel-4.18.0-80..rhel-4.18.0-553",
    "rhel-5.14.0-503.11.1.." or "rhel-6.12.." span, or name."""
    for word in words.split():
        first, dots, last = word.partition("..")
        if not first.startswith(line):
            continue
        low = _key(first)
        high = low if not dots else _key(last) if last else (1 << 30,)
        if low[:2] == _key(line)[:2]:
            yield from (known for known in at_hand(line) if low <= known <= high)


@cache
def _key(name: str) -> Key:
    """(4, 18, 0, 553, 22, 1) of rhel-4.18.0-553.22.1; (4, 18) of rhel-4.18."""
    number, _, build = name.partition("-")[2].partition("-")
    return tuple(int(part) for text in (number, build) if text for part in text.split("."))
