"""The behaviour of a release, subsystem by subsystem, and its differences from another's."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, Literal

from ...base.dataclass import dataclass
from ...base.model.history import Dated, meanings, types_of
from ..linux.driver_features import POWERNV, PSERIES
from ..linux.governors import UnknownGovernor, governor_names
from ..linux.grounds import known_of, modelled, subsystems
from ..linux.releases import Release, folded, place

_driver2fields = {"powernv": POWERNV, "pseries": PSERIES}
"""Features of the drivers that share a history."""


@dataclass(frozen=True, slots=True)
class Brought:
    """A change that only one of two releases has.

    release  the first of the release's line that has it: 6.6.93
    commit   hash or title, "" if unknown
    """

    side: Annotated[Literal["a", "b"], "The release of the two that has it."]
    release: Annotated[str, "The first release of its line that has the change."]
    commit: Annotated[str, "The commit's hash or title; empty where it is not known."]


@dataclass(frozen=True, slots=True)
class FeatureChange:
    """A feature that two releases have with different values. origins: the earlier release's
    first."""

    subsystem: Annotated[str, "A governor, powernv, pseries, dt, genpd, or the idle loop."]
    feature: Annotated[str, "Its name."]
    a: Annotated[Any, "The first kernel's value: a truth value, a number, a text, a list, null."]
    b: Annotated[Any, "The second one's."]
    meaning: Annotated[str, "A description of the feature; for a truth value, the meaning of true."]
    origins: Annotated[
        tuple[Brought, ...],
        "The last change of it in each of the kernels that the other one lacks.",
    ]


@dataclass(frozen=True, slots=True)
class OneSided:
    """A subsystem that is modelled in one of two releases only. side: the one that has it."""

    subsystem: str
    side: Literal["a", "b"]


@dataclass(frozen=True, slots=True)
class KernelComparison:
    """The differences between two releases, in the order of the subsystems."""

    a: Release
    b: Release
    subsystems: tuple[str, ...]
    changes: tuple[FeatureChange, ...]
    missing: tuple[OneSided, ...]

    @property
    def differs(self) -> bool:
        return bool(self.changes or self.missing)


def of_interest(governor: str | None) -> tuple[str, ...]:
    """A governor, or all of them, the drivers and the idle loop. Raises UnknownGovernor."""
    known = governor_names()
    if governor not in (None, *known):
        raise UnknownGovernor(f"expected a governor ({', '.join(known)}), found {governor!r}")
    return subsystems(governor)


def _class_of(subsystem: str) -> type:
    return type(known_of(subsystem)[0].oldest)


@cache
def _fields(subsystem: str) -> tuple[str, ...]:
    """The features that concern a subsystem, in the order of the dataclass."""
    every = types_of(_class_of(subsystem))
    some = _driver2fields.get(subsystem, every)
    return tuple(name for name in every if name in some)


def features_of(release: Release, subsystem: str) -> Mapping[str, Any]:
    """Feature -> value, of what concerns the subsystem."""
    features = folded(known_of(subsystem)[0], release)
    return {name: getattr(features, name) for name in _fields(subsystem)}


def rows_of(release: Release, subsystem: str) -> list[Dated]:
    """The changes on a release's way that concern the subsystem, in order."""
    fields = _fields(subsystem)
    return [
        dated
        for dated in known_of(subsystem)[0].on(release.way, place)
        if dated.row not in release.lacks and not dated.row.values.keys().isdisjoint(fields)
    ]


def compare(a: Release, b: Release, governor: str | None = None) -> KernelComparison:
    """Returns b's differences from a: of one governor or all, the drivers and the idle loop.

    Raises UnknownGovernor.
    """
    changes: list[FeatureChange] = []
    missing: list[OneSided] = []
    subsystems = of_interest(governor)
    for subsystem in subsystems:
        has_a, has_b = modelled(a, subsystem), modelled(b, subsystem)
        if has_a and has_b:
            changes += changes_of(a, b, subsystem)
        elif has_a or has_b:
            missing.append(OneSided(subsystem, "a" if has_a else "b"))
    return KernelComparison(a, b, subsystems, tuple(changes), tuple(missing))


def changes_of(a: Release, b: Release, subsystem: str) -> Iterator[FeatureChange]:
    """The subsystem's features that differ."""
    words = meanings(_class_of(subsystem))
    values_a, values_b = features_of(a, subsystem), features_of(b, subsystem)
    for feature, value in values_a.items():
        if value == values_b[feature]:
            continue
        origins = (_last(feature, "a", a, b, subsystem), _last(feature, "b", b, a, subsystem))
        yield FeatureChange(
            subsystem,
            feature,
            value,
            values_b[feature],
            words.get(feature, ""),
            tuple(origin for origin in origins if origin),
        )


def _last(
    feature: str, side: Literal["a", "b"], having: Release, lacking: Release, subsystem: str
) -> Brought | None:
    """The last change of the feature in a release, if the other one lacks it."""
    own = [dated for dated in rows_of(having, subsystem) if feature in dated.row.values]
    if not own or own[-1].row in [dated.row for dated in rows_of(lacking, subsystem)]:
        return None
    return Brought(side, own[-1].release, own[-1].row.commit)
