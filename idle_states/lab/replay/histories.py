"""Histories of a traced CPU: of the inputs that explain each period, one choice all the way."""

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from ...base.dataclass import dataclass
from .placed import AT_END, OWN_TIMERS, PlacedPeriod
from .steps import Steps

_MIX = 0x9E3779B97F4A7C15
_U64 = (1 << 64) - 1
_NOT_AGAIN = -100


@dataclass(frozen=True, slots=True)
class Kind:
    """The preferences of a history where several inputs explain a period.

    timer    of the timers that do
    stopped  whether the tick was stopped; None: as is likely
    loaded   whether the CPU was utilised, or tasks waited for I/O; None: as in the period before
    """

    timer: Literal["likeliest", "earliest", "latest", "any"]
    stopped: bool | None = None
    loaded: bool | None = None


KINDS = (
    Kind("likeliest"),
    Kind("latest", False, False),
    Kind("earliest", False, True),
    Kind("latest", True, True),
    Kind("latest", False, True),
    Kind("any"),
)


@dataclass(slots=True)
class Offer:
    """Inputs but for the timer, and the places among the timers that lead to the state entered."""

    stopped: bool
    loaded: bool
    places: tuple[int, ...]


class InputHistory:
    """The state of a history so far.

    traced, others   the governors of the traced table and of others
    loaded, stopped  whether the CPU was loaded in its last period, and the tick stopped
    wins             (state, ..., place of the timer) -> periods of that kind that this timer has
                     explained, less those that it has not
    """

    def __init__(self, kind: Kind, traced: Steps, others: Sequence[Steps]) -> None:
        self.kind = kind
        self.traced = traced
        self.others = others
        self.loaded = self.stopped = False
        self.wins: Counter[tuple[object, ...]] = Counter()

    def copy(self, other: "InputHistory") -> None:
        self.traced.copy(other.traced)  # type: ignore[arg-type]
        for mine, theirs in zip(self.others, other.others, strict=True):
            mine.copy(theirs)  # type: ignore[arg-type]
        self.loaded, self.stopped = other.loaded, other.stopped

    def choose(self, period: PlacedPeriod, offers: Sequence[Offer]) -> tuple[bool, bool, int]:
        """Tells whether the tick was stopped, whether the CPU was loaded, and the timer's place."""
        stays = self.stopped and period.short
        if not offers:
            return stays, False, AT_END
        kind = self.kind
        if kind.timer == "likeliest":
            return self._likeliest(period, offers, stays)
        drawn = (period.index + 1) * _MIX & _U64
        stopped = stays if kind.stopped is None else kind.stopped
        loaded = self.loaded if kind.loaded is None else kind.loaded
        best = min(offers, key=lambda each: (each.loaded != loaded, each.stopped != stopped))
        places = sorted(best.places, key=lambda place: period.timers[place])
        at = {"earliest": 0, "latest": -1, "any": (drawn >> 32) % len(places)}[kind.timer]
        return best.stopped, best.loaded, places[at]

    def _likeliest(
        self, period: PlacedPeriod, offers: Sequence[Offer], stays: bool
    ) -> tuple[bool, bool, int]:
        """Takes the timer that has explained most periods of this kind. stays: a stopped tick
        probably still is."""
        best, most = None, _NOT_AGAIN - 100
        explained = {(each.stopped, place) for each in offers for place in each.places}
        for stopped in (False, True) if self.stopped else (False,):
            for place in range(3):
                kind = period.state, period.at_tick, stays, stopped, place
                if (stopped, place) not in explained:
                    self.wins[kind] = max(self.wins[kind] - 1, _NOT_AGAIN)
                    continue
                wins = self.wins[kind] + 4 * (stopped == stays) - place
                if wins > most:
                    best, most = (stopped, place), wins
        if best is None:
            offer = min(offers, key=lambda each: (each.stopped != stays, each.loaded))
            later = [place for place in offer.places if place >= OWN_TIMERS]
            return offer.stopped, offer.loaded, later[0] if later else offer.places[0]
        stopped, place = best
        fits = (each for each in offers if each.stopped == stopped and place in each.places)
        loaded = min(fits, key=lambda each: each.loaded != self.loaded).loaded
        return stopped, loaded, place


def resample(histories: Sequence[InputHistory], offers: list[list[Offer]]) -> None:
    """Histories that explain a period no more go on as one that does."""
    living = [at for at, offered in enumerate(offers) if offered]
    for at, history in enumerate(histories):
        if not offers[at]:
            source = living[at % len(living)]
            history.copy(histories[source])
            offers[at] = offers[source]
