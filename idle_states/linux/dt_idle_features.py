"""How the reading of idle-state nodes changed over the releases."""

from dataclasses import dataclass
from functools import cache

from ..history import Change, fold
from .releases import Release, version_key


@dataclass(frozen=True, slots=True)
class Features:
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


CHANGES = (
    Change("3.18", "arm", True, "9f14da345599"),
    Change("4.3", "skips_disabled", True, ""),
    Change("4.13", "per_cpu", True, "d50a7d8acd78"),
    Change("5.3", "compatible_first", True, ""),
    Change("5.4", "psci", True, "9ffeb6d08c3a"),
    Change("5.6", "hierarchy", True, ""),
    Change("5.18", "riscv", True, "6abf32f1d9c5"),
    Change("6.2", "counts_enabled", True, ""),
)
"""Read: a 4.x, a 5.x, Debian's 6.1.192 and a 6.x. Rows without a commit are placed by what was read
on both sides, and may be a release or two off."""

BACKPORTS = {"debian-6.1.192": {"counts_enabled": True}}


@cache
def features(release: Release) -> Features:
    backports = BACKPORTS.get(release.preset.name) if release.preset else None
    return fold(Features(), CHANGES, release.version, version_key, backports)
