"""CPU selection at wake-up: the scheduler's search for an idle CPU.

Follows wake_affine() and select_idle_sibling() of Linux kernel/sched/fair.c, with an idle mask that
is always current. The search first picks a target, either the waker's CPU or the CPU on which the
task ran last, then takes the first idle CPU in this order:

  1  the target
  2  the previous CPU, if it shares the last-level cache with the target
  3  the recently used CPU, if enabled (32e839dda3ba). Whenever step 3 is reached, the previous CPU
     becomes the recently used one, as from 5.14 on (89aafd67f28c). Releases 4.16 to 5.13 record the
     CPU on which a task last woke another; that is not modelled
  4  a CPU of a fully idle core, in a walk around the last-level cache that starts after the target
  5  a sibling of the previous CPU
  6  any CPU of that walk

If no CPU is idle, the target is taken. Steps 4 and 5 take the core from cpu_smt_mask(): the core as
built or, as in kernels that do not know fused cores, the core as shown. Cluster scheduling adds a
step between 3 and 4: of the clusters with an idle CPU it takes the one with the fewest busy CPUs
(spread) or the most (pack), the first in walk order if several are equal, and in that cluster a CPU
of an idle core, otherwise any idle CPU.

Simplifications: load is the length of the run queue, the walk is never cut short, and running or
queued tasks are never migrated. A new task is placed in the last-level cache with the most idle
CPUs, with the first CPU of that cache as target; with pack, in the first cache with an idle CPU.
"""

from collections.abc import Mapping, Sequence

from ...base.dataclass import dataclass
from .topology import Topology

SMT = ("small", "big")
CLUSTER = ("off", "spread", "pack")
_ON_OFF = {"on": "on", "off": "off"}
_SMT = {name: name for name in SMT}
_CLUSTER = {name: name for name in CLUSTER}
_WORDS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "recent_used_cpu": ("recent", _ON_OFF),
    "cpu_smt_mask": ("smt", {"cpu_smallcore_map": "small", "cpu_sibling_map": "big", **_SMT}),
    "sched_cluster": ("cluster", {"0": "off", "1": "spread"}),
    "recent": ("recent", _ON_OFF),
    "smt": ("smt", _SMT),
    "cluster": ("cluster", _CLUSTER),
}
"""Word -> (what it sets, its values). The kernel's own names come first: task_struct's
recent_used_cpu, what powerpc's cpu_smt_mask() returns, and sysctl kernel.sched_cluster, which a
series of 2022 proposed to switch the CLS domain (SD_CLUSTER)."""
_NO_LIMIT = ("NO_SIS_UTIL", "NO_SIS_PROP")
"""Scheduler features, switched off: the walk around the cache is never cut short here."""


class BadPlacement(ValueError):
    """An invalid placement; the message says what was expected and what was found."""


@dataclass(frozen=True, slots=True)
class Policy:
    """Placement options.

    recent  whether the recently used CPU is a candidate
    smt     one of SMT: which core steps 4 and 5 use
    cluster one of CLUSTER: the cluster scheduling
    """

    recent: bool = True
    smt: str = "small"
    cluster: str = "off"

    def __str__(self) -> str:
        smt = {"small": "cpu_smallcore_map", "big": "cpu_sibling_map"}[self.smt]
        cluster = {"off": "sched_cluster=0", "spread": "sched_cluster=1"}.get(
            self.cluster, f"cluster={self.cluster}"
        )
        return f"recent_used_cpu={'on' if self.recent else 'off'},cpu_smt_mask={smt},{cluster}"


def parse(text: str) -> Policy:
    """Parses words such as recent_used_cpu=off,cpu_smt_mask=cpu_sibling_map,sched_cluster=1;
    omitted words keep their defaults. NO_SIS_UTIL and NO_SIS_PROP name what is done anyway.

    Raises BadPlacement.
    """
    chosen: dict[str, str] = {}
    for word in text.split(",") if text else ():
        if word in _NO_LIMIT:
            continue
        if f"NO_{word}" in _NO_LIMIT:
            raise BadPlacement(
                f"expected NO_{word}, found {word}: the search for an idle CPU is modelled without "
                "a limit on how many CPUs it looks at"
            )
        key, _, value = word.partition("=")
        if key not in _WORDS:
            known = ", ".join(f"{name}={'|'.join(values)}" for name, (_, values) in _WORDS.items())
            raise BadPlacement(f"expected {known}, found {word!r}")
        what, values = _WORDS[key]
        if value not in values:
            raise BadPlacement(f"expected {key}={'|'.join(values)}, found {word!r}")
        if what in chosen:
            raise BadPlacement(f"expected {key} once, found it again in {text!r}")
        chosen[what] = values[value]
    return Policy(
        chosen.get("recent", "on") == "on", chosen.get("smt", "small"), chosen.get("cluster", "off")
    )


class Placement:
    """Number of running and queued tasks per CPU, and the choice of a CPU for the next task."""

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
        """Returns the CPU of a new task: in the last-level cache with the most idle CPUs, then the
        fewest tasks; with pack, in the first cache with an idle CPU."""
        packs = self._policy.cluster == "pack"

        def order(members: Sequence[int]) -> tuple[int, int]:
            idle = sum(map(self.idle, members))
            if packs and idle:
                return -1, 0
            return -idle, sum(self.tasks[cpu] for cpu in members)

        # min() returns the first of equal caches
        cpu = min(self._llc_members, key=order)[0]
        return self.choose(cpu, cpu, cpu)

    def target(self, waker: int, previous: int, sync: bool) -> int:
        """wake_affine(). waker: CPU of the waking task; sync: that task is about to sleep."""
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
        """Steps 1 and 2 of the search; None if neither finds an idle CPU."""
        if self.idle(target):
            return target
        if self._shares_cache(previous, target) and self.idle(previous):
            return previous
        return None

    def beyond(self, target: int, previous: int, recent: int) -> int:
        """Steps 3 to 6 of the search; returns the target if no CPU is idle."""
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

        # min() returns the first of equal clusters
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
