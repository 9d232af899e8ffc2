"""Counters of power domains as rows of their own level, for people."""

from collections.abc import Sequence
from typing import Protocol

from ....base.report.sheet import Rows, Section
from ....base.wording import number_ranges, percent
from .running import DomainFigures

HEAD = ("State", "Usage", "Time", "Share", "Too deep", "Too shallow")


STAYS_ON = "stays on"


class NamedDomain(Protocol):
    """A power domain with its CPUs."""

    @property
    def name(self) -> str: ...
    @property
    def level(self) -> str: ...
    @property
    def cpus(self) -> Sequence[int]: ...


def named(domain: NamedDomain) -> str:
    """Such as "cluster0, cluster of CPU 0-3"."""
    return f"{domain.name}, {domain.level} of CPU {number_ranges(domain.cpus)}"


def section(domain: NamedDomain, rows: Sequence[tuple[str, ...]]) -> Section:
    """A domain with its rows, as rows() makes them."""
    caption = "Once all its CPUs are in their last state"
    return Section(named(domain), (Rows(HEAD, tuple(rows), caption),))


def rows(domain: DomainFigures, whole_us: int | None) -> list[tuple[str, ...]]:
    """Cells of HEAD for each state, and for how often the domain stayed on."""
    states = [
        (
            state.name,
            str(state.usage),
            f"{state.time_us} us",
            percent(state.time_us, whole_us or 0),
            str(state.above),
            str(state.below),
        )
        for state in domain.states
    ]
    return [*states, (STAYS_ON, str(domain.stayed_on), "", "", "", "")]
