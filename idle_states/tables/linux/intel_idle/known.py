"""intel_idle's tables and processors as values, with the releases that have them."""

from collections.abc import Iterable, Sequence
from functools import cache

from ....base.dataclass import dataclass
from ....base.model.beyond_opal import MatchedCpu
from ..cpuidle_flags import HINT_SHIFT
from . import tables
from .states import NAME2FLAG, IntelIdleData, StartedState

LETTERS = {
    "A": "CPUIDLE_FLAG_ALWAYS_ENABLE",
    "B": "CPUIDLE_FLAG_IBRS",
    "I": "CPUIDLE_FLAG_IRQ_ENABLE",
    "P": "CPUIDLE_FLAG_PARTIAL_HINT_MATCH",
    "T": "CPUIDLE_FLAG_TLB_FLUSHED",
    "U": "CPUIDLE_FLAG_UNUSABLE",
    "X": "CPUIDLE_FLAG_INIT_XSTATE",
}
"""Letter -> flag, in `tables.TABLES`."""
SETTINGS = {
    "acpi": "use_acpi",
    "byt": "byt_auto_demotion_disable_flag",
    "c1": "c1_demotion_supported",
    "c1e": "disable_promotion_to_c1e",
    "demotion": "auto_demotion_disable_flags",
}
"""Word -> member of struct idle_cpu, in `tables.CPUS`."""


NUMBERED = [name for name in tables.TREES.split() if not name[0].isalpha()]
BUILDS = [name for name in tables.TREES.split() if name[0].isalpha()]
"""Kernel.org's releases and distributions' builds among `tables.TREES`."""


@dataclass(frozen=True, slots=True)
class KnownRow:
    """A row of an array. Times in us; flags: letters of LETTERS."""

    name: str
    exit_latency_us: int
    target_residency_us: int
    mwait_hint: int
    flags: str

    @property
    def times(self) -> tuple[int, int]:
        return self.exit_latency_us, self.target_residency_us


@dataclass(frozen=True, slots=True)
class KnownTable:
    """An array as some releases have it. releases: of those of `tables.TREES`."""

    name: str
    releases: tuple[str, ...]
    rows: tuple[KnownRow, ...]


@dataclass(frozen=True, slots=True)
class KnownCpu:
    """A processor of intel_idle's list. releases: as of KnownTable."""

    cpu: MatchedCpu
    releases: tuple[str, ...]


def spans(releases: Iterable[str], order: Sequence[str] | None = None) -> str:
    """Runs of releases that follow each other in `order` (None: `tables.TREES`): "5.2.1..5.9.1
    6.1.192"."""
    order = tables.TREES.split() if order is None else order
    runs: list[list[int]] = []
    for at in sorted({order.index(release) for release in releases}):
        if runs and runs[-1][-1] == at - 1 and _base(order[at]) == _base(order[at - 1]):
            runs[-1].append(at)
        else:
            runs.append([at])
    names = [(order[run[0]], order[run[-1]]) for run in runs]
    return " ".join(first if first == last else f"{first}..{last}" for first, last in names)


def _base(name: str) -> str:
    """The number that a distribution's builds are of; "" of kernel.org's releases."""
    return name.rpartition("-")[0] if name[0].isalpha() else ""


def _expanded(text: str) -> tuple[str, ...]:
    """The releases of spans."""
    order = tables.TREES.split()
    found: list[str] = []
    for span in text.split():
        first, dots, last = span.partition("..")
        found += order[order.index(first) : order.index(last if dots else first) + 1]
    return tuple(found)


@cache
def known_tables() -> tuple[KnownTable, ...]:
    found: list[KnownTable] = []
    heads: list[tuple[str, str, list[str]]] = []
    for line in tables.TABLES.strip().splitlines():
        if line.startswith(" "):
            heads[-1][2].append(line.strip())
        else:
            name, _, releases = line.partition(" ")
            heads.append((name, releases, []))
    for name, releases, lines in heads:
        rows = tuple(_row(text) for text in " ".join(lines).split("; "))
        found.append(KnownTable(name, _expanded(releases), rows))
    return tuple(found)


def _row(text: str) -> KnownRow:
    name, times, hint, *flags = text.rstrip(";").split()
    latency, _, residency = times.partition("/")
    return KnownRow(name, int(latency), int(residency), int(hint, 16), "".join(flags))


@cache
def known_cpus() -> tuple[KnownCpu, ...]:
    found = []
    for line in tables.CPUS.strip().splitlines():
        name, place, table, listed, releases = line.split(" ", 4)
        family, _, model = place.partition("/")
        words = (word.partition("=") for word in listed.strip("-").split(",") if word != "-")
        settings = tuple(
            (SETTINGS[word], int(value or "1", 16)) for word, _, value in words if word
        )
        cpu = MatchedCpu(name, 0, int(family, 16), int(model, 16), "", table.strip("-"), settings)
        found.append(KnownCpu(cpu, _expanded(releases)))
    return tuple(found)


@cache
def driver_data(release: str) -> IntelIdleData:
    """Returns the data of a release's driver by the packaged figures; flags by the bits of 5.9 and
    later. release: one of `tables.TREES`. KeyError for others."""
    if release not in tables.TREES.split():
        raise KeyError(release)
    return IntelIdleData(
        {
            table.name: tuple(map(_started, table.rows))
            for table in known_tables()
            if release in table.releases
        },
        tuple(known.cpu for known in known_cpus() if release in known.releases),
    )


def _started(row: KnownRow) -> StartedState:
    flags = row.mwait_hint << HINT_SHIFT
    for letter in row.flags:
        flags |= NAME2FLAG[LETTERS[letter]]
    return StartedState(row.name, f"MWAIT {row.mwait_hint:#04x}", *row.times, flags)
