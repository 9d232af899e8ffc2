"""Where a task that wakes up runs: the scheduler's search for an idle CPU.

As in Linux kernel/sched/fair.c, wake_affine() and select_idle_sibling(), with an idle mask that is
always right. First a target is chosen between the waker's CPU and the one the task ran on last;
then, in this order, the first that is idle:

  1  the target
  2  the previous CPU, if it shares the last-level cache with the target
  3  the recently used CPU, where that is on (32e839dda3ba). When it is looked at, the previous one
     is remembered in its place, as from 5.14 on (89aafd67f28c); what 4.16 to 5.13 remembered, the
     CPU on which a task last woke another, is not modelled
  4  a CPU of a wholly idle core, in a walk around the last-level cache that begins behind the
     target
  5  a sibling of the previous CPU
  6  any CPU of that walk

and otherwise the target, busy as it is. What a core is for 4 and 5 is cpu_smt_mask(): the core as
built or, as before it knew fused cores, the one shown. Cluster scheduling puts between 3 and 4:
among the clusters that have an idle CPU, the one with the fewest busy ones (spread) or the most
(pack), in the order of the walk; of it a CPU of an idle core, else any.

What is simpler than the kernel: load is the length of the run queue, the walk is never cut short,
and nothing is moved while it runs or waits. A new task begins in the last-level cache with the
most idle CPUs, as if its first CPU had been the target; to pack, in the first that has an idle one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .topology import Topology

SMT = ("small", "big")
CLUSTER = ("off", "spread", "pack")


class BadPlacement(ValueError):
    """A placement that cannot be; says what was expected and what was found."""


@dataclass(frozen=True, slots=True)
class Policy:
    """recent: the recently used CPU is a candidate. smt, cluster: one of SMT, CLUSTER."""

    recent: bool = True
    smt: str = "small"
    cluster: str = "off"

    def __str__(self) -> str:
        return f"recent={'on' if self.recent else 'off'},smt={self.smt},cluster={self.cluster}"


def parse(text: str) -> Policy:
    """Words: recent=off,smt=big,cluster=spread; what is left out is as by default.

    Raises BadPlacement.
    """
    allowed = {"recent": ("on", "off"), "smt": SMT, "cluster": CLUSTER}
    chosen: dict[str, str] = {}
    for word in text.split(",") if text else ():
        key, _, value = word.partition("=")
        if key not in allowed:
            known = ", ".join(f"{name}={'|'.join(values)}" for name, values in allowed.items())
            raise BadPlacement(f"expected {known}, found {word!r}")
        if value not in allowed[key]:
            raise BadPlacement(f"expected {key}={'|'.join(allowed[key])}, found {word!r}")
        if key in chosen:
            raise BadPlacement(f"expected {key} once, found it again in {text!r}")
        chosen[key] = value
    return Policy(
        chosen.get("recent", "on") == "on",
        chosen.get("smt", "small"),
        chosen.get("cluster", "off"),
    )


class Placement:
    """Which CPUs have how many tasks, running or queued, and where the next one goes."""

    def __init__(self, topology: Topology, policy: Policy) -> None:
        self.tasks = [0] * topology.cpus
        self._topology = topology
        self._policy = policy
        self._smt = topology.small_core if policy.smt == "small" else topology.core
        grouping = "small_core" if policy.smt == "small" else "core"
        self._siblings = topology.members[grouping]
        self._llc_members = topology.members["llc"]

    def idle(self, cpu: int) -> bool:
        return self.tasks[cpu] == 0

    def first(self) -> int:
        """Where a new task begins: in the cache with the most idle CPUs, then the fewest tasks; to
        pack, in the first that has an idle CPU."""
        packs = self._policy.cluster == "pack"

        def order(members: Sequence[int]) -> tuple[int, int]:
            idle = sum(map(self.idle, members))
            if packs and idle:
                return -1, 0
            return -idle, sum(self.tasks[cpu] for cpu in members)

        # min() keeps the first of equals
        cpu = min(self._llc_members, key=order)[0]
        return self.choose(cpu, cpu, cpu)

    def target(self, waker: int, previous: int, sync: bool) -> int:
        """wake_affine(). waker: the CPU that wakes; sync: the waker is about to sleep."""
        if self.idle(waker) and self._shares_cache(waker, previous):
            return previous if self.idle(previous) else waker
        if sync and self.tasks[waker] == 1:
            return waker
        if not self.idle(previous) and self.tasks[waker] < self.tasks[previous]:
            return waker
        return previous

    def choose(self, target: int, previous: int, recent: int) -> int:
        """select_idle_sibling()."""
        near = self.near(target, previous)
        return self.beyond(target, previous, recent) if near is None else near

    def near(self, target: int, previous: int) -> int | None:
        """1 and 2 of the search; None: neither will do."""
        if self.idle(target):
            return target
        if self._shares_cache(previous, target) and self.idle(previous):
            return previous
        return None

    def beyond(self, target: int, previous: int, recent: int) -> int:
        """The rest of the search."""
        if self._policy.recent and self._shares_cache(recent, target) and self.idle(recent):
            return recent
        walk = [cpu for cpu in self._walk(target) if self.idle(cpu)]
        if not walk:
            return target
        if self._policy.cluster != "off":
            return self._by_cluster(walk)
        for cpu in walk:
            if self._idle_core(cpu):
                return cpu
        if self._shares_cache(previous, target):
            for cpu in self._siblings[self._smt[previous]]:
                if self.idle(cpu) and self._shares_cache(cpu, target):
                    return cpu
        return walk[0]

    def _by_cluster(self, walk: Sequence[int]) -> int:
        clusters = self._topology.cluster
        wanted = -1 if self._policy.cluster == "pack" else 1
        members = self._topology.members["cluster"]

        def busy(cpu: int) -> int:
            return wanted * sum(self.tasks[other] != 0 for other in members[clusters[cpu]])

        # min() keeps the first of equals
        best = clusters[min(walk, key=busy)]
        inside = [cpu for cpu in walk if clusters[cpu] == best]
        return next((cpu for cpu in inside if self._idle_core(cpu)), inside[0])

    def _walk(self, target: int) -> list[int]:
        members = self._llc_members[self._topology.llc[target]]
        after = members.index(target) + 1
        return [*members[after:], *members[:after]]

    def _idle_core(self, cpu: int) -> bool:
        return all(self.idle(other) for other in self._siblings[self._smt[cpu]])

    def _shares_cache(self, one: int, other: int) -> bool:
        return self._topology.llc[one] == self._topology.llc[other]
