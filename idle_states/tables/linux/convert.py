"""Nanoseconds of the tree to the driver's microseconds, and the entries made from them."""

from collections.abc import Iterator

from ...base.model.table import U32_MAX
from .driver_features import DriverFeatures
from .driver_table import DriverState
from .releases import Release, reached

THRESHOLD_NS = 200_000
"""POWERNV_THRESHOLD_LATENCY_NS."""
MOST_US_OF_32_BITS = U32_MAX // 1000
NANOSECONDS = "5.5 rhel-4.18.0-240"
"""c1d51f684c72: cpuidle and its governors count in nanoseconds from these releases on."""
STATE_MAX = 10
"""CPUIDLE_STATE_MAX, snooze included."""
NAME_LENGTH = 15
"""CPUIDLE_NAME_LEN without the NUL."""


def to_us(nanoseconds: int, features: DriverFeatures) -> int:
    """Truncation to 4.14.6; DIV_ROUND_UP in u32 from 4.14.7 (8d4e10e9ed94), which wraps to 0."""
    if features.round_up:
        return ((nanoseconds + 999) & U32_MAX) // 1000
    return nanoseconds // 1000


def conversion(nanoseconds: int | None, us: int, features: DriverFeatures) -> tuple[str, str]:
    """Returns why a time of the tree is so many us to a kernel, for people, and the cause. None:
    the tree has no such time."""
    if nanoseconds is None:
        return "the tree has none, so this kernel's driver uses its own", "own-default"
    if us != to_us(nanoseconds, features):
        return "this kernel's driver does not use the tree's value", "built-in"
    if not features.round_up:
        return (
            "this kernel truncates to microseconds (before 4.14.7 and 4.15)",
            "truncated",
        )
    if nanoseconds + 999 > U32_MAX:
        why = "this kernel adds 999 ns in 32 bits, which wraps (from 4.14.7, 8d4e10e9ed94)"
        return why, "wrapped"
    return "this kernel rounds up to microseconds (from 4.14.7, 8d4e10e9ed94)", "rounded-up"


def times_on_32_bits(state: DriverState, release: Release) -> Iterator[tuple[str, int]]:
    """(field, us) of a state's times that a 32-bit kernel wraps when it makes ns of them:
    residencies since 5.5, latencies from 5.5 to 6.8 (88390dd788db; the points at which stable
    series took it are not known)."""
    if not reached(release, NANOSECONDS):
        return
    if state.target_residency_us > MOST_US_OF_32_BITS:
        yield "residency", state.target_residency_us
    if state.exit_latency_us > MOST_US_OF_32_BITS and not reached(release, "6.9"):
        yield "latency", state.exit_latency_us


def shown_name(name: str, features: DriverFeatures) -> str:
    """The name as sysfs prints it."""
    if features.names == "strncpy" and len(name) > NAME_LENGTH:
        # name[16] is filled without a NUL, so printing runs on into desc[32], which holds the same
        return name[: NAME_LENGTH + 1] * 2
    return name[:NAME_LENGTH]
