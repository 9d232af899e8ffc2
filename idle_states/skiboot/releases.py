"""skiboot releases as sets of feature flags: what add_cpu_idle_state_properties() did, and when.

Read from every tag between 2.1.1-fw810.20 (2014) and v7.1 and from master of 2025-12. A release
is the fold of all CHANGES up to it; stable branches follow their own number (6.0.24 is older
behaviour than 6.1).
"""

import re
from dataclasses import dataclass
from functools import cache

from ..history import Change, fold


@dataclass(frozen=True, slots=True)
class Features:
    """Behaviour that differs between releases; defaults are those of 4.0.

    residency             ibm,cpu-idle-state-residency-ns is created
    pmicr_mask_is_value   bug: pmicr-mask is filled from pmicr
    naples                Naples takes the POWER8 table
    power7                POWER7 gets properties (slw_init() returned before, for a while)
    stop                  POWER9 tables and psscr properties exist
    checks_name_total     assert(alloced_name_buf == name_buf): a wrapped u8 stops the boot
    stop_levels           ibm,enabled-stop-levels filters states
    dd1                   which DD1 chips take the DD1 table: "", "any" POWER9 or "nimbus"
    deep_by_homer         DEEP states need a HOMER; before, an SLW image, which POWER9 never has
    mambo                 "as hardware", "no properties" or "own table"
    opal_levels           levels OPAL's own mask leaves enabled; None before there was one
    nvram_mask            NVRAM key opal-stop-state-disable-mask is honoured
    p9p                   Axone takes the POWER9 table
    fused_core            fused cores have their own table
    power10, power11      these chips take the POWER10 table
    unknown_chip_returns  an unknown chip of POWER9's generation or later gets no properties
    awan_returns          the AWAN simulator gets no properties
    enabling_level        log level of "SLW: Enabling: NAME"; "" before there was such a line
    """

    residency: bool = False
    pmicr_mask_is_value: bool = True
    naples: bool = False
    power7: bool = False
    stop: bool = False
    checks_name_total: bool = False
    stop_levels: bool = False
    dd1: str = ""
    deep_by_homer: bool = False
    mambo: str = "as hardware"
    opal_levels: int | None = None
    nvram_mask: bool = False
    p9p: bool = False
    fused_core: bool = False
    power10: bool = False
    power11: bool = False
    unknown_chip_returns: bool = False
    awan_returns: bool = False
    enabling_level: str = ""


CHANGES = (
    Change("4.1", "mambo", "no properties", "9594a715b"),
    Change("4.1.1", "residency", True, "0d7b1161a"),
    Change("5.1", "naples", True, "8f527a029"),
    Change("5.2-rc1", "power7", True, "b5d4978b3"),
    Change("5.2-rc1", "checks_name_total", True, "915cd77c1"),
    Change("5.3-rc1", "stop", True, "952daa69b"),
    Change("5.3-rc1", "pmicr_mask_is_value", False, "952daa69b"),
    Change("5.3-rc1", "mambo", "as hardware", "b6f940fbb"),
    Change("5.5-rc1", "stop_levels", True, "c3ea33f17, 0500d504b"),
    Change("5.5-rc1", "dd1", "any", "84368bbf8"),
    Change("5.5-rc1", "enabling_level", "notice", "18cbb7a8d"),
    Change("5.7-rc1", "dd1", "nimbus", "805373b35"),
    Change("5.9-rc1", "deep_by_homer", True, "56a945e8d"),
    Change("5.9-rc1", "mambo", "own table", "d2a24406a"),
    Change("5.10-rc1", "mambo", "no properties", "80838c315"),
    Change("6.0-rc1", "opal_levels", 0xE000_0000, "217e5a4ec"),
    Change("6.0-rc1", "nvram_mask", True, "217e5a4ec"),
    Change("6.0-rc2", "opal_levels", 0xEC00_0000, "04a50cf04"),
    Change("6.0-rc2", "mambo", "own table", "3ef38a389"),
    Change("6.1-rc1", "enabling_level", "info", "1b86a92b6"),
    Change("6.3-rc1", "dd1", "", "0b0d15e3c"),
    Change("6.6-rc1", "p9p", True, "689f44696"),
    Change("6.7", "fused_core", True, "1629c851c"),
    Change("7.0", "power10", True, "1cb7b37c9"),
    Change("7.0", "opal_levels", 0xFC00_0000, "1cb7b37c9"),
    Change("7.0", "unknown_chip_returns", True, "1cb7b37c9"),
    Change("7.0", "awan_returns", True, "70bf92ae7"),
    Change("7.1.1", "power11", True, "8cd82f715"),
)

NEWEST = "master"
_NEWEST_NUMBER = "7.1.1"
"""After v7.1; no tag has POWER11 yet."""

_VERSION = re.compile(r"v?(\d+)\.(\d+)(?:\.(\d+))?(?:-rc(\d+))?")


class UnknownSkiboot(ValueError):
    """A skiboot release nobody can place; the message says what was expected."""


def version_key(version: str) -> tuple[int, int, int, int]:
    """Order of releases: release candidates come before their release.

    Raises UnknownSkiboot.
    """
    match = _VERSION.fullmatch(version)
    if not match:
        raise UnknownSkiboot(
            f"expected a skiboot release such as 5.9, 6.0.4, 6.0-rc1 or {NEWEST}, found {version!r}"
        )
    major, minor, patch, candidate = match.groups()
    return int(major), int(minor), int(patch or 0), int(candidate) - 1000 if candidate else 0


@cache
def skiboot_features(version: str | None) -> Features:
    """All changes up to a release, folded; None or "master" is the newest.

    Raises UnknownSkiboot, also for anything before 4.0.
    """
    key = version_key(_NEWEST_NUMBER if version in (None, NEWEST) else str(version))
    if key < (4, 0, 0, 0):
        raise UnknownSkiboot(f"expected skiboot 4.0 or later, found {version!r}")
    return fold(Features(), CHANGES, key, version_key)
