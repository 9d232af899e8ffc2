"""How the ladder governor changed over the releases: little, and its bug not at all."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...history import Change, fold
from ..releases import Release, version_key


@dataclass(frozen=True, slots=True)
class LadderFeatures:
    """Behaviour that differs between releases. Defaults are those of the oldest modelled, 4.8.

    skips_polling  the ladder starts at state 1 if state 0 is flagged POLLING; before, the first
                   rung was fixed at build time, and is 0 on powerpc and Arm
    nanoseconds    idle times and latencies are compared in ns; before, in us, floored
    """

    skips_polling: bool = False
    nanoseconds: bool = False


CHANGES = (
    Change("4.14", "skips_polling", True, "dc2251bf98c6"),
    Change("5.5", "nanoseconds", True, "c1d51f684c72"),
)

BACKPORTS: Mapping[str, Mapping[str, Any]] = {}
"""Preset -> feature -> value. No packaged kernel's ladder differs from its mainline base."""


def features(release: Release) -> LadderFeatures:
    """What the release's ladder does, its distribution's backports included."""
    backports: dict[str, Any] = {}
    if release.preset is not None:
        backports = {**BACKPORTS.get(release.preset.name, {}), **release.preset.ladder}
    return fold(LadderFeatures(), CHANGES, release.version, version_key, backports)
