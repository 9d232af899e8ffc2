"""The ground on which a release is known, for each subsystem: compiled and compared, read, between
two that agree, or taken as another."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, Literal

from ...base.dataclass import dataclass
from ...base.model.findings import UsageError
from ...base.model.history import History, Key, Sources
from ...base.model.table import IdleTable
from ...base.wording import joined, plural
from . import builds
from .governors.source.names import is_source, own_source
from .releases import (
    SERIES2LAST,
    Release,
    folded,
    place,
    reached,
    release,
    version_key,
    version_name,
)

TREES = (
    "4.4..4.4.273 4.5..4.5.7 4.6..4.6.7 4.7..4.7.10 4.8..4.8.17 4.9..4.9.273 4.10..4.10.17 "
    "4.11..4.11.12 4.12..4.12.14 4.13..4.13.16 4.14..4.14.237 4.14.325 4.15..4.15.18 "
    "4.16..4.16.18 4.17..4.17.19 4.18..4.18.20 4.19.1..4.19.195 4.19.222 4.20..4.20.17 "
    "5.0..5.0.21 5.1.15 5.2..5.2.20 5.3..5.3.18 5.4..5.4.301 5.5-rc5 5.6..5.6.19 5.7..5.7.19 "
    "5.8..5.8.18 5.9..5.9.16 5.10..5.10.265 5.11..5.11.22 5.12..5.12.12 5.14-rc5 5.14.2 "
    "5.15..5.15.215 5.16.10 5.17-rc5 5.18.12 5.19 6.0.1 6.1..6.1.166 6.1.170 6.1.172 6.1.174 "
    "6.1.176 6.1.180 6.1.187 6.1.192 6.2.1 6.3.8 6.4.6 6.5 6.6..6.6.150 6.7.3 6.8 6.9 6.10 "
    "6.11.11 6.12 6.12.8 6.12.10..6.12.94 6.12.96 6.12.101 6.12.107 6.12.111 6.12.117 6.13.2 "
    "6.13.7 6.14 6.17 6.17.8 6.18-rc1..6.18.44 6.19 6.19.6 6.19.8 6.19.10 7.0 7.0.14 7.1.3 "
    "7.1.5 7.1.8 7.1.13 7.2.6 7.2.13 7.3-rc7 7.3.4"
)
"""Releases whose sources were at hand; a run lies within its series. Sources name what they take
of them."""

Kind = Literal["compiled", "read", "bracketed", "taken", "reconstructed", "ends"]
Basis = Literal["compiled", "read", "bracketed", "taken", "reconstructed"]
HowKnown = Literal["compiled", "read", "between", "bracketed", "taken", "reconstructed"]
Span = tuple[Key, Key]


@dataclass(frozen=True, slots=True)
class Ground:
    """The ground on which a subsystem's behaviour in a release is known.

    kind      "compiled" and compared with the model; "read" in its source; "bracketed" by two that
              were and agree with it; "taken" as another, because the release itself is not known;
              "reconstructed" from what is said of its changes, which no known release has together;
              by its "ends", which differ
    releases  those it is between, or the one it is taken as
    """

    kind: Kind
    releases: tuple[str, ...] = ()

    @property
    def basis(self) -> Basis:
        """The kind by the words of documents that had none for ends."""
        return "taken" if self.kind == "ends" else self.kind

    @property
    def known(self) -> HowKnown:
        """The kind, with "between" of ends that agree and "bracketed" of ends that differ."""
        if self.kind == "bracketed":
            return "between"
        return "bracketed" if self.kind == "ends" else self.kind

    @property
    def _ends(self) -> str:
        if len(self.releases) < 4:
            return joined(self.releases)
        others = plural(len(self.releases) - 2, "kernel")
        return f"{self.releases[0]}, {self.releases[-1]} and {others} between"

    def __str__(self) -> str:
        if self.kind == "compiled":
            return "compiled and compared"
        if self.kind == "read":
            return "from reading its source, not tested by compiling it"
        if self.kind == "bracketed":
            return f"not checked itself; {self._ends} behave the same"
        if self.kind == "taken":
            return f"not known; {self.releases[0]} is used instead"
        if self.kind == "ends":
            return f"not known; shown for {self._ends}, which differ"
        return "reconstructed from its changes, not read"


LOOP = "idle loop"
ACPI_IDLE = "acpi_idle"
INTEL_IDLE, INTEL_TABLES = "intel_idle", "intel_idle tables"
_name2modules = {
    "powernv": ("driver_features", "driver_features.POWERNV_SOURCES"),
    "pseries": ("driver_features", "driver_features.PSERIES_SOURCES"),
    "dt": ("dt_idle_features", "dt_idle_features.SOURCES"),
    "genpd": ("genpd.features", "genpd.features.SOURCES"),
    ACPI_IDLE: ("acpi_idle.features", "acpi_idle.features.SOURCES"),
    INTEL_IDLE: ("intel_idle.features", "intel_idle.features.SOURCES"),
    INTEL_TABLES: ("intel_idle.figures", "intel_idle.features.SOURCES"),
    LOOP: ("idle_loop", "idle_loop.SOURCES"),
}
"""Drivers, the power domains of CPUs and the idle loop: the module that has the HISTORY, and where
it says which releases it was held against. They are imported when they are asked for."""


def subsystems(governor: str | None = None) -> tuple[str, ...]:
    """The subsystems whose releases are told apart: one governor or all, drivers, the idle loop."""
    from .governors import governor_names

    others = (name for name in _name2modules if name != INTEL_TABLES)
    return (*([governor] if governor else governor_names()), *others)


def driver_of(table: IdleTable) -> str:
    """The subsystem that registers a table's states; of a table that a machine showed or a driver
    has built in, what is left to follow: the idle loop."""
    beyond_opal = {"acpi": ACPI_IDLE, "sysfs": LOOP, "driver": LOOP, "nodes": "dt"}
    return beyond_opal.get(table.origin.form, "pseries" if table.partition else "powernv")


def modelled(release: Release, subsystem: str) -> bool:
    """Tells whether the release has the subsystem, as far as it is modelled."""
    if subsystem in (INTEL_IDLE, INTEL_TABLES, ACPI_IDLE, "genpd"):
        held_against, _ = _name2modules[subsystem][1].rsplit(".", 1)
        return reached(release, _module(held_against).OLDEST)
    if subsystem in _name2modules:
        return True
    from .governors import known_in

    return known_in(subsystem, release)


def followed(kernels: Iterable[Release], subsystem: str) -> tuple[list[Release], list[Release]]:
    """Returns the releases that a table of the subsystem is followed to, and those that are left
    out because it is not modelled there. If it is modelled in none of them, none is left out."""
    known: list[Release] = []
    unknown: list[Release] = []
    for kernel in kernels:
        (known if modelled(kernel, subsystem) else unknown).append(kernel)
    return (known, unknown) if known else (unknown, [])


def left_out(kernels: Sequence[Release], subsystem: str) -> str:
    """Says which releases followed() leaves out; "" for none."""
    if not kernels:
        return ""
    names = ", ".join(kernel.name for kernel in kernels)
    return f"kernels without a model of {subsystem} are skipped: {names}"


@cache
def ground(kernel: Release, subsystem: str) -> Ground:
    """Returns the ground on which a release's subsystem is known; one of subsystems(), or a
    governor's source, which is compiled as it is."""
    if is_source(subsystem):
        return Ground("compiled")
    history, sources = known_of(subsystem)
    if kernel.source is not None and subsystem != INTEL_TABLES:
        if subsystem in kernel.source.governors:
            return Ground("compiled")
        if subsystem not in {where for where, _ in kernel.source.unknown}:
            return Ground("read")
    if kernel.ends:
        alike = len({folded(history, end) for end in kernel.ends}) == 1
        return Ground("bracketed" if alike else "ends", tuple(end.name for end in kernel.ends))
    if kernel.source is not None and subsystem != INTEL_TABLES:
        return Ground("taken", (kernel.source.base,))
    if kernel.name in sources.compiled.split():
        return Ground("compiled")
    if kernel.guessed:
        return Ground("taken", (kernel.taken_as,))
    if builds.at_hand(kernel.way[-1][0]):
        return _of_build(kernel, history, sources)
    compiled, read = _spans(sources.compiled), _spans(sources.read)
    if _within(compiled, kernel.version):
        return Ground("compiled")
    if _within(read, kernel.version):
        return Ground("read")
    features = folded(history, kernel)
    beside = _beside(_both(compiled, read), kernel.version)
    agreeing = [name for name in beside if name and folded(history, release(name)) == features]
    if len(agreeing) == 2:
        return Ground("bracketed", tuple(agreeing))
    return Ground("taken", (agreeing[0],)) if agreeing else Ground("reconstructed")


