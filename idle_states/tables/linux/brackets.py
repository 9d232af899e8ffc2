"""Kernels that are not known themselves, as the known ones that they lie between.

A command that follows such a kernel is run once for each of its ends: `ends_taken` says for which.
What does so reads kernels by option, operand or recording, and calls `taken` on each.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from ...base.dataclass import dataclass, field, replace
from ...base.wording import joined, plural
from .builds import CHANGED_FROM_FIRST, at_hand, beside, name_of
from .driver_features import HISTORY
from .releases import (
    LONG_TERM,
    MAINLINE,
    PRESETS,
    SERIES,
    SERIES2LAST,
    Release,
    UnknownRelease,
    builds_of,
    by_number,
    folded,
    place,
    release,
    version_key,
    version_name,
)
from .shipped import Shipped
from .uname import Distribution, parsed


@dataclass(slots=True)
class TakenEnds:
    """The ends that a run takes kernels as.

    chosen  kernel's name -> number of the end; of other kernels the first end is taken
    met     kernels with ends that the run has come upon, by name
    """

    chosen: Mapping[str, int]
    met: dict[str, Release] = field(default_factory=dict)


_ENDS: ContextVar[TakenEnds | None] = ContextVar("ends", default=None)


def bracketed(name: str, typed: str, ends: Sequence[Release], of: str = "") -> Release:
    """Returns the kernel that is not known but for its ends: two releases or more, the first first;
    of releases that are the same, that release.

    name  by which release() finds it again
    of    in words, whose kernel it is: "RHEL 9"
    """
    distinct = tuple(dict.fromkeys(ends))
    if len(distinct) == 1:
        return distinct[0]
    names = [distinct[0].name, distinct[-1].name]
    if between := len(distinct) - 2:
        names.insert(1, plural(between, "kernel") + " between")
    whose = f"any kernel of {of}" if of else "not known itself"
    note = f"{whose}: shown for {joined(names)}"
    first = replace(distinct[0], name=name, typed=typed, guessed=True, note=note)
    return replace(first, ends=distinct)


def between(found: Shipped | Release, typed: str) -> Release:
    """Returns the kernel of a distribution's release, or one that its number alone tells, as far as
    it is known. Raises UnknownRelease."""
    if isinstance(found, Shipped):
        return of_shipped(found, typed)
    ends = around(found)
    return bracketed(found.name, typed, ends) if ends else found


def of_shipped(ships: Shipped, typed: str) -> Release:
    """Returns the kernel of a distribution's release: its first where it kept to that one's number,
    or one that is not known, from its first to its last. Raises UnknownRelease."""
    try:
        found = [release(name) for name in ships.kernels]
    except UnknownRelease:
        raise UnknownRelease(
            f"expected a kernel from {MAINLINE[0]} on, found {typed!r}: {ships.title} has "
            f"{ships.kernels[0]}, which is older"
        ) from None
    first, last = found[0], found[-1]
    if first is last and not first.ends:
        whose = f"the kernel that {ships.title} was released with"
        return replace(first, typed=typed, note=whose)
    if first is last:
        return bracketed(ships.name, typed, first.ends, ships.title)
    first, last = (first.ends or found)[0], (last.ends or found)[-1]
    ends = tuple(_turning([first, *_from_to(first, last), last]))
    return bracketed(ships.name, typed, ends, ships.title)


def around(found: Release) -> tuple[Release, ...]:
    """Returns the known kernels that one lies between, the first first; none if it is known itself,
    or nothing is known of what its distribution made of the release that it numbers."""
    named = parsed(found.name)
    if named is None or named.distribution is None or found.name in PRESETS or named.candidate:
        return ()
    distribution = named.distribution
    line, _ = found.way[-1]
    if builds := builds_of(named, line):
        names = [name_of((line, build)) for build in builds]
        if not named.build:
            return tuple(_turning(map(by_number, names)))
        own = (*named.series, 0, *named.build)
        if own in builds:
            return ()
        below, above = beside((line, own), builds)
        first = by_number(below or found.base)
        if above is None:
            return _from(first, distribution)
        last = by_number(above)
        ends = (first, *_from_to(first, last), last)
        return tuple(_turning(ends)) if len(set(map(_behaviour, ends))) > 1 else ()
    if named.numbers != "base":
        return ()
    newest = by_number(SERIES[-1])
    if distribution.later == "any":
        if found.base == newest.name:
            return ()
        base = by_number(found.base)
        if _behaviour(base) == _behaviour(found):
            return replace(found, name=found.base), newest
        read = replace(found, name=f"{found.name} as read")
        if line in CHANGED_FROM_FIRST:
            return read, newest
        return replace(base, machine=found.machine), read, newest
    number = ".".join(map(str, (*found.version, 0)[:3]))
    return _from(by_number(f"{distribution.name}-{number}"), distribution)


def _from(first: Release, distribution: Distribution) -> tuple[Release, ...]:
    """Returns what a distribution's kernel may be that is not older than one that is known."""
    if distribution.later == "any":
        return first, by_number(SERIES[-1])
    series = version_name(first.version[:2])
    last = by_number(f"{distribution.name}-{SERIES2LAST[series]}")
    ends = [*_turning([first, *_from_to(first, last), last])]
    return (*ends, *_with_fixes(ends[-1], series))


