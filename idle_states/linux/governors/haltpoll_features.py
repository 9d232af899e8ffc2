"""How the haltpoll governor changed over the releases."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...history import Change, fold
from ..releases import Release, version_key

OLDEST = "5.4"
"""2cffe9f6b96f"""


@dataclass(frozen=True, slots=True)
class HaltpollFeatures:
    """Behaviour that differs between releases. Defaults are those of 5.4, where haltpoll begins.

    nanoseconds      the last residency is in ns; before, in us, floored
    shrinks_to_zero  a limit that shrinks below where growth starts is 0: no polling at all
    """

    nanoseconds: bool = False
    shrinks_to_zero: bool = False


CHANGES = (
    Change("5.5", "nanoseconds", True, "c1d51f684c72"),
    Change("6.9", "shrinks_to_zero", True, ""),
)

BACKPORTS: Mapping[str, Mapping[str, Any]] = {}
"""Preset -> feature -> value: none known; haltpoll has no recorded decisions."""


def features(release: Release) -> HaltpollFeatures:
    """What the release's haltpoll does. Raises ValueError before 5.4."""
    if release.version < version_key(OLDEST):
        raise ValueError(f"expected a release from {OLDEST} on for haltpoll, found {release.name}")
    backports = {} if release.preset is None else BACKPORTS.get(release.preset.name)
    return fold(HaltpollFeatures(), CHANGES, release.version, version_key, backports)