def steps(series: str, subsystem: str) -> list[int]:
    """Returns the points of a series of mainline from which on a subsystem may do otherwise than
    before, or be known otherwise, in order; 0, its first release, among them."""
    history, sources = known_of(subsystem)
    edges = [key for key, _ in history.of_line(series, place)]
    for first, last in _both(_spans(sources.compiled), _spans(sources.read)):
        edges += first, (*last[:2], last[2] + 1)
    *here, end = version_key(SERIES2LAST[series])
    return sorted({0, *(key[2] for key in edges if key[:2] == (*here,) and 0 < key[2] <= end)})


def _of_build(kernel: Release, history: History[Any], sources: Sources) -> Ground:
    """Returns how well a distribution's build is known, by those of its line that were compiled or
    read."""
    line, key = kernel.way[-1]
    compiled = set(builds.within(sources.compiled, line))
    read = set(builds.within(sources.read, line))
    if key in compiled:
        return Ground("compiled")
    if key in read:
        return Ground("read")
    below, above = builds.beside((line, key), compiled | read)
    features = folded(history, kernel)
    beside = filter(None, (below or kernel.base, above))
    agreeing = [name for name in beside if folded(history, release(name)) == features]
    if len(agreeing) == 2:
        return Ground("bracketed", tuple(agreeing))
    return Ground("taken", (agreeing[0],)) if agreeing else Ground("reconstructed")


