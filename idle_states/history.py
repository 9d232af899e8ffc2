"""Behaviour that changed over releases: features as the fold of dated changes.

A subsystem (skiboot's export, Linux's driver, a governor) has a frozen dataclass of features whose
defaults are those of the oldest release modelled, and a tuple of Change rows. What a release does
is the fold of all changes up to it.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

FeaturesT = TypeVar("FeaturesT", bound="DataclassInstance")
Key = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """From release `since` on, `field` has `value`. commit: what brought it, "" where unknown."""

    since: str
    field: str
    value: Any
    commit: str


def fold(
    oldest: FeaturesT,
    changes: Iterable[Change],
    key: Key,
    version_key: Callable[[str], Key],
    backports: Mapping[str, Any] | None = None,
) -> FeaturesT:
    """Features of the release with this key: all changes up to it, then what was backported."""
    values = {
        change.field: change.value
        for change in sorted(changes, key=lambda change: version_key(change.since))
        if version_key(change.since) <= key
    }
    values |= backports or {}
    return replace(oldest, **values)
