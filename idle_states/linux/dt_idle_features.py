"""How the reading of idle-state nodes changed over the releases."""

from dataclasses import dataclass
from functools import cache

from ..history import History, Sources, rows_of
from .releases import Release, folded


@dataclass(frozen=True, slots=True)
class DtIdleFeatures:
    """Behaviour that differs between releases. Defaults are those of the oldest modelled, 3.14.

    arm, riscv        there is a driver for these nodes
    psci              PSCI has a driver of its own, cpuidle-psci
    per_cpu           each CPU has its own list; before, all must have the first CPU's
    skips_disabled    nodes whose status is not okay are passed over
    compatible_first  a node's compatible is looked at before its status
    hierarchy         domain-idle-states of a CPU's power domain come before cpu-idle-states
    counts_enabled    only enabled nodes are counted; before, those passed over were too
    """

    arm: bool = False
    riscv: bool = False
    psci: bool = False
    per_cpu: bool = False
    skips_disabled: bool = False
    compatible_first: bool = False
    hierarchy: bool = False
    counts_enabled: bool = False


since = rows_of(DtIdleFeatures)

CHANGES = (
    since("3.18", "9f14da345599", arm=True),
    since("4.3", "", skips_disabled=True),
    since("4.13", "d50a7d8acd78", per_cpu=True),
    since("5.2", "", compatible_first=True),
    since("5.4", "9ffeb6d08c3a", psci=True),
    since("5.6", "", hierarchy=True),
    since("5.18", "6abf32f1d9c5", riscv=True),
    since("6.2 6.1.2 5.15.86 5.10.163 5.4.229", "ee3c2c8ad6ba", counts_enabled=True),
)
"""The release of a row without commit may be off by one or two before 5.4."""

HISTORY = History(DtIdleFeatures(), CHANGES)
SOURCES = Sources(compiled="5.9..6.4.6 6.6..6.9", read="4.4..")


@cache
def features(release: Release) -> DtIdleFeatures:
    return folded(HISTORY, release)
