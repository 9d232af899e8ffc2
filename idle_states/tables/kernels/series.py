"""The releases there are, series by series: which behave as one, and how well each is known."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ...base.dataclass import dataclass
from ...base.model.findings import UsageError
from ..linux.grounds import Ground, ground, modelled
from ..linux.releases import MAINLINE, PRESETS, SERIES, Release, release, version_key, version_name
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
        return [_line([kernel], subsystems, kernel)]
    series = None if name is None else name.removeprefix("v")
    found = [_line(points(each), subsystems) for each in MAINLINE if series in (None, each)]
    for preset in map(release, PRESETS):
        if series in (None, version_name(preset.version[:2])):
            found.append(_line([preset], subsystems, preset))
    return found


def points(series: str) -> list[Release]:
    """All releases of a series: 6.6, 6.6.1, ... Raises UsageError for another name."""
    if series not in MAINLINE:
        raise UsageError(
            f"expected a series such as {MAINLINE[-1]}, or two kernels, found {series!r}"
        )
    last = int(SERIES[MAINLINE.index(series)].rpartition(".")[2])
    return [release(series), *(release(f"{series}.{point}") for point in range(1, last + 1))]


def _line(
    known: Sequence[Release], subsystems: Sequence[str], kernel: Release | None = None
) -> ReleaseLine:
    followed = (
        Subsystem(name, tuple(_stretches(known, name)))
        for name in subsystems
        if modelled(known[0], name)
    )
    return ReleaseLine(known[0].name, known[-1].name, tuple(followed), kernel)


def _stretches(known: Sequence[Release], subsystem: str) -> Iterator[Stretch]:
    features = [features_of(each, subsystem) for each in known]
    begins = [0, *(at for at, (a, b) in enumerate(pairwise(features), 1) if a != b)]
    for first, behind in zip(begins, [*begins[1:], len(known)], strict=True):
        some = known[first:behind]
        grounds: list[tuple[str, Ground]] = []
        for each in some:
            found = ground(each, subsystem)
            if not grounds or grounds[-1][1] != found:
                grounds.append((each.name, found))
        yield Stretch(some[0].name, some[-1].name, tuple(grounds))


def _before(name: str) -> str:
    """6.6.92 of 6.6.93; 6.6 of 6.6.1."""
    *series, point = version_key(name)
    return version_name((*series, point - 1))
