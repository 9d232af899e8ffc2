"""The advertised values of the states that were measured: from a table, or the machine itself."""

from collections.abc import Iterable
from typing import Literal

from ...base.dataclass import dataclass
from ...base.model.measured import Measured
from ...base.model.table import IdleTable
from ...tables.linux.platforms import AnyPlatform
from ...tables.linux.releases import Release
from ...tables.pipeline import journey
from ...tables.sources import Source


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
        self,
        states: Iterable[Advertised],
        table: IdleTable | None = None,
        aliases: Iterable[tuple[str, Advertised]] = (),
    ) -> None:
        self.states = tuple(states)
        self.table = table
        self._names: dict[str, Advertised] = {}
        for name, state in (*((each.name, each) for each in self.states), *aliases):
            self._names.setdefault(name.casefold(), state)

    @classmethod
    def of_table(cls, source: Source, platform: AnyPlatform, kernel: Release) -> "AdvertisedStates":
        """The states have the kernel's names, too (POWER8's fastsleep_ is FastSleep), and its
        numbers (state3). Of snooze, which is no row, nothing is advertised."""
        way = journey(source, platform, [kernel])
        states = [
            Advertised(state.name, state.latency_ns, state.residency_ns, "table", row)
            for row, state in enumerate(way.table.states)
        ]
        (arrival,) = way.arrivals
        rows = {state.index: states[row] for row, state in arrival.registered.items()}
        aliases = []
        for state in arrival.driver.states:
            meant = rows.get(state.index) or Advertised(state.name, None, None, "table")
            aliases += [(state.name, meant), (f"state{state.index}", meant)]
        return cls(states, way.table, aliases)

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
        return cls(found.values())

    def find(self, name: str) -> Advertised | None:
        """The state that a measurement calls so: by name, in any case, or by number."""
        return self._names.get(name.casefold())
