"""Reads a kernel's source tree, and identifies what it does.

The release comes from the Makefile. What the drivers, power domains and the idle loop do is told by
the traces beside each subsystem's features, whatever the release; a feature without a trace in the
tree is worked out both as in that release and as in the newest. Governors are compiled.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from typing import Any

from ....base.dataclass import fields, replace
from ....base.model.findings import unreadable
from ....base.model.history import History
from ....base.model.traces import Traces
from ....base.wording import joined, plural
from ..brackets import bracketed
from ..driver_features import POWERNV
from ..governors import governor_names
from ..governors.source.named import DIRECTORY, Read, tree_reader
from ..releases import NEWEST, Release, by_number, folded, reached
from .told import PREFIX, KernelSource
from .traced import TracedTree

_SUBSYSTEMS = {
    "powernv": "driver_features",
    "dt": "dt_idle_features",
    "genpd": "genpd.features",
    "acpi_idle": "acpi_idle.features",
    "intel_idle": "intel_idle.features",
    "idle loop": "idle_loop",
}
"""The module with the HISTORY and the TRACES of each subsystem."""
_DRIVEN = frozenset({"snooze_timeout", "snooze_polling"})
"""Features of the idle loop that powernv's driver decides."""
_NUMBERS = ("VERSION", "PATCHLEVEL", "SUBLEVEL", "EXTRAVERSION")


@lru_cache(64)
def of_tree(name: str) -> Release:
    """Returns the kernel of a source tree. name: DIR or DIR@REVISION.

    Raises UsageError for what is no folder, Unreadable for one that is no kernel's or cannot be
    read, UnknownRelease for a release before all that are modelled, OSError.
    """
    read = tree_reader(name)
    base = by_number(_version(read, name))
    known, unknown = dict[type, dict[str, Any]](), list[tuple[str, str]]()
    seen = TracedTree(read)
    for subsystem, history, traces, oldest in identified():
        kind = type(history.oldest)
        known[kind] = seen.values(traces)
        if not oldest or reached(base, oldest):
            every = {each.name for each in fields(kind)} - (known[kind].keys() | _driven(kind))
            unknown += ((_of(subsystem, feature), feature) for feature in sorted(every))
    governors = tuple(each for each in governor_names() if read(f"{DIRECTORY}/{each}.c"))
    source = KernelSource(name, base.name, governors, _frozen(known), tuple(unknown), _hz(read))
    return _followed(base, source, known)


def identified() -> Iterator[tuple[str, History[Any], Traces, str]]:
    """Yields each subsystem that traces identify, its history, the traces, and the first releases
    that are modelled; "" for all."""
    for subsystem, name in _SUBSYSTEMS.items():
        module = import_module(f"..{name}", __package__)
        yield subsystem, module.HISTORY, module.TRACES, getattr(module, "OLDEST", "")


def _of(subsystem: str, feature: str) -> str:
    return "pseries" if subsystem == "powernv" and feature not in POWERNV else subsystem


def _driven(kind: type) -> frozenset[str]:
    return _DRIVEN if kind.__name__ == "IdleLoopFeatures" else frozenset()


def _followed(
    base: Release, source: KernelSource, known: Mapping[type, Mapping[str, Any]]
) -> Release:
    """Returns the kernel; where what was not identified differs between its release and the newest,
    with both as its ends."""
    first, newest, later = _as(base, source), by_number(NEWEST), dict[type, dict[str, Any]]()
    missing = {feature for _, feature in source.unknown}
    for _, history, traces, _ in identified():
        kind = type(history.oldest)
        values = {each: getattr(folded(history, newest), each) for each in traces.of}
        later[kind] = {k: v for k, v in values.items() if k in missing - known[kind].keys()}
        later[kind] |= known[kind]
    second = _as(base, replace(source, features=_frozen(later)))
    if all(folded(each, first) == folded(each, second) for _, each, _, _ in identified()):
        return first
    ends = (replace(first, name=base.name), replace(second, name=newest.name))
    found = bracketed(first.name, first.typed, ends)
    note = f"{first.note}, shown for {base.name} and for {newest.name}"
    return replace(found, note=note)


def _as(base: Release, source: KernelSource) -> Release:
    name = f"{PREFIX}{source.tree}"
    made = replace(
        base, name=name, typed=name, source=source, guessed=bool(source.unknown), taken_as=base.name
    )
    features = source.laid_over(base.features)
    same = [
        getattr(folded(history, base), feature) == value
        for _, history, _, oldest in identified()
        if not oldest or reached(base, oldest)
        for kind, values in source.features
        if kind is type(history.oldest)
        for feature, value in values
    ]
    otherwise, count = same.count(False), len(same)
    words = f"{otherwise} of {plural(count, 'feature')} of it differ in its source"
    note = f"{base.name} by its Makefile; {words if otherwise else _ALIKE[bool(count)]}"
    if source.unknown:
        note += f"; not identified: {_listed(source)}"
    return replace(made, features=features, note=note)


_ALIKE = ("its source identifies no feature", "its source has the same features")


def _listed(source: KernelSource) -> str:
    """Returns "faux of dt; 5 features of powernv; genpd"."""
    by: dict[str, list[str]] = {}
    for subsystem, feature in source.unknown:
        by.setdefault(subsystem, []).append(feature)
    every = Counter(_of(where, name) for where, _, traces, _ in identified() for name in traces.of)
    return "; ".join(
        of
        if len(names) == every[of]
        else f"{joined(names) if len(names) < 4 else plural(len(names), 'feature')} of {of}"
        for of, names in by.items()
    )


def _frozen(
    known: Mapping[type, Mapping[str, Any]],
) -> tuple[tuple[type, tuple[tuple[str, Any], ...]], ...]:
    return tuple((kind, tuple(values.items())) for kind, values in known.items())


def _version(read: Read, name: str) -> str:
    """Returns the release by the Makefile: 6.1.141, 6.19-rc3; of RHEL 5.14.0-503.el9. Raises
    Unreadable."""
    text = read("Makefile")
    numbers = dict(_settings(text or "", _NUMBERS))
    if not all(numbers.get(each, "").isdigit() for each in _NUMBERS[:2]):
        raise unreadable(
            name,
            "expected a kernel's source tree, with VERSION and PATCHLEVEL in its Makefile, found "
            f"{'other lines' if text else 'no Makefile'}",
        )
    major, minor, point, extra = (numbers.get(each, "") for each in _NUMBERS)
    candidate = extra if re.fullmatch(r"-rc[0-9]+", extra) else ""
    rhel = dict(_settings(read("Makefile.rhelver") or "", ("RHEL_MAJOR", "RHEL_RELEASE")))
    if rhel.get("RHEL_MAJOR") and rhel.get("RHEL_RELEASE"):
        build = re.sub(r"\.el[0-9].*", "", rhel["RHEL_RELEASE"])
        return f"{major}.{minor}.{point or 0}-{build}.el{rhel['RHEL_MAJOR']}"
    return f"{major}.{minor}{f'.{point}' if point.strip('0') else ''}{candidate}"


def _settings(text: str, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for name in names:
        if found := re.search(rf"^{name}[ \t]*[?:]?=[ \t]*(\S*)", text, re.MULTILINE):
            yield name, found[1]


def _hz(read: Read) -> int | None:
    found = re.search(r"^CONFIG_HZ=([0-9]{1,5})$", read(".config") or "", re.MULTILINE)
    return int(found[1]) if found else None
