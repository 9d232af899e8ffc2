"""Power domains while CPUs idle and wake: when each is off, in which state, and who waits for it.

A CPU that enters its last idle state is suspended as a device of its power domain, and resumed once
it is awake again (cpuidle-psci.c psci_enter_domain_idle_state(), cpuidle-riscv-sbi.c
sbi_enter_domain_idle_state()); in other states it is not. Gates and governor are genpd's; what
neither kernel nor tree tells is assumed:

  waking up  A domain that is off comes up when any of its CPUs wakes: the outermost first, then
             those within, each in its exit latency, and then the CPU in its own. Turning off cannot
             be broken off: a CPU that wakes meanwhile waits for the rest of the entry latency.
             CPUs that wake while their domain comes up wait for it.
  leaving    A CPU that wakes is no longer suspended, from the event that wakes it on.
"""

from collections.abc import Collection, Sequence
from typing import Annotated

from ....base.dataclass import dataclass
from ....base.model.forms import Count
from .features import GenpdFeatures
from .gates import CHILD_SHALLOW, NOTHING_FITS, Answer, power_off, power_on
from .governor import NO_LATENCY_LIMIT_US, Domain, Moment
from .tables import CpuDomain, DomainLevel, DomainState

ASSUMED = (
    "a power domain powers up when any of its CPUs wakes: first the exit latency of the domain's "
    "state and the rest of its entry latency, then the CPU's own; only CPUs keep it on"
)
_NS_PER_US = 1000


@dataclass(frozen=True, slots=True)
class DomainStateFigures:
    """Counters of a power domain's state."""

    index: Annotated[Count, "Number."]
    name: Annotated[str, "Name."]
    usage: Annotated[Count, "Times that ended."]
    time_us: Annotated[Count, "From its choice until a CPU of the domain was awake."]
    above: Annotated[Count, "Too deep: for less than its min-residency-us."]
    below: Annotated[
        Count, "Too shallow: without the exit latency, for the next state's or longer."
    ]


@dataclass(frozen=True, slots=True)
class DomainFigures:
    """The figures of a power domain over a run."""

    name: Annotated[str, "Its node's."]
    level: Annotated[DomainLevel, "The part that the domain powers."]
    cpus: Annotated[
        tuple[Count, ...], "Numbers of its CPUs that take part, the tree's first being 0."
    ]
    stayed_on: Annotated[
        Count, "Times that all its CPUs were in their last state, and it stayed on."
    ]
    states: Annotated[tuple[DomainStateFigures, ...], "The shallowest first."]

    @property
    def usage(self) -> int:
        return sum(state.usage for state in self.states)

    @property
    def time_us(self) -> int:
        return sum(state.time_us for state in self.states)


@dataclass(slots=True, eq=False)
class _Kept:
    """A domain with its counters. since_ns: since when it is off, None while it is on or its time
    is counted; ready_ns: when it is on again; around: the domain that it is part of."""

    of: CpuDomain
    domain: Domain
    usage: list[int]
    time_ns: list[int]
    above: list[int]
    below: list[int]
    stayed_on: int = 0
    since_ns: int | None = None
    ready_ns: int = 0
    around: "_Kept | None" = None


@dataclass(frozen=True, slots=True)
class Laid:
    """A domain in the order of those that run.

    states  at least one
    cpus    numbers of all its CPUs; own: of those in none within it
    parent  number of the domain that it is part of; None if of none
    """

    states: tuple[DomainState, ...]
    cpus: tuple[int, ...]
    own: tuple[int, ...]
    parent: int | None
    governed: bool


