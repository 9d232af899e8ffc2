"""The features of PSCI's firmware, which no device tree tells."""

from ...base.dataclass import dataclass

ORIGINAL_FORMAT, _EXTENDED_FORMAT = 0x0301_FFFF, 0x4FFF_FFFF
"""Bits of a power state in the original format and in PSCI 1.0's extended one."""


@dataclass(frozen=True, slots=True)
class PsciFirmware:
    """The features of PSCI's firmware, which no tree tells.

    osi       OS-initiated mode, as is usual where a tree has power domains of CPUs
    extended  power states are in the extended format; None: not known, so that either is fine
    sets_mode it takes SET_SUSPEND_MODE, also for platform-coordinated mode
    """

    osi: bool = True
    extended: bool | None = None
    sets_mode: bool = True

    @property
    def masks(self) -> tuple[int, ...]:
        """Bits that a power state may have, of each format that firmware may use."""
        if self.extended is None:
            return ORIGINAL_FORMAT, _EXTENDED_FORMAT
        return (_EXTENDED_FORMAT if self.extended else ORIGINAL_FORMAT,)


USUAL_FIRMWARE = PsciFirmware()
"""The firmware that is assumed where nothing is known of the machine's firmware."""
