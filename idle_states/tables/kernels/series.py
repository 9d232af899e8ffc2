"""The releases there are, series by series: which behave as one, and how well each is known."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ...base.dataclass import dataclass
from ...base.model.findings import UsageError
from ..linux.grounds import Ground, ground, modelled, steps
from ..linux.releases import (
    MAINLINE,
    PRESETS,
    SERIES2LAST,
    Release,
    release,
    version_key,
    version_name,
)
from .behaviour import features_of, of_interest


@dataclass(frozen=True, slots=True)
class Stretch:
    """Releases of a series, from the first to the last, that do the same in a subsystem.

    grounds  how they are known: each ground from which release on
    """

    first: str
    last: str
    grounds: tuple[tuple[str, Ground], ...]

    def known(self) -> Iterator[tuple[Ground, str, str]]:
        """Yields each ground with the first and the last release it holds for."""
        for at, (first, found) in enumerate(self.grounds, 1):
            last = _before(self.grounds[at][0]) if at < len(self.grounds) else self.last
            yield found, first, last


@dataclass(frozen=True, slots=True)
class Subsystem:
    """A subsystem over a series. stretches: in order; they cover the series."""

    name: str
    stretches: tuple[Stretch, ...]


@dataclass(frozen=True, slots=True)
class ReleaseLine:
    """A series of kernel.org, 6.6 to 6.6.150; or one kernel, first and last alike.

    name        of the series, or of the kernel
    subsystems  those that are modelled for it
    kernel      the kernel, of a line of one
    """

    name: str
    last: str
    subsystems: tuple[Subsystem, ...]
    kernel: Release | None = None

    @property
    def first(self) -> str:
        """The first release of a series has its name."""
        return self.name


def lines(name: str | None = None, governor: str | None = None) -> list[ReleaseLine]:
    """Every series, and the distributions' kernels that were held against the model.

    name      only this series, with its distributions' kernels; or only this kernel
    governor  of the governors only this one
    Raises UnknownRelease, UnknownGovernor.
    """
    subsystems = of_interest(governor)
    if name is not None and name.removeprefix("v") not in MAINLINE:
        kernel = release(name)
        return [_line(kernel.name, kernel.name, subsystems, kernel)]
    series = None if name is None else name.removeprefix("v")
    found = [
        _line(each, SERIES2LAST[each], subsystems) for each in MAINLINE if series in (None, each)
    ]
    for preset in map(release, PRESETS):
        if series in (None, version_name(preset.version[:2])):
            found.append(_line(preset.name, preset.name, subsystems, preset))
    return found


def points(series: str) -> list[Release]:
    """All releases of a series: 6.6, 6.6.1, ... Raises UsageError for another name."""
    if series not in MAINLINE:
        raise UsageError(
            f"expected a series such as {MAINLINE[-1]}, or two kernels, found {series!r}"
        )
    return [_point(series, each) for each in range(version_key(SERIES2LAST[series])[2] + 1)]


def _point(series: str, point: int) -> Release:
    return release(f"{series}.{point}" if point else series)


def _line(
    name: str, last: str, subsystems: Sequence[str], kernel: Release | None = None
) -> ReleaseLine:
    """Returns the line of a series, asking only for releases where something may change; or of one
    kernel."""
    followed = []
    for each in subsystems:
        if modelled(kernel or release(name), each):
            known = [kernel] if kernel else [_point(name, at) for at in steps(name, each)]
            followed.append(Subsystem(each, tuple(_stretches(known, last, each))))
    return ReleaseLine(name, last, tuple(followed), kernel)


def _stretches(known: Sequence[Release], last: str, subsystem: str) -> Iterator[Stretch]:
    """Yields the stretches from a series' first release to its last; known: the releases between
    which nothing changes."""
    features = [features_of(each, subsystem) for each in known]
    begins = [0, *(at for at, (a, b) in enumerate(pairwise(features), 1) if a != b)]
    for first, behind in zip(begins, [*begins[1:], len(known)], strict=True):
        some = known[first:behind]
        grounds: list[tuple[str, Ground]] = []
        for each in some:
            found = ground(each, subsystem)
            if not grounds or grounds[-1][1] != found:
                grounds.append((each.name, found))
        end = _before(known[behind].name) if behind < len(known) else last
        yield Stretch(some[0].name, end, tuple(grounds))


def _before(name: str) -> str:
    """6.6.92 of 6.6.93; 6.6 of 6.6.1."""
    *series, point = version_key(name)
    return version_name((*series, point - 1))
