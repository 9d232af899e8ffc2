"""Lists of CPUs as kernels and people write them: 0-3,5."""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress

from ..patterns import pattern
from .inputs import CPU_MAX

_SPAN = pattern(r"(\d{1,6})(?:-(\d{1,6}))?", re.ASCII)


def cpus_in(text: str) -> Iterator[int]:
    """The CPUs of a list, in its order; a hostile one may name the same again and again. Raises
    ValueError, with what was expected and found."""
    for part in text.split(","):
        span = _SPAN.fullmatch(part)
        first, last = (int(span[1]), int(span[2] or span[1])) if span else (1, 0)
        if not first <= last <= CPU_MAX:
            raise ValueError(f"expected CPUs such as 0-3,5 up to {CPU_MAX}, found {part!r:.40}")
        yield from range(first, last + 1)


def cpus_listed(text: str) -> Iterator[int]:
    """Yields the CPUs of a list that a dump has, as cpus_in() does; parts that are none are left
    out."""
    for part in text.split(","):
        with suppress(ValueError):
            yield from cpus_in(part.strip())


def cpu_list(cpus: Iterable[int]) -> str:
    """The list of CPUs that are given in their order."""
    runs: list[list[int]] = []
    for cpu in cpus:
        if runs and runs[-1][-1] == cpu - 1:
            runs[-1][1:] = [cpu]
        else:
            runs.append([cpu])
    return ",".join("-".join(map(str, run)) for run in runs)
