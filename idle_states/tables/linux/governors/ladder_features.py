"""The changes of the ladder governor over the releases: few, and none to its bug."""

from ....base.dataclass import dataclass
from ....base.model.history import History, Sources, rows_of
from ..releases import features_in


@dataclass(frozen=True, slots=True)
class LadderFeatures:
    """Behaviour that differs between releases. Defaults are those of the oldest modelled, 4.8.

    skips_polling  the ladder starts at state 1 if state 0 is flagged POLLING; before, the first
                   rung was fixed at build time, and is 0 on powerpc and Arm
    nanoseconds    idle times and latencies are compared in ns; before, in us, floored
    """

    skips_polling: bool = False
    nanoseconds: bool = False


since = rows_of(LadderFeatures)

CHANGES = (
    since("4.14", "dc2251bf98c6", skips_polling=True),
    since("5.5 rhel-4.18.0-240", "c1d51f684c72", nanoseconds=True),
)

HISTORY = History(LadderFeatures(), CHANGES)
features = features_in(HISTORY)
SOURCES = Sources(
    compiled="4.4.. ubuntu-4.15.0 ubuntu-4.18.0 ubuntu-5.0.0 ubuntu-5.4.0 ubuntu-5.15.0 "
    "ubuntu-6.8.0 ubuntu-6.14.0 ubuntu-6.17.0 rhel-4.18.. rhel-5.14.. rhel-6.12.. "
    "ubuntu-5.4.0-58.. ubuntu-5.15.0-47.. ubuntu-6.8.. ubuntu-6.11.. suse-4.12.14"
)