class RunningDomains:
    """The power domains of a machine at a time, on at first, and their CPUs awake.

    domains  of the tree, those within others first
    cpus     the machine's CPUs, by number; others are taken to be offline
    limit_us  the latency limit, which holds for domains in some kernels
    waited   wake-ups that waited for a domain; waited_ns: how long in all
    """

    def __init__(
        self,
        domains: Sequence[CpuDomain],
        features: GenpdFeatures,
        cpus: Collection[int],
        limit_us: int = NO_LATENCY_LIMIT_US,
    ) -> None:
        self.waited = self.waited_ns = 0
        self._features = features
        self._limit_us = limit_us
        self._timers: dict[int, int] = {}
        self._path2kept: dict[str, _Kept] = {}
        self._cpu2chain: dict[int, tuple[_Kept, ...]] = {}
        for of in domains:
            here = frozenset(of.numbers) & frozenset(cpus)
            if of.dead or not here:
                continue
            domain = Domain(of.states, here, of.governed)
            none = [0] * len(domain.states)
            self._path2kept[of.path] = _Kept(of, domain, none, none[:], none[:], none[:])
        order = {path: number for number, path in enumerate(self._path2kept)}
        for number, kept in enumerate(self._path2kept.values()):
            # a tree may make a domain part of one that is part of it
            if order.get(kept.of.parent, 0) > number:
                kept.around = self._path2kept[kept.of.parent]
                kept.around.domain.add(kept.domain)
        for kept in self._path2kept.values():
            chain = [kept]
            while chain[-1].around is not None:
                chain.append(chain[-1].around)
            for cpu in kept.domain.cpus:
                # those within others come first
                if self._cpu2chain.setdefault(cpu, tuple(chain)) == tuple(chain):
                    kept.domain.active += 1
        self._domain2kept = {id(kept.domain): kept for kept in self._path2kept.values()}

    def laid_out(self) -> tuple[Laid, ...]:
        """The domains as they are at first, for the compiled core."""
        order = {id(kept): number for number, kept in enumerate(self._path2kept.values())}
        return tuple(
            Laid(
                tuple(kept.domain.states),
                tuple(sorted(kept.domain.cpus)),
                tuple(cpu for cpu, chain in sorted(self._cpu2chain.items()) if chain[0] is kept),
                None if kept.around is None else order[id(kept.around)],
                kept.domain.governed,
            )
            for kept in self._path2kept.values()
        )

    def absorb(self, number: int, stayed_on: int, counters: Sequence[Sequence[int]]) -> None:
        """Takes over what the core counted of laid_out()[number]: (usage, ns, above, below) of each
        state."""
        kept = tuple(self._path2kept.values())[number]
        kept.stayed_on = stayed_on
        kept.usage, kept.time_ns, kept.above, kept.below = (
            list(column) for column in zip(*counters, strict=True)
        )

    def __bool__(self) -> bool:
        """Tells whether any domain has states, and may be off."""
        return any(kept.of.states for kept in self._path2kept.values())

    def idles(self, cpu: int, now_ns: int, timer_ns: int) -> list[Answer]:
        """A CPU enters its last idle state, its next timer known. Returns what genpd answers, of
        the CPU's domain and those around it as far as they are asked."""
        chain = self._cpu2chain.get(cpu)
        if chain is None:
            return []
        self._timers[cpu] = timer_ns
        chain[0].domain.active -= 1
        moment = Moment(now_ns, self._timers, self._limit_us)
        answers = power_off(chain[0].domain, moment, self._features)
        for answer in answers:
            kept = self._domain2kept[id(answer.domain)]
            if answer.state is not None:
                kept.since_ns = now_ns
            elif answer.refusal in (NOTHING_FITS, CHILD_SHALLOW):
                kept.stayed_on += 1
        return answers

    def wakes(self, cpu: int, now_ns: int) -> int:
        """Something wakes a CPU that idles() was called for. Returns for how many ns it waits until
        its domains are on."""
        chain = self._cpu2chain.get(cpu)
        if chain is None:
            return 0
        ready_ns = now_ns
        for kept in reversed(chain):
            if not kept.domain.on:
                assert kept.since_ns is not None
                state = kept.domain.states[kept.domain.state]
                ready_ns = max(ready_ns, kept.since_ns + state.power_off_ns) + state.power_on_ns
                kept.ready_ns = ready_ns
            else:
                ready_ns = max(ready_ns, kept.ready_ns)
        chain[0].domain.active += 1
        power_on(chain[0].domain)
        if ready_ns > now_ns:
            self.waited += 1
            self.waited_ns += ready_ns - now_ns
        return ready_ns - now_ns

    def awake(self, cpu: int, now_ns: int) -> None:
        """A CPU that wakes() was called for is awake: the time of its domains is counted."""
        for kept in self._cpu2chain.get(cpu, ()):
            if kept.since_ns is not None:
                self._count(kept, now_ns - kept.since_ns)
                kept.since_ns = None

    def _count(self, kept: _Kept, off_ns: int) -> None:
        number, states = kept.domain.state, kept.domain.states
        kept.usage[number] += 1
        kept.time_ns[number] += off_ns
        if off_ns < states[number].residency_ns:
            kept.above[number] += 1
        elif number + 1 < len(states):
            rest_ns = off_ns - states[number].power_on_ns
            kept.below[number] += rest_ns >= states[number + 1].residency_ns

    def figures(self) -> tuple[DomainFigures, ...]:
        """Counters of the domains that have states, those within others first."""
        return tuple(
            DomainFigures(
                kept.of.name,
                kept.of.level,
                tuple(sorted(kept.domain.cpus)),
                kept.stayed_on,
                tuple(
                    DomainStateFigures(
                        number,
                        state.name,
                        kept.usage[number],
                        kept.time_ns[number] // _NS_PER_US,
                        kept.above[number],
                        kept.below[number],
                    )
                    for number, state in enumerate(kept.of.states)
                ),
            )
            for kept in self._path2kept.values()
            if kept.of.states
        )
