"""Releases of Linux by their names."""

from collections.abc import Sequence

from idle_states.tables.linux.releases import Release, release


def kernels_of(names: Sequence[str]) -> tuple[Release, ...]:
    """The releases for a check's criteria."""
    return tuple(map(release, names))
