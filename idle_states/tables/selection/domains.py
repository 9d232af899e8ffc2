"""select, for power domains: which state a cluster enters once its last CPU idles, by the time to
the next timer of all its CPUs."""

from collections.abc import Iterator, Sequence

from ...base.dataclass import dataclass
from ..linux.driver_table import DriverTable
from ..linux.genpd.features import HISTORY, GenpdFeatures
from ..linux.genpd.gates import power_off, power_on
from ..linux.genpd.governor import NO_LATENCY_LIMIT_US, Domain, Moment
from ..linux.genpd.tables import CpuDomain
from ..linux.releases import Release, folded

_THE_CPU = frozenset({0})


@dataclass(frozen=True, slots=True)
class DomainRange:
    """The state that a domain enters over a range of times to its CPUs' next timer.

    first_ns, last_ns  the range; last_ns None: without end
    state              number of the domain's state, None if it stays on
    """

    first_ns: int
    last_ns: int | None
    state: int | None


@dataclass(frozen=True, slots=True)
class DomainMap:
    """The states that a domain enters under a latency limit.

    limited  whether the limit holds for domains in this kernel
    first    when it is asked for the first time since boot, or since a constraint changed
    ranges   from then on
    """

    limit_us: int
    limited: bool
    first: tuple[DomainRange, ...]
    ranges: tuple[DomainRange, ...]


@dataclass(frozen=True, slots=True)
class DomainSelection:
    """The selections of a power domain's states under one kernel.

    asked_by  the CPUs' idle state that asks for it: their last
    maps      one for each latency limit; none if the domain is dead
    blocked   under each limit, name of the domain within that settles in another state than its
              last, "" if there is none: from 5.18 on, this one then stays on
    """

    domain: CpuDomain
    asked_by: str
    maps: tuple[DomainMap, ...]
    blocked: tuple[str, ...]


def domain_selections(
    table: DriverTable, release: Release, limits_us: Sequence[int]
) -> tuple[DomainSelection, ...]:
    """The domains with states that the table's CPUs sit in, the innermost first. Those within other
    domains are taken to be off, of which blocked tells. None where the CPUs have no idle states:
    nobody asks for a domain's."""
    if not table.states:
        return ()
    features = folded(HISTORY, release)
    found: list[DomainSelection] = []
    blocked = [""] * len(limits_us)
    for domain in table.domains:
        if not domain.states:
            continue
        maps = (
            tuple(_map(domain, features, limit) for limit in limits_us) if not domain.dead else ()
        )
        found.append(DomainSelection(domain, table.states[-1].name, maps, tuple(blocked)))
        for index, mapped in enumerate(maps):
            last = len(domain.states) - 1
            if features.deepest_children and all(r.state != last for r in mapped.ranges):
                blocked[index] = blocked[index] or domain.name
    return tuple(found)


def _map(domain: CpuDomain, features: GenpdFeatures, limit_us: int) -> DomainMap:
    limit_us = min(limit_us, NO_LATENCY_LIMIT_US)
    edges = sorted({0, 1, *(max(s.residency_ns + s.power_off_ns, 1) for s in domain.states)})
    first, later = zip(
        *(_entered(domain, features, idle_ns, limit_us) for idle_ns in edges), strict=True
    )
    return DomainMap(
        limit_us,
        features.latency_limits,
        tuple(_ranges(edges, first)),
        tuple(_ranges(edges, later)),
    )


def _entered(
    domain: CpuDomain, features: GenpdFeatures, idle_ns: int, limit_us: int
) -> tuple[int | None, int | None]:
    """The state entered for the first time and the next, None where the domain stays on."""
    kept = Domain(domain.states, _THE_CPU, domain.governed)
    moment = Moment(0, {0: idle_ns}, limit_us)
    first = power_off(kept, moment, features)[0].state
    power_on(kept)
    return first, power_off(kept, moment, features)[0].state


def _ranges(edges: Sequence[int], states: Sequence[int | None]) -> Iterator[DomainRange]:
    starts = [at for at in range(len(edges)) if at == 0 or states[at] != states[at - 1]]
    for at, following in zip(starts, [*starts[1:], None], strict=True):
        last = None if following is None else edges[following] - 1
        yield DomainRange(edges[at], last, states[at])
