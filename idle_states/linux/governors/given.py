"""States given by the user as times, as a kernel would hold them, without a table."""

import re

from ...dataclass import dataclass
from ...findings import UsageError
from ...patterns import pattern
from ...skiboot.platform import ALL_LEVELS
from ..platforms import AnyPlatform
from .interface import State

_PAIR = pattern(r"(\d{1,15})/(\d{1,15})", re.ASCII)
ONE_OF_TWO = "expected a table or --states, one of the two"
_MOST = 9
"""CPUIDLE_STATE_MAX without snooze."""


@dataclass(frozen=True, slots=True)
class GivenStates:
    """States as a kernel holds them.

    text     the user's text
    times    (exit latency, target residency) in ns of the states after snooze, which is state 0
    polling  whether snooze is flagged CPUIDLE_FLAG_POLLING
    """

    text: str
    times: tuple[tuple[int, int], ...]
    polling: bool = False

    @property
    def states(self) -> list[State]:
        return [State(0, 0, self.polling), *(State(*pair) for pair in self.times)]


def given_states(text: str, polling: bool = False) -> GivenStates:
    """Parses 1000/10000,2000/20000: exit latency/target residency in ns. Raises UsageError."""
    found = []
    for word in text.split(","):
        match = _PAIR.fullmatch(word.strip())
        if match is None:
            raise UsageError(f"expected EXIT/RESIDENCY in ns such as 1000/10000, found {word!r}")
        found.append((int(match[1]), int(match[2])))
    if len(found) > _MOST:
        raise UsageError(f"expected at most {_MOST} states besides snooze, found {len(found)}")
    return GivenStates(text, tuple(found), polling)


def check_hz(hz: int) -> None:
    """Raises UsageError for a tick rate outside 1 to 10000. (Linux is built with 12 to 12287,
    include/linux/jiffies.h; no architecture offers more than 1200.)"""
    if not 1 <= hz <= 10_000:
        raise UsageError(f"expected --hz from 1 to 10000, found {hz}")


@dataclass(frozen=True, slots=True)
class GovernorRequest:
    """A governor, and the states to select from: a kernel's states of a table, or given states.

    Raises UsageError for contradictory options.
    """

    governor: str = "menu"
    hz: int = 250
    table: str | None = None
    states: GivenStates | None = None
    platform: AnyPlatform = ALL_LEVELS

    def __post_init__(self) -> None:
        check_hz(self.hz)
        if (self.table is None) == (self.states is None):
            raise UsageError(ONE_OF_TWO)


@dataclass(frozen=True, slots=True)
class NamedGovernor:
    """What was named of a GovernorRequest; None: as the head of a recording says.

    Raises UsageError for contradictory options.
    """

    governor: str | None = None
    hz: int | None = None
    table: str | None = None
    states: GivenStates | None = None
    platform: AnyPlatform = ALL_LEVELS

    def __post_init__(self) -> None:
        if self.hz is not None:
            check_hz(self.hz)
        if self.table is not None and self.states is not None:
            raise UsageError(ONE_OF_TWO)
