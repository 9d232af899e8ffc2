"""Nanoseconds of the tree to the driver's microseconds, and the entries made from them."""

from ...base.model.table import U32_MAX
from .driver_features import DriverFeatures

THRESHOLD_NS = 200_000
"""POWERNV_THRESHOLD_LATENCY_NS."""
STATE_MAX = 10
"""CPUIDLE_STATE_MAX, snooze included."""
NAME_LENGTH = 15
"""CPUIDLE_NAME_LEN without the NUL."""


def to_us(nanoseconds: int, features: DriverFeatures) -> int:
    """Truncation to 4.14.6; DIV_ROUND_UP in u32 from 4.14.7 (8d4e10e9ed94), which wraps to 0."""
    if features.round_up:
        return ((nanoseconds + 999) & U32_MAX) // 1000
    return nanoseconds // 1000


def rounding(features: DriverFeatures) -> str:
    """Describes the rounding of `to_us`, for people."""
    if features.round_up:
        return "this kernel rounds up to microseconds (from 4.14.7, 8d4e10e9ed94)"
    return "this kernel truncates to microseconds (up to 4.14.6)"


def shown_name(name: str, features: DriverFeatures) -> str:
    """The name as sysfs prints it."""
    if features.names == "strncpy" and len(name) > NAME_LENGTH:
        # name[16] is filled without a NUL, so printing runs on into desc[32], which holds the same
        return name[: NAME_LENGTH + 1] * 2
    return name[:NAME_LENGTH]
