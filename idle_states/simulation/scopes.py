"""Cores, pairs and quads: how deep they are, from what their threads asked for.

The lightest request wins. A level is a state's number in the kernel's table, -1 while awake: that
of a core is the least of its threads, of a pair the least of its cores, of a quad the least of its
pairs. A state that acts on more than its thread takes effect while all of that has asked for it or
more; until then, the thread has the next lighter state for which this holds. That is POWER9's
cascade of levels, 11 to 8 to 5 to 4 to 2, as far as the kernel's table has them.
"""

from collections.abc import Sequence

from .setup import SCOPES, Effect
from .topology import Topology

AWAKE = -1
THREAD = 0
GROUPINGS = ("small_core", "pair", "quad")


class Scopes:
    """levels: scope -> instance -> level. ready_ns: when its last wake-up from a state that acts
    on it is over. scope_ns: see Run."""

    def __init__(self, topology: Topology, effects: Sequence[Effect]) -> None:
        self._effects = effects
        self._of_cpu = [
            range(topology.cpus),
            *(getattr(topology, grouping) for grouping in GROUPINGS),
        ]
        # scope -> instance -> the instances of the scope below that it consists of
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
        """The thread's level is another from now on."""
        for scope in range(len(SCOPES)):
            instance = self._of_cpu[scope][cpu]
            if scope > THREAD:
                level = min(self.levels[scope - 1][part] for part in self._parts[scope][instance])
            if level == self.levels[scope][instance]:
                return
            self._account(scope, instance, now)
            self.levels[scope][instance] = level

    def reached(self, cpu: int) -> int:
        """The state that the thread's request comes to."""
        for state in range(self.levels[THREAD][cpu], 0, -1):
            scope = self._effects[state].scope
            if self.levels[scope][self._of_cpu[scope][cpu]] >= state:
                return state
        return 0

    def wake(self, cpu: int, state: int, done_ns: int) -> int:
        """When a wake-up from `state`, done at done_ns but for others of the same core, pair or
        quad that are under way, really is."""
        for scope in range(1, len(SCOPES)):
            done_ns = max(done_ns, self.ready_ns[scope][self._of_cpu[scope][cpu]])
        scope = self._effects[state].scope
        if scope > THREAD:
            self.ready_ns[scope][self._of_cpu[scope][cpu]] = done_ns
        return done_ns

    def close(self, now: int) -> None:
        """The end of the simulation."""
        for scope, levels in enumerate(self.levels):
            for instance in range(len(levels)):
                self._account(scope, instance, now)

    def _account(self, scope: int, instance: int, now: int) -> None:
        level = self.levels[scope][instance]
        self.scope_ns[scope][level + 1] += now - self._since[scope][instance]
        self._since[scope][instance] = now