_UNBUILT = dict.fromkeys(
    ("teo", "ladder"), "rhel-4.18.0-240 rhel-5.14.0-70.13.1 rhel-6.12.0-55.9.1"
)
"""Governors that kernels' configurations leave out, from the first build whose one was read."""


def remarks(kernels: Iterable[Release], *subsystems: str) -> list[str]:
    """Returns how a governor's source is run, and in one line how well releases are known."""
    kernels = tuple(kernels)
    own = (own_source(each, kernel) for kernel in kernels for each in subsystems)
    sources = [
        line for each in dict.fromkeys(own) if is_source(each) for line in source_remarks(each)
    ]
    for subsystem in subsystems:
        unbuilt = [each.name for each in kernels if reached(each, _UNBUILT.get(subsystem, ""))]
        if unbuilt:
            names = ", ".join(unbuilt)
            what = "its source would decide as shown"
            sources.append(f"RHEL does not build {subsystem} into {names}: {what}")
    return [*sources, *known_by((each, what) for each in kernels for what in subsystems)]


def known_by(followed: Iterable[tuple[Release, str]]) -> list[str]:
    """Returns in one line, if needed, how well subsystems that were not compiled are known."""
    known2names: dict[tuple[str, str], list[str]] = {}
    for kernel, subsystem in followed:
        if modelled(kernel, subsystem) and (known := ground(kernel, subsystem)).kind != "compiled":
            known2names.setdefault((str(known), subsystem), []).append(kernel.name)
    alike: dict[tuple[str, str], list[str]] = {}
    for (how, subsystem), names in known2names.items():
        alike.setdefault((", ".join(names), how), []).append(subsystem)
    parts = [f"{joined(some)} of Linux {names}: {how}" for (names, how), some in alike.items()]
    return [". ".join(parts)] if parts else []


