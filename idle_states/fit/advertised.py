"""What is advertised of the states that were measured: by a table, or by the machine itself."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ..linux.platforms import AnyPlatform
from ..linux.releases import Release
from ..measured import Measured
from ..pipeline import journey
from ..sources import Source
from ..table import IdleTable

_NUMBERED = re.compile(r"state([0-9]{1,2})", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Advertised:
    """A state as it is advertised.

    row   position in the table; None where the machine says it
    by    "table", or "machine": what it said of itself when it was measured
    """

    name: str
    latency_ns: int | None
    residency_ns: int | None
    by: Literal["table", "machine"]
    row: int | None = None


class AdvertisedStates:
    """States by the names that measurements give them.

    table   the table with the kernel's own figures, where each release has its own; None without
    states  in the table's order, or as the machine named them
    """

    def __init__(
        self, states: Iterable[Advertised], table: IdleTable | None, numbers: dict[int, int]
    ) -> None:
        self.states = tuple(states)
        self.table = table
        self._numbers = numbers
        self._names = {state.name.casefold(): state for state in reversed(self.states)}

    @classmethod
    def of_table(cls, source: Source, platform: AnyPlatform, kernel: Release) -> "AdvertisedStates":
        """Numbers (state3) are those that the kernel gives the rows it registers."""
        way = journey(source, platform, [kernel])
        states = [
            Advertised(state.name, state.latency_ns, state.residency_ns, "table", row)
            for row, state in enumerate(way.table.states)
        ]
        registered = way.arrivals[0].registered
        numbers = {state.index: row for row, state in registered.items()}
        found = cls(states, way.table, numbers)
        # POWER8's fastsleep_ is FastSleep to the kernel
        for row, state in registered.items():
            found._names.setdefault(state.name.casefold(), states[row])
        return found

    @classmethod
    def of_machines(cls, measured: Iterable[Measured]) -> "AdvertisedStates":
        """The first that says a state counts."""
        found: dict[str, Advertised] = {}
        for each in measured:
            for claim in each.claims:
                latency, residency = (
                    None if ns is None else round(ns)
                    for ns in (claim.latency_ns, claim.residency_ns)
                )
                one = Advertised(claim.state, latency, residency, "machine")
                found.setdefault(claim.state.casefold(), one)
        return cls(found.values(), None, {})

    def find(self, name: str) -> Advertised | None:
        """The state that a measurement calls so: by name, in any case, or by number."""
        found = self._names.get(name.casefold())
        numbered = _NUMBERED.fullmatch(name)
        if found is None and numbered and int(numbered[1]) in self._numbers:
            return self.states[self._numbers[int(numbered[1])]]
        return found
