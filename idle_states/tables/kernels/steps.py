"""The releases to look at, each with the one before it, and the drivers that decide which."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from ...base.model.processors import Known
from ...base.model.table import IdleTable
from ..linux.brackets import chosen_end
from ..linux.builds import at_hand, beside
from ..linux.grounds import ACPI_IDLE, INTEL_IDLE, INTEL_TABLES, LOOP, known_of
from ..linux.platforms import AnyPlatform, subsystem_of
from ..linux.releases import MAINLINE, PRESETS, Release, place, release, version_key, version_name
from .moves import Step
from .series import points


def steps(
    names: Sequence[str], subsystems: Sequence[str], first: Known | None = None
) -> Iterator[Step]:
    """The steps to look at, in the order of their releases. None leads from a kernel to itself.

    first: the release that a spec says is the first to know its processor
    """
    if len(names) == 2:
        a, b = (chosen_end(release(name)) for name in names)
        if a != b:
            yield a, b
        return
    series = names[0].removeprefix("v") if names else None
    if series is not None:
        points(series)
    begun = {each for name in subsystems for row in known_of(name)[0].rows for each in row.releases}
    found = {
        (release(before), release(now)) for before, now in pairwise(MAINLINE) if series is None
    }
    if first and first.release and version_name(version_key(first.release)[:2]) in MAINLINE:
        begun.add(first.release)
    for name in begun:
        line, key = place(name)
        if line in MAINLINE and key[2] > 0 and series in (None, line):
            found.add((release(f"{line}.{key[2] - 1}"), release(name)))
    distributed = {*PRESETS, *(name for name in begun if name[0].isalpha())}
    for name in distributed:
        kernel = release(name)
        if series in (None, version_name(kernel.version[:2])):
            found.add((_before(name, distributed), kernel))
    yield from sorted(found, key=lambda step: (_point(step[1]), step[1].name))


def _before(name: str, others: Iterable[str]) -> Release:
    """The release that a distribution's kernel is compared with: of several builds of one number
    the one before it, else the release whose number it has."""
    line, key = place(name)
    keys = (other for found, other in map(place, others) if found == line and at_hand(line))
    earlier = beside((line, key), keys)[0]
    return release(earlier) if earlier else release(release(name).base)


def drivers_of(table: IdleTable, platform: "AnyPlatform") -> tuple[str, ...]:
    """The subsystems whose changes may change what is registered of a table. Raises UsageError."""
    driver = subsystem_of(table, platform)
    # powernv's features say of a dump of sysfs whether its snooze polls
    drivers = ["powernv" if driver == LOOP else driver]
    if driver == "dt":
        drivers.append("genpd")
    if driver == INTEL_IDLE:
        drivers.append(INTEL_TABLES)
        if table.origin.form == "acpi":
            drivers.append(ACPI_IDLE)
    return tuple(drivers)


def _point(kernel: Release) -> tuple[int, ...]:
    """6.6 and 6.6.0 alike, before their distributions' kernels."""
    return (*kernel.version, 0)[:3]
