"""The features of a kernel that its source tree tells, as a value."""

from ....base.dataclass import dataclass, replace
from ....base.model.history import FeaturesT

FeatureValue = bool | int | str | tuple[int, ...]
"""A feature's value."""
PREFIX = "source:"
"""Before the tree's name: the kernel's name."""


@dataclass(frozen=True, slots=True)
class KernelSource:
    """A kernel by its source tree.

    tree       as it was named: DIR or DIR@REVISION
    base       the release that its Makefile names
    governors  those whose C file it has
    features       class of features -> feature and value, of those that were identified
    unknown    subsystem and feature, of those that were not
    hz         its .config's; None where it has none
    """

    tree: str
    base: str
    governors: tuple[str, ...]
    features: tuple[tuple[type, tuple[tuple[str, FeatureValue], ...]], ...]
    unknown: tuple[tuple[str, str], ...] = ()
    hz: int | None = None

    def laid_over(self, features: FeaturesT) -> FeaturesT:
        """Returns a release's features with the values that were identified in the tree."""
        for kind, values in self.features:
            if kind is type(features):
                changes: dict[str, object] = dict(values)
                return replace(features, **changes)
        return features

    def governor(self, name: str) -> str:
        """Returns what --governor would call the tree's own file of a governor."""
        return f"{self.tree}:{name}"
