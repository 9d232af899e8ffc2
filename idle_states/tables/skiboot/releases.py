"""skiboot releases: names, and what add_cpu_idle_state_properties() does in each.

A release's features are those of 4.0 with all CHANGES up to it applied. A stable branch is placed
by its number: 6.0.24 does what 6.0 does, though it is younger than 6.1. The changes were read from
every tag between 2.1.1-fw810.20 (2014) and v7.1 and from master of 2025-12.
"""

from functools import cache
from typing import TYPE_CHECKING, Literal

from ...base.dataclass import dataclass, field
from ...base.model.findings import UsageError
from ...base.model.history import U32, History, Place, rows_of
from ...base.model.processors import Chip
from ...base.patterns import pattern

if TYPE_CHECKING:
    from .choosing import Choosing


@dataclass(frozen=True, slots=True)
class ExportFeatures:
    """Behaviour that differs between releases; defaults are those of 4.0.

    residency             ibm,cpu-idle-state-residency-ns is created
    pmicr_mask_is_value   bug: pmicr-mask is filled from pmicr
    power7                POWER7 gets properties (slw_init() returned before, for a while)
    stop                  POWER9 tables and psscr properties exist
    bounded_names         a name is copied by strncpy, of 16 bytes at most; before, by strcpy
    flags_last            a state's flags lie behind its register's value and mask; before, in front
    checks_name_total     assert(alloced_name_buf == name_buf): a wrapped u8 stops the boot
    stop_levels           ibm,enabled-stop-levels filters states
    dd1                   which DD1 chips take the DD1 table: "", "any" POWER9 or "nimbus"
    deep_by_homer         DEEP states need a HOMER; before, an SLW image, which POWER9 never has
    mambo                 "as hardware", "no properties" or "own table"
    opal_levels           levels OPAL's own mask leaves enabled; None before there was one
    nvram_mask            NVRAM key opal-stop-state-disable-mask is honoured
    fused_core            fused cores have their own table
    unknown_chip_returns  an unknown chip of POWER9's generation or later gets no properties
    awan_returns          the AWAN simulator gets no properties
    hostboot_warning      the line in the log that is a warning: that hostboot's word on fast sleep
                          was "found", or that it is "missing"; the other line is a notice
    enabling_level        log level of "SLW: Enabling: NAME"; "" before there was such a line
    """

    residency: bool = False
    pmicr_mask_is_value: bool = True
    power7: bool = False
    stop: bool = False
    bounded_names: bool = False
    flags_last: bool = False
    checks_name_total: bool = False
    stop_levels: bool = False
    dd1: Literal["", "any", "nimbus"] = ""
    deep_by_homer: bool = False
    mambo: Literal["as hardware", "no properties", "own table"] = "as hardware"
    opal_levels: U32 | None = None
    nvram_mask: bool = False
    fused_core: bool = False
    unknown_chip_returns: bool = False
    awan_returns: bool = False
    hostboot_warning: Literal["found", "missing"] = "found"
    enabling_level: Literal["", "notice", "info"] = ""


@dataclass(frozen=True, slots=True)
class Role:
    """The machines that skiboot takes an array of states for.

    variant  of the processor: "mambo" or another quirk, "dd1", "fused-core"; "" for the usual one
    chips    the types that the code asks for before it takes the array, as skiboot names them,
             without PROC_CHIP_
    """

    variant: str
    chips: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExportCode:
    """The export code of a source tree, where it is asked for instead of a release.

    chips     types that get a table of their processor
    roles     (array, its role)
    unread    in words, what of the code could not be understood; the features are as without it
    choosing  the code that chooses a table; None where it could not be understood
    """

    features: ExportFeatures
    chips: frozenset[str]
    roles: tuple[tuple[str, Role], ...] = ()
    unread: tuple[str, ...] = ()
    choosing: "Choosing | None" = field(default=None, compare=False, repr=False)


since = rows_of(ExportFeatures)