def source_remarks(name: str) -> Iterator[str]:
    """Says how a governor's source is run, and what was assumed of it."""
    if name.endswith(".py"):
        from .governors.source.python import find

        digest = find(name).sha256[:16]
        yield f"{name} decides (SHA-256 {digest}): your own code runs, not confined"
        return
    from .governors.source.started import running

    program = running(name, 250)
    source, interface = program.source, program.interface
    confined = "confined" if source.confined else "not confined: it may reach what you may"
    yield (
        f"{source.file} decides, compiled as it is (SHA-256 {source.sha256[:16]}) with the "
        f"interface of {interface.era}, {confined}"
    )
    yield from interface.assumed


def known_of(subsystem: str) -> tuple[History[Any], Sources]:
    """Returns a subsystem's changes over the releases, and the releases its model was compared
    with. Raises UsageError for a governor's source, which has no releases."""
    if is_source(subsystem):
        raise UsageError(
            f"expected the name of a governor whose releases are compared (menu, teo ...), found "
            f"the source {subsystem}; `select --governor {subsystem}` shows what it selects"
        )
    if subsystem not in _name2modules:
        module = _module(f"governors.{subsystem}_features")
        return module.HISTORY, module.SOURCES
    changes, held_against = _name2modules[subsystem]
    name, sources = held_against.rsplit(".", 1)
    return _module(changes).HISTORY, getattr(_module(name), sources)


@cache
def _module(name: str) -> ModuleType:
    return import_module(f"{__package__}.{name}")


@cache
def _spans(words: str) -> tuple[Span, ...]:
    """First and last release of each run, in order: what of TREES lies within "5.4..6.1.20" or from
    "5.4.." on, and single releases, of TREES or not."""
    spans: set[Span] = set()
    for word in words.split():
        first, dots, last = word.partition("..")
        if dots and first[0].isalpha():
            continue
        line, key = place(first)
        if not dots:
            if not line or line[0].isdigit():
                spans.add((_point(key), _point(key)))
            continue
        low, high = _point(key), _point(place(last)[1]) if last else (1 << 30,)
        runs = (run for run in _trees() if run[0] <= high and low <= run[1])
        spans.update((max(begin, low), min(end, high)) for begin, end in runs)
    return tuple(sorted(spans))


@cache
def _both(compiled: tuple[Span, ...], read: tuple[Span, ...]) -> tuple[Span, ...]:
    return tuple(sorted((*compiled, *read)))


@cache
def _trees() -> tuple[Span, ...]:
    runs = (run.partition("..") for run in TREES.split())
    return tuple((_key(first), _key(last or first)) for first, _, last in runs)


def _key(name: str) -> Key:
    return _point(version_key(name))


def _point(key: Key) -> Key:
    return key if len(key) > 2 else (*key, 0)


def _within(spans: tuple[Span, ...], key: Key) -> bool:
    for first, last in spans:
        if first > key:
            return False
        if key <= last:
            return True
    return False


def _beside(spans: tuple[Span, ...], key: Key) -> Iterator[str | None]:
    """The releases known next below and above: of the series if it has any, otherwise the first
    that is known of the series next to it."""
    series = key[:2]
    same = [span for span in spans if span[0][:2] == series]
    firsts = sorted({span[0][:2]: span[0] for span in reversed(spans)}.values())
    earlier = [first for first in firsts if first[:2] < series]
    later = [first for first in firsts if first[:2] > series]
    below = [last for _, last in same if last < key] or earlier
    above = [first for first, _ in same if first > key] or later
    yield version_name(below[-1]) if below else None
    yield version_name(above[0]) if above else None
