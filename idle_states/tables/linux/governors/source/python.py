"""A governor of the user's own in Python: FILE.py with a class Governor.

    class Governor:
        def __init__(self, states, hz): ...       # states: exit_ns, residency_ns, polling
        def select(self, situation): ...          # a state's number, or (number, stop_tick)
        def reflect(self, outcome): ...           # what became of it

Situation and Outcome are those of interface.py. The file is run as the user's own code: nothing
confines it.
"""

import importlib.util
import pickle
import traceback
from collections.abc import Callable, Sequence
from copy import copy, deepcopy
from functools import cache
from itertools import count
from typing import Any, Self

from .....base.model.findings import Unreadable, unreadable
from .....base.reading import limits, opening
from ..interface import Decision, Outcome, Situation, State
from .named import SourceFile

_never = count()
_MODULE = "idle_states_user_governor"


class PythonSource:
    """One CPU's governor, by a class of the user's. See GovernorModel.

    Raises Unreadable, with the place in the file, where the class raises an error or selects no
    state of the table.
    """

    def __init__(self, name: str, states: Sequence[State], hz: int, features: object) -> None:
        self.states = states
        self.hz = hz
        self.features = features
        self._file = name
        self._own: Any = self._answer(lambda: _class_of(name)(states, hz))

    def __deepcopy__(self, known: dict[int, Any]) -> Self:
        other = copy(self)
        other._own = self._answer(lambda: deepcopy(self._own, known))
        return other

    def __copy__(self) -> Self:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def __getstate__(self) -> object:
        """Returns all that the class remembers, to tell whether decisions repeat; what cannot be
        kept never does."""
        try:
            return pickle.dumps(vars(self._own))
        except Exception:
            return next(_never)

    def switched_on(self, earlier: Outcome) -> None:
        """Tells nothing: the class begins when it is made."""

    def select(self, situation: Situation) -> Decision:
        """Returns the next decision; the tick stops where the class does not say."""
        found = self._answer(lambda: self._own.select(situation))
        state, stop_tick = found if isinstance(found, tuple) and len(found) == 2 else (found, True)
        if isinstance(state, bool) or not isinstance(state, int):
            raise self._refused(
                f"expected select() to return the number of a state, found {state!r}"
            )
        if not 0 <= state < len(self.states):
            last = len(self.states) - 1
            raise self._refused(
                f"expected select() to return the number of a state, 0 to {last}, found {state}"
            )
        return Decision(state, bool(stop_tick))

    def finished(self, outcome: Outcome) -> None:
        """See GovernorModel."""
        if not outcome.rejected:
            self._answer(lambda: self._own.reflect(outcome))

    def _answer(self, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except Unreadable:
            raise
        except (Exception, SystemExit) as error:
            raise self._refused(*_place(error, self._file)) from error

    def _refused(self, message: str, line: int | None = None) -> Unreadable:
        return unreadable(self._file, message, line)


def find(name: str) -> SourceFile:
    """Reads a governor's Python. Raises Unreadable, OSError."""
    text = opening.read_text(name, limits.GOVERNOR_BYTES)
    return SourceFile(name, name, text, {}, (), "", False)


@cache
def _class_of(name: str) -> type:
    spec = importlib.util.spec_from_loader(_MODULE, loader=None)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    text = opening.read_text(name, limits.GOVERNOR_BYTES)
    exec(compile(text, name, "exec"), module.__dict__)
    found = getattr(module, "Governor", None)
    if not isinstance(found, type) or not all(hasattr(found, n) for n in ("select", "reflect")):
        raise unreadable(
            name, "expected a class Governor with select() and reflect(), found none of that name"
        )
    return found


def _place(error: BaseException, file: str) -> tuple[str, int | None]:
    """Returns what went wrong and the last line of the file that had part in it."""
    lines = [
        each.lineno for each in traceback.extract_tb(error.__traceback__) if each.filename == file
    ]
    line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
    return f"expected a governor in Python, found {type(error).__name__}: {error}", line