CHANGES = (
    since("4.1", "9594a715b", mambo="no properties"),
    since("4.1.1", "0d7b1161a", residency=True),
    since("5.2-rc1", "b5d4978b3", power7=True),
    since("5.2-rc1", "915cd77c1", checks_name_total=True),
    since("5.3-rc1", "3aeb50189", bounded_names=True),
    since("5.3-rc1", "952daa69b", stop=True, pmicr_mask_is_value=False, flags_last=True),
    since("5.3-rc1", "b6f940fbb", mambo="as hardware"),
    since("5.5-rc1", "c3ea33f17, 0500d504b", stop_levels=True),
    since("5.5-rc1", "84368bbf8", dd1="any"),
    since("5.5-rc1", "18cbb7a8d", enabling_level="notice"),
    since("5.5-rc1", "dd2d88d30", hostboot_warning="missing"),
    since("5.7-rc1", "805373b35", dd1="nimbus"),
    since("5.9-rc1", "56a945e8d", deep_by_homer=True),
    since("5.9-rc1", "d2a24406a", mambo="own table"),
    since("5.10-rc1", "80838c315", mambo="no properties"),
    since("6.0-rc1", "217e5a4ec", opal_levels=0xE000_0000, nvram_mask=True),
    since("6.0-rc2", "04a50cf04", opal_levels=0xEC00_0000),
    since("6.0-rc2", "3ef38a389", mambo="own table"),
    since("6.1-rc1", "1b86a92b6", enabling_level="info"),
    since("6.3-rc1", "0b0d15e3c", dd1=""),
    since("6.7", "1629c851c", fused_core=True),
    since("7.0", "1cb7b37c9", opal_levels=0xFC00_0000, unknown_chip_returns=True),
    since("7.0", "70bf92ae7", awan_returns=True),
)

HISTORY = History(ExportFeatures(), CHANGES)

NO_MASK_BEFORE = "6.0-rc1"  # disables levels by its own mask and by NVRAM's

NEWEST = "master"
_NEWEST_NUMBER = "7.1.1"
"""The release that master is taken as: it is later than v7.1. No tag has POWER11 yet."""

_VERSION = pattern(r"v?([0-9]+)\.([0-9]+)(?:\.([0-9]+))?(?:-rc([0-9]+))?")


class UnknownSkiboot(UsageError):
    """A text that is no release of skiboot, or one that is not modelled. The message says what was
    expected and what was found."""


def version_key(version: str) -> tuple[int, int, int, int]:
    """Returns a key by which releases sort: (6, 0, 4, 0) of "6.0.4", (6, 0, 0, -999) of "6.0-rc1".
    Raises UnknownSkiboot for what is no release's name."""
    match = _VERSION.fullmatch(version)
    if not match:
        raise UnknownSkiboot(
            f"expected a skiboot release such as 5.9, 6.0.4, 6.0-rc1 or {NEWEST}, found {version!r}"
        )
    major, minor, patch, candidate = match.groups()
    return int(major), int(minor), int(patch or 0), int(candidate) - 1000 if candidate else 0


def listed_key(version: str) -> tuple[int, int, int, int]:
    """Like version_key(), for releases that were read: raises UnknownSkiboot for all others too."""
    key = version_key(version)
    if not (4, 0, 0, 0) <= key <= version_key(_NEWEST_NUMBER):
        raise UnknownSkiboot(f"expected skiboot 4.0 to {_NEWEST_NUMBER}, found {version!r}")
    return key


@cache
def skiboot_features(version: str | None) -> ExportFeatures:
    """Returns what a release does. version: its name; None or "master" for the newest.

    A release after the newest one that was read is taken as that. Raises UnknownSkiboot for what is
    no release's name, or is before 4.0.
    """
    return HISTORY.fold([("", _key(version))], _place)


def _place(version: str) -> Place:
    """All releases are on one line, for a stable branch is placed by its number."""
    return "", listed_key(version)


def knows_chip(version: str | None, chip: Chip) -> bool:
    """Tells whether a release has a table for a type of chip. Raises UnknownSkiboot."""
    known = chip.skiboot
    return known is not None and (not known.release or version_key(known.release) <= _key(version))


def _key(version: str | None) -> tuple[int, int, int, int]:
    key = version_key(_NEWEST_NUMBER if version in (None, NEWEST) else str(version))
    if key < (4, 0, 0, 0):
        raise UnknownSkiboot(f"expected skiboot 4.0 or later, found {version!r}")
    return key
