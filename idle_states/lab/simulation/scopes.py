"""Idle levels of cores, pairs and quads, derived from the requests of their threads.

A level is the number of a state in the kernel's table, -1 (AWAKE) for a running thread. The lowest
request wins: the level of a core is the lowest of its threads, that of a pair the lowest of its
cores, that of a quad the lowest of its pairs. A state whose scope is larger than a thread takes
effect only while every thread in that scope has requested this state or a deeper one. Otherwise the
thread enters the deepest lighter state that meets this condition: POWER9's cascade of levels 11, 8,
5, 4 and 2, as far as the kernel's table has them.
"""

from collections.abc import Sequence

from .setup import SCOPES, Effect
from .topology import SCOPED, Topology

AWAKE = -1
THREAD = 0


class Scopes:
    """The levels of all scopes at the simulated time.

    levels    scope -> instance -> level
    ready_ns  scope -> instance -> end of its last wake-up from a state of that scope
    scope_ns  scope -> level + 1 -> ns; see SimulationRun
    """

    def __init__(self, topology: Topology, effects: Sequence[Effect]) -> None:
        self._effects = effects
        self._of_cpu = [range(topology.cpus), *(getattr(topology, name) for name in SCOPED)]
        # scope -> instance -> its instances of the next smaller scope
        self._parts: list[list[list[int]]] = [[]]
        for below, scope in zip(self._of_cpu, self._of_cpu[1:], strict=False):
            parts: list[list[int]] = [[] for _ in range(max(scope) + 1)]
            for part, whole in zip(below, scope, strict=True):
                if part not in parts[whole]:
                    parts[whole].append(part)
            self._parts.append(parts)
        counts = [topology.cpus, *(len(parts) for parts in self._parts[1:])]
        self.levels = [[AWAKE] * count for count in counts]
        self.ready_ns = [[0] * count for count in counts]
        self.scope_ns = [[0] * (len(effects) + 1) for _ in SCOPES]
        self._since = [[0] * count for count in counts]

    def ask(self, cpu: int, level: int, now: int) -> None:
        """Sets the level that a thread requests from time `now` (ns) on."""
        for scope in range(len(SCOPES)):
            instance = self._of_cpu[scope][cpu]
            if scope > THREAD:
                level = min(self.levels[scope - 1][part] for part in self._parts[scope][instance])
            if level == self.levels[scope][instance]:
                return
            self._account(scope, instance, now)
            self.levels[scope][instance] = level

    def reached(self, cpu: int) -> int:
        """Returns the state that the hardware really enters for the thread's request."""
        for state in range(self.levels[THREAD][cpu], 0, -1):
            scope = self._effects[state].scope
            if self.levels[scope][self._of_cpu[scope][cpu]] >= state:
                return state
        return 0

    def wake(self, cpu: int, state: int, done_ns: int) -> int:
        """Returns the time in ns at which a thread's wake-up from `state` ends: done_ns, or later
        if its core, pair or quad is still waking up for another thread."""
        for scope in range(1, len(SCOPES)):
            done_ns = max(done_ns, self.ready_ns[scope][self._of_cpu[scope][cpu]])
        scope = self._effects[state].scope
        if scope > THREAD:
            self.ready_ns[scope][self._of_cpu[scope][cpu]] = done_ns
        return done_ns

    def close(self, now: int) -> None:
        """Adds the time since the last change of each level, at the end of the simulation."""
        for scope, levels in enumerate(self.levels):
            for instance in range(len(levels)):
                self._account(scope, instance, now)

    def _account(self, scope: int, instance: int, now: int) -> None:
        level = self.levels[scope][instance]
        self.scope_ns[scope][level + 1] += now - self._since[scope][instance]
        self._since[scope][instance] = now
