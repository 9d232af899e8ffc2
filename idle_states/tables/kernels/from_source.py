"""The identification of a kernel's source tree, subsystem by subsystem."""

from collections.abc import Iterator
from typing import Annotated, Any

from ...base.dataclass import dataclass, replace
from ...base.report.sheet import NO_NUMBERS, Lines, Rows, Section, Sheet
from ...base.wording import few, joined, plural
from ..linux.builds import named_builds
from ..linux.governors import governor_names
from ..linux.grounds import known_of, modelled, subsystems
from ..linux.kernel_ranges import kernel_ranges
from ..linux.releases import Release, all_releases, by_number, folded, release
from ..linux.source_tree.told import KernelSource
from .behaviour import features_of
from .identified import identified
from .sheet import value

_NAMED = 6
"""Kernels that are named for a subsystem."""


@dataclass(frozen=True, slots=True)
class IdentifiedPart:
    """A subsystem of a source tree."""

    subsystem: Annotated[str, "A governor, powernv, pseries, dt, genpd, or the idle loop."]
    kernels: Annotated[
        tuple[str, ...], "Known kernels that do the same; the nearest ones where none does."
    ]
    differs: Annotated[
        tuple[str, ...], "The tree's differences from the nearest; empty where some are equal."
    ]
    unknown: Annotated[tuple[str, ...], "Features that were not identified."]


@dataclass(frozen=True, slots=True)
class IdentifiedSource:
    """The identification of a source tree."""

    tree: Annotated[str, "DIR or DIR@REVISION."]
    base: Annotated[str, "The release that its Makefile names."]
    hz: Annotated[int | None, "HZ by its .config; null without one."]
    parts: Annotated[tuple[IdentifiedPart, ...], "Its subsystems, governors first."]


def identified_source(kernel: Release) -> IdentifiedSource:
    """Returns which known kernels do the same as a source tree's, in each subsystem.

    Raises UsageError and Unreadable where its governors cannot be compiled and compared.
    """
    source = kernel.source
    assert source is not None
    parts = [
        _governor(name, source) if name in governor_names() else _driver(name, kernel, source)
        for name in subsystems()
        if modelled(kernel, name)
    ]
    return IdentifiedSource(source.tree, source.base, source.hz, tuple(parts))


def with_governors(kernel: Release) -> Release:
    """Returns a source tree's kernel with its governors' features, as far as the decisions of the
    compiled files tell them, so that it compares with others. Raises as identified_source()."""
    assert kernel.source is not None
    own = []
    for name in kernel.source.governors:
        found = identified(kernel.source.governor(name))
        history = known_of(name)[0]
        some: list[Any] = [
            folded(history, release(kin.kernels[0]))
            for kin in found.equal or found.nearest[: found.is_near]
            if kin.governor == name
        ]
        if some:
            base = folded(history, by_number(kernel.source.base))
            features = base if base in some else some[0]
            features = replace(features, **{each.feature: each.value for each in found.differs})
            values = {each: getattr(features, each) for each in features_of(kernel, name)}
            own.append((type(features), tuple(values.items())))
    return replace(kernel, source=replace(kernel.source, features=(*kernel.source.features, *own)))


def _governor(name: str, source: KernelSource) -> IdentifiedPart:
    found = identified(source.governor(name))
    kin = found.equal or found.nearest[:1]
    differs = tuple(
        f"{each.feature}: {value(each.nearest)} -> {value(each.value)}" for each in found.differs
    )
    if not found.equal:
        share = 100 * kin[0].agree / found.decisions
        differs = (f"{share:.2f} % of {plural(found.decisions, 'decision')} agree", *differs)
    kernels = tuple(kernel for each in kin for kernel in each.kernels)
    return IdentifiedPart(name, kernels, differs, ())


def _driver(name: str, kernel: Release, source: KernelSource) -> IdentifiedPart:
    unknown = tuple(feature for where, feature in source.unknown if where == name)
    own = {k: v for k, v in features_of(kernel, name).items() if k not in unknown}
    kernels2differing: dict[str, dict[str, Any]] = {}
    for each in _known(source.base):
        if modelled(each, name):
            theirs = features_of(each, name)
            kernels2differing[each.name] = {k: theirs[k] for k in own if theirs[k] != own[k]}
    least = min(map(len, kernels2differing.values()))
    nearest = next(few for few in kernels2differing.values() if len(few) == least)
    return IdentifiedPart(
        name,
        tuple(kernel for kernel, few in kernels2differing.items() if few == nearest),
        tuple(f"{k}: {value(v)} -> {value(own[k])}" for k, v in nearest.items()),
        unknown,
    )


def _known(base: str) -> Iterator[Release]:
    """Yields the release of the Makefile, and all that are known to tell apart."""
    yield by_number(base)
    yield from all_releases()
    for builds in named_builds().values():
        yield from map(release, builds)


def sheet(found: IdentifiedSource) -> Sheet:
    """Returns the answer: a row for each subsystem."""
    hz = "no .config says its HZ" if found.hz is None else f"HZ {found.hz} by its .config"
    names = tuple(each.name for each in _known(found.base))
    rows = tuple(
        (
            part.subsystem,
            few(kernel_ranges(part.kernels, names).split(", "), _NAMED),
            "; ".join((*part.differs, *_unknown(part.unknown))),
        )
        for part in found.parts
    )
    head = ("Subsystem", "As Linux", "And differs in")
    return Sheet(
        "Kernels",
        (),
        (
            Section(f"{found.tree}: {found.base} by its Makefile, {hz}", ()),
            Section("", (Rows(head, rows, numbers=NO_NUMBERS),)),
            Section("", (Lines((_HOW,)),)),
        ),
    )


_HOW = (
    "governors are compiled and their decisions compared; for other subsystems, features are "
    "identified from the source, and a kernel is named where all of them match"
)


def _unknown(features: tuple[str, ...]) -> Iterator[str]:
    if features:
        yield f"not identified: {joined(features)}"
