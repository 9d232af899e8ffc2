"""Kernels that are not known themselves, as the known ones that they lie between.

A command that follows such a kernel is run once for each of its ends: `ends_taken` says for which.
What does so reads kernels by option, operand or recording, and calls `taken` on each.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from ...base.dataclass import dataclass, field, replace
from ...base.wording import joined
from .releases import Release


@dataclass(slots=True)
class TakenEnds:
    """The ends that a run takes kernels as.

    chosen  kernel's name -> number of the end; of other kernels the first end is taken
    met     kernels with ends that the run has come upon, by name
    """

    chosen: Mapping[str, int]
    met: dict[str, Release] = field(default_factory=dict)


_ENDS: ContextVar[TakenEnds | None] = ContextVar("ends", default=None)


def bracketed(name: str, typed: str, ends: Sequence[Release], what: str = "") -> Release:
    """Returns the kernel that is not known but for its ends: two releases or more, the first first;
    of releases that are the same, that release.

    name  by which release() finds it again
    what  in words, what the ends are: "the first and last kernels of RHEL 9 that are known"
    """
    distinct = tuple(dict.fromkeys(ends))
    if len(distinct) == 1:
        return distinct[0]
    told = joined([end.name for end in distinct])
    note = f"not known itself, and worked out as {told}{f', {what}' if what else ''}"
    first = replace(distinct[0], name=name, typed=typed, guessed=True, note=note)
    return replace(first, ends=distinct)


def as_end(kernel: Release, number: int) -> Release:
    """Returns a kernel that is not known as one of its ends, under its own name."""
    end = kernel.ends[number]
    return replace(
        kernel,
        version=end.version,
        features=end.features,
        way=end.way,
        taken_as=end.taken_as,
    )


def taken(kernel: Release) -> Release:
    """Returns the kernel as the end that the running command takes it as; itself if it is known."""
    run = _ENDS.get()
    if run is None or not kernel.ends:
        return kernel
    run.met[kernel.name] = kernel
    return as_end(kernel, run.chosen.get(kernel.name, 0))


@contextmanager
def ends_taken(chosen: Mapping[str, int]) -> Iterator[TakenEnds]:
    """Makes taken() take kernels as the ends chosen, by name, as long as the context lasts."""
    run = TakenEnds(chosen)
    token = _ENDS.set(run)
    try:
        yield run
    finally:
        _ENDS.reset(token)
