"""Histories of power domains: drawn as the numbers that the oracle reads, and played by the model.

What the numbers mean is said in tests/oracle/linux/shim/genpd.c.
"""

import random
from collections.abc import Iterator
from typing import NamedTuple

from idle_states.tables.linux.genpd import gates
from idle_states.tables.linux.genpd.features import GenpdFeatures
from idle_states.tables.linux.genpd.governor import (
    NO_CONSTRAINT_NS,
    NO_LATENCY_LIMIT_US,
    NO_RESUME_LIMIT_US,
    Domain,
    Moment,
)
from idle_states.tables.linux.genpd.tables import DomainState
from idle_states.tables.linux.governors.interface import KTIME_MAX, u32

CPUS = 8
_OFF, _ON, _SUSPEND, _CONSTRAIN, _USE = range(5)
Row = tuple[int, int, int]


class Played(NamedTuple):
    """lines: what the model says follows each event, as the oracle prints it. decisions: how often
    a domain was asked to be off."""

    lines: list[str]
    decisions: int


def played(numbers: str, known: GenpdFeatures) -> Played:
    """Plays a case by the model."""
    words = map(int, numbers.split())
    domains: list[Domain] = []
    for _ in range(next(words)):
        parent = next(words)
        domains.append(_domain(words, known))
        if parent >= 0:
            domains[parent].add(domains[-1])
    lines, decisions = [], 0
    for _ in range(next(words)):
        decisions += _happen(words, domains, known)
        lines.append("".join(f"{_shown(domain)} " for domain in domains))
    return Played(lines, decisions)


def _shown(domain: Domain) -> str:
    kept = (domain.max_off_ns, int(domain.changed)) if domain.governed else (-1, 1)
    return f"{int(domain.on)} {domain.state} {kept[0]} {kept[1]}"


def _domain(words: Iterator[int], known: GenpdFeatures) -> Domain:
    flags, governed, cpus = next(words), bool(next(words)), _set(next(words))
    rows = [(next(words), next(words), max(next(words), 0)) for _ in range(next(words))]
    times = [[us * 1000 if known.wide_times else u32(us * 1000) for us in row] for row in rows]
    return Domain(
        [DomainState("", *row) for row in times],
        cpus,
        governed,
        always_on=bool(flags & 1),
        run_time_on=bool(flags & 2),
        constraints_ns=tuple(next(words) for _ in range(next(words))),
    )


def _happen(words: Iterator[int], domains: list[Domain], known: GenpdFeatures) -> int:
    """Returns how many domains were asked to be off."""
    kind, domain = next(words), domains[next(words)]
    if kind == _ON:
        gates.power_on(domain)
    elif kind == _USE:
        domain.active = next(words)
    elif kind == _CONSTRAIN:
        device, constraints = next(words), list(domain.constraints_ns)
        constraints[device] = next(words)
        domain.constraints_ns, domain.changed = tuple(constraints), True
    elif kind == _SUSPEND:
        return len(gates.suspend(domain, _moment(words), known))
    else:
        one = bool(next(words))
        return len(gates.power_off(domain, _moment(words), known, one))
    return 0


def _moment(words: Iterator[int]) -> Moment:
    now, limit, wakeup, pending, offline = (next(words) for _ in range(5))
    timers, own = {}, {}
    for cpu in range(CPUS):
        has, timer, own[cpu] = next(words), next(words), next(words)
        if has:
            timers[cpu] = timer
    return Moment(now, timers, limit, own, wakeup, _set(pending), _set(offline))


def drawn(rng: random.Random, events: int = 24) -> str:
    """A hierarchy of up to six domains, and what happens to it."""
    count = rng.randint(1, 6)
    scale = rng.choice([10, 1_000, 100_000, 2**32 - 1])
    words = [count]
    of_domains: list[tuple[list[Row], int]] = []
    for index in range(count):
        parent = rng.randrange(index) if index and rng.random() < 0.9 else -1
        rows = _rows(rng, scale)
        constraints = [_constraint(rng, scale) for _ in range(rng.choice([0, 0, 1, 2, 4]))]
        flags = rng.choice([0] * 12 + [1, 2])
        governed = bool(rows) and rng.random() < 0.9
        words += [parent, flags, int(governed), rng.getrandbits(CPUS), len(rows)]
        words += [us for row in rows for us in row]
        words += [len(constraints), *constraints]
        of_domains.append((rows, len(constraints)))
    words.append(events)
    for _ in range(events):
        words += _event(rng, of_domains, scale)
    return " ".join(map(str, words))


def _rows(rng: random.Random, scale: int) -> list[Row]:
    rows = [
        (rng.randint(0, scale), rng.randint(0, scale), rng.choice([-1, rng.randint(0, scale)]))
        for _ in range(rng.choice([0, 1, 1, 2, 2, 2, 3, 4, 6]))
    ]
    return sorted(rows, key=lambda row: row[0] + row[2]) if rng.random() < 0.7 else rows


def _event(rng: random.Random, of_domains: list[tuple[list[Row], int]], scale: int) -> list[int]:
    kind = rng.choices(range(5), [10, 7, 1, 2, 2])[0]
    index = rng.randrange(len(of_domains))
    rows, devices = of_domains[index]
    if kind == _CONSTRAIN and not devices:
        kind = _ON
    if kind == _ON:
        return [kind, index]
    if kind == _CONSTRAIN:
        return [kind, index, rng.randrange(devices), _constraint(rng, scale)]
    if kind == _USE:
        return [kind, index, rng.randint(0, devices)]
    row = rng.choice(rows) if rows else (0, 0, 0)
    one = [int(rng.random() < 0.5)] if kind == _OFF else []
    return [kind, index, *one, *_drawn_moment(rng, row, scale)]


def _drawn_moment(rng: random.Random, row: Row, scale: int) -> list[int]:
    """Timers and limits at the edges of what a state needs, or anywhere."""
    entry, leave, residency = row
    now = rng.randint(0, 2**40)
    edges = [1000 * (max(residency, 0) + entry), rng.randint(0, 4_000 * scale), 0]

    def limit(none: int, odds: float) -> int:
        if rng.random() < odds:
            return none
        return min(none, max(0, rng.choice([entry + leave, rng.randint(0, 2 * scale)]) + near()))

    def near() -> int:
        return rng.choice([0, 0, -1, 1])

    words = [now, limit(NO_LATENCY_LIMIT_US, 0.7), limit(NO_RESUME_LIMIT_US, 0.7)]
    for odds in (0.03, 0.1):
        words.append(sum(1 << cpu for cpu in range(CPUS) if rng.random() < odds))
    for _ in range(CPUS):
        timer = rng.choice([KTIME_MAX, now + rng.choice(edges) + near()])
        words += [int(rng.random() < 0.95), timer, limit(NO_RESUME_LIMIT_US, 0.95)]
    return words


def _constraint(rng: random.Random, scale: int) -> int:
    return rng.choice([NO_CONSTRAINT_NS, rng.randint(1, 3_000 * scale)])


def _set(mask: int) -> frozenset[int]:
    return frozenset(cpu for cpu in range(CPUS) if mask >> cpu & 1)
