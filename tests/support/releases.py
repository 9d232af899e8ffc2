"""Releases of Linux and of skiboot by their names."""

from collections.abc import Sequence

from idle_states.tables.linux.releases import Release, release
from idle_states.tables.skiboot.releases import knows_chip
from idle_states.tables.spec import registry


def kernels_of(names: Sequence[str]) -> tuple[Release, ...]:
    """The releases for a check's criteria."""
    return tuple(map(release, names))


def known_chips(skiboot: str) -> set[str]:
    """The chips whose processor has a table in a release of skiboot, as the packaged specs say."""
    return {chip.name for chip in registry.chips() if knows_chip(skiboot, chip)}
