"""The changes of the haltpoll governor over the releases."""

from ....base.dataclass import dataclass
from ....base.model.history import History, Sources, rows_of
from ..releases import features_in

OLDEST = "5.4 rhel-4.18.0-147.3.1"
"""2cffe9f6b96f"""


@dataclass(frozen=True, slots=True)
class HaltpollFeatures:
    """Behaviour that differs between releases. Defaults are those of 5.4, where haltpoll begins.

    nanoseconds      the last residency is in ns; before, in us, floored
    shrinks_to_zero  a limit that shrinks below where growth starts is 0: no polling at all
    """

    nanoseconds: bool = False
    shrinks_to_zero: bool = False


since = rows_of(HaltpollFeatures)

CHANGES = (
    since("5.5 rhel-4.18.0-240", "c1d51f684c72", nanoseconds=True),
    since("6.9 rhel-5.14.0-570.12.1", "", shrinks_to_zero=True),
)

HISTORY = History(HaltpollFeatures(), CHANGES)
features = features_in(HISTORY, OLDEST, "haltpoll")
SOURCES = Sources(
    compiled="5.4.. rhel-4.18.0-147.3.1.. rhel-5.14.. rhel-6.12.. "
    "ubuntu-5.4.0-58.. ubuntu-5.15.0-47.. ubuntu-6.8.. ubuntu-6.11.."
)