def _with_fixes(last: Release, series: str) -> Iterator[Release]:
    """Yields a series' last release with the changes, too, that the long-term series around it took
    from later releases: what distributions do after the series has ended."""
    key = version_key(series)
    if series in LONG_TERM:
        return
    before = [each for each in LONG_TERM if version_key(each) < key][-1:]
    after = [each for each in LONG_TERM if version_key(each) > key][:1]
    lines = [*before, *after]
    way = (*last.way, *((each, version_key(SERIES2LAST[each])) for each in lines))
    name = f"{last.name} with the fixes of {joined([f'{each}.y' for each in lines])}"
    yield replace(last, name=name, way=way, features=HISTORY.fold(way, place))


def _from_to(first: Release, last: Release) -> Iterator[Release]:
    """Yields the releases between two of a line, that of a distribution or of its series."""
    line = last.way[-1][0]
    low, high = first.way[-1][1], last.way[-1][1]
    if builds := [each for each in at_hand(line) if low < each < high and len(high) > 3]:
        yield from (by_number(name_of((line, each))) for each in builds)
    elif first.version[:2] == last.version[:2]:
        series, points = version_name(last.version[:2]), (first.version, last.version)
        prefix = "" if line[0].isdigit() else f"{line.partition('-')[0]}-"
        begin, end = ((*point, 0)[2] for point in points)
        yield from (by_number(f"{prefix}{series}.{at}") for at in range(begin + 1, end))


def _turning(releases: Iterable[Release]) -> Iterator[Release]:
    """Yields the releases that do something that none before did, and the last one."""
    known: set[object] = set()
    each = None
    for each in releases:
        behaviour = _behaviour(each)
        if behaviour not in known:
            known.add(behaviour)
            last = each
            yield each
    if each is not None and each != last:
        yield each


def _behaviour(kernel: Release) -> object:
    """Returns what is equal for releases that do the same in every subsystem."""
    from .grounds import known_of, subsystems

    return tuple(folded(known_of(name)[0], kernel) for name in subsystems())


def as_end(kernel: Release, number: int) -> Release:
    """Returns a kernel that is not known as one of its ends, under its own name."""
    end = kernel.ends[number]
    return replace(
        kernel,
        version=end.version,
        features=end.features,
        way=end.way,
        taken_as=end.taken_as,
        source=end.source,
    )


def chosen_end(kernel: Release) -> Release:
    """Returns the kernel as the end that the running command takes it as; itself if it is known."""
    run = _ENDS.get()
    if run is None or not kernel.ends:
        return kernel
    run.met[kernel.name] = kernel
    return as_end(kernel, run.chosen.get(kernel.name, 0))


@contextmanager
def choosing_ends(chosen: Mapping[str, int]) -> Iterator[TakenEnds]:
    """Makes taken() take kernels as the ends chosen, by name, as long as the context lasts."""
    run = TakenEnds(chosen)
    token = _ENDS.set(run)
    try:
        yield run
    finally:
        _ENDS.reset(token)
