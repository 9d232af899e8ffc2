"""The governor of a source file, as the package's own models are: one CPU of a running program."""

from array import array
from collections.abc import Sequence
from typing import Any, Self

from .....base.dataclass import dataclass
from ..core.packing import NONE, Buffer, Decisions, pack
from ..interface import CPU_CAPACITY, NO_STATE, Decision, GovernorModel, Outcome, Situation, State
from . import python
from .running import Program
from .started import running


@dataclass(frozen=True, slots=True)
class SourceFeatures:
    """The features of a governor's source. utilisation: it asks how much a CPU is used."""

    file: str
    sha256: str
    era: str
    utilisation: bool = False


def features_of(name: str) -> SourceFeatures:
    """Returns what tells a source from others. Raises UsageError, Unreadable, OSError."""
    if name.endswith(".py"):
        source = python.find(name)
        return SourceFeatures(name, source.sha256, "this tool")
    program = running(name, 250)
    source, interface = program.source, program.interface
    return SourceFeatures(source.file, source.sha256, interface.era, interface.utilisation)


def model(name: str, states: Sequence[State], hz: int) -> GovernorModel:
    """Returns one CPU's governor by the source that --governor names. Raises UsageError,
    Unreadable, OSError."""
    if name.endswith(".py"):
        return python.PythonSource(name, states, hz, features_of(name))
    return CompiledSource(name, states, hz)


class CompiledSource:
    """One CPU's governor, by its own C. See GovernorModel."""

    def __init__(self, name: str, states: Sequence[State], hz: int) -> None:
        self.states: Sequence[State] = tuple(states)
        self.features = features_of(name)
        self.hz = hz
        self._program: Program = running(name, hz)
        self._cpu = self._program.boot(self.states, CPU_CAPACITY)
        self._selected: Situation | None = None

    def __del__(self) -> None:
        program = getattr(self, "_program", None)
        if program is not None and hasattr(self, "_cpu"):
            program.forget(self._cpu)

    def __deepcopy__(self, known: dict[int, Any]) -> Self:
        other = object.__new__(type(self))
        for name in ("states", "features", "hz", "_program", "_selected"):
            setattr(other, name, getattr(self, name))
        other._cpu = self._program.copy(self._cpu)
        return other

    def __getstate__(self) -> bytes:
        """Returns all that it remembers, to tell whether decisions repeat."""
        return self._program.memory(self._cpu)

    @property
    def poll_limit_ns(self) -> int | None:
        """For how long state 0 polls next; None where the governor leaves that to cpuidle."""
        return self._program.poll_limit_ns(self._cpu) or None

    def switched_on(self, earlier: Outcome) -> None:
        """See GovernorModel."""
        self._program.before(self._cpu, earlier.state, earlier.residency_ns)

    def select(self, situation: Situation) -> Decision:
        """Returns the next decision. Raises Unreadable where the source does not answer."""
        self._selected = situation
        state, stop_tick = self._program.select(
            self._cpu, bytes(pack([(situation, Outcome(0, 0))]))
        )
        return Decision(NO_STATE if state == NONE else state, bool(stop_tick))

    def finished(self, outcome: Outcome) -> None:
        """See GovernorModel."""
        assert self._selected is not None, "select() comes first"
        if outcome.state != NO_STATE:
            self._program.finish(self._cpu, bytes(pack([(self._selected, outcome)])))

    def replay(self, rows: Buffer) -> Decisions:
        """Returns the decisions of packed rows; see core.Stream.replay()."""
        return Decisions(self._program.rows(self._cpu, rows))

    def settled_states(
        self, lengths: "array[int]", circumstances: tuple[int, int, int, int, int], history: Buffer
    ) -> list[bytes]:
        """Returns the states selected once settled; see core.Stream.settled()."""
        return self._program.settle(self._cpu, lengths, circumstances, bytes(history))
